/**
 * With these functions in an ordinary database, which stand for those of Citus and put nothing elsewhere, it is laid out as
 * on a cluster.
 */
export function clusterFunctions(version = '13.2.2'): string {
  return `
  create or replace function citus_get_active_worker_nodes() returns setof text language sql return 'here';
  create or replace function citus_version() returns text language sql return 'Citus ${version} in tests';
  create or replace function create_distributed_table(regclass, text, shard_count integer default null, colocate_with text default '')
    returns void language sql as '';
  create or replace function create_reference_table(regclass) returns void language sql as '';
  create sequence if not exists pg_dist_transaction;
  create or replace function recover_prepared_transactions() returns integer language sql return 0;
  create or replace function run_command_on_workers(text) returns table (success boolean, result text) language sql
    as $$ select true, '0' $$;
  create or replace function run_command_on_shards(regclass, text) returns table (success boolean, result text) language plpgsql
    as $$ begin return query execute format('select true, left((' || $2 || ')::text, 1)', $1); end $$;
`
}
