create index article_published on article (published_at, rkey, did);
create index article_language_published on article (language, published_at, rkey, did);
create index article_source on article (source_id);
create index enrichment_article on enrichment (article_id, impact_level);
create index enrichment_impact on enrichment (impact_level);

create virtual table article_text using fts5(
  title, description, content = 'article', content_rowid = 'id', tokenize = 'trigram'
);
insert into article_text (article_text) values ('rebuild');
insert into article_text (article_text) values ('optimize');
analyze;
