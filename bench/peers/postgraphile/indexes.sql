-- The orders of lists, to the last key, as the server asks for them: it ends each with the primary key.
create index article_newest on article (indexed_at desc, rkey desc, did desc, id desc);
create index article_published on article (published_at desc, rkey desc, did desc, id desc);
create index article_language_published on article (language, published_at desc, rkey desc, did desc, id desc);
-- Small ones that alone answer what is counted.
create index article_published_at on article (published_at) include (id);
create index article_language on article (language) include (id);
create index article_source on article (source_id) include (id);
create index enrichment_article on enrichment (article_id) include (impact_level);
create index enrichment_impact on enrichment (impact_level);

create index article_title on article using gin (title gin_trgm_ops);
create index article_description on article using gin (description gin_trgm_ops);
create index enrichment_newest on enrichment (indexed_at desc, rkey desc, did desc, id desc);
create index source_orientation on source (political_orientation);

-- What the aggregates plugin cannot say: groups that are sorted and cut, or whose key is two references away.
create view outlet_count as
  select s.rkey as outlet, n.articles
  from (select source_id, count(*)::integer as articles from article group by source_id) n
  join source s on s.id = n.source_id;
comment on view outlet_count is E'@primaryKey outlet';

create view orientation_impact as
  select s.political_orientation, avg(e.impact_level)::float8 as average
  from enrichment e
  left join article a on a.id = e.article_id
  left join source s on s.id = a.source_id
  group by s.political_orientation;
