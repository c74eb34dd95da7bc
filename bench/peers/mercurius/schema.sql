-- Ids are given in the order of indexing, so that the newest records are those with the largest ids.
create table source (
  id integer primary key,
  uri text not null unique,
  rkey text not null,
  display_name text,
  country text,
  political_orientation text
) strict;

create table article (
  id integer primary key,
  uri text not null unique,
  did text not null,
  rkey text not null,
  indexed_at text not null,
  title text not null,
  description text,
  url text not null,
  source_id integer references source,
  published_at text,
  language text
) strict;

create table enrichment (
  id integer primary key,
  uri text not null unique,
  did text not null,
  rkey text not null,
  indexed_at text not null,
  article_id integer references article,
  impact_level integer,
  sentiment text
) strict;
