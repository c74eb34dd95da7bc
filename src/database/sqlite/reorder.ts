/** Gives a table's rows new ids in default order (indexed_at, rkey, did), ties included. */
import type { DatabaseSync } from 'node:sqlite'
import { storedColumns, type Table } from '../layout/tables.ts'
import { createSideTables, createTable, quote } from './layout/ddl.ts'

/** Call it within a transaction, before indexes and trigrams are built. */
export function reorder(database: DatabaseSync, table: Table): void {
  const aside = `${table.name}/reordered`
  const derived = storedColumns(table).map(({ name }) => quote(name))
  const columns = ['base, rkey, cid, rev, indexed_at, changed_at, record', ...derived].join(', ')
  database.exec(`
    create temp table renumbered (old integer primary key, new integer not null);
    insert into renumbered
      select t.id, row_number() over (order by t.indexed_at, t.rkey, base.did)
      from ${quote(table.name)} t join base on base.id = t.base;
    ${createTable(table, aside)}
    drop index ${quote(`${aside}/key`)};
    insert into ${quote(aside)} (id, ${columns})
      select new, ${columns} from renumbered cross join ${quote(table.name)} t on t.id = old order by new;
    ${createSideTables(table, '/reordered')}
    ${table.arrays.map((array) => moveSideTable(array.name, array.kind === 'reference' ? 'base, rkey' : 'value')).join('\n')}
    drop table ${quote(table.name)};
    alter table ${quote(aside)} rename to ${quote(table.name)};
    create unique index ${quote(`${table.name}/key`)} on ${quote(table.name)} (base, rkey);
    drop table temp.renumbered;
  `)
}

function moveSideTable(name: string, key: string): string {
  const aside = quote(`${name}/reordered`)
  return `insert into ${aside} (${key}, id)
      select ${key}, new from ${quote(name)} t join renumbered on old = t.id order by ${key}, new;
    drop table ${quote(name)};
    alter table ${aside} rename to ${quote(name)};`
}
