select (select plan_version from state) as version, (select case when octet_length(body) <= 8388608 then body end
      from (select convert_to(('{"data":' || (('{"list":' || (('{"facets":' || ((('[' || '{"field":"tags","kind":"Facet"}') || (',' || ('{"field":"language","kind":"Facet"}' || ']'))) || '}')) || '}')) || ',"extensions":{"cost":1}}')), 'UTF8') as body offset 0) answer) as body
