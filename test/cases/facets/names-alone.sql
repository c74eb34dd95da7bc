select (select plan_version from state) as version, cast('{"data":{"list":{"facets":[{"field":"tags","kind":"Facet"},{"field":"language","kind":"Facet"}]}},"extensions":{"cost":1}}' as blob) as body
