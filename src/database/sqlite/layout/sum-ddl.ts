/** The DDL of tables of sums in SQLite. */
import { ownSums, refersTo, type SumTable, sumColumns, summedValues } from '../../layout/sums.ts'
import type { Table } from '../../layout/tables.ts'
import { quote } from './ddl.ts'
import { missingKey } from '../dialect.ts'

export function createSums(table: Table): string {
  return ownSums(table)
    .map((sums) => {
      const columns = sumColumns(sums).map((column) => `${column} integer not null`)
      return `create table ${quote(sums.name)} (
        base integer not null, rkey text not null, ${columns.join(', ')}, primary key (base, rkey)) without rowid;`
    })
    .join('\n')
}

/** Sums all rows; the rows of all tables must be in place. */
export function fillSums(table: Table): string {
  return ownSums(table).map(fillSum).join('\n')
}

function fillSum(sums: SumTable): string {
  const { name, of, between, second } = sums
  const values = summedValues(sums, quote).map((value, index) => `${value} as v${index}`)
  return `delete from ${quote(name)};
    insert into ${quote(name)} select ifnull(base, ${missingKey}), ifnull(rkey, ${missingKey}), ${values.map((_, index) => `v${index}`).join(', ')}
      from (select d.${quote(second.base)} as base, d.${quote(second.key)} as rkey, ${values.join(', ')}
        from ${quote(of)} c left join ${quote(between)} d on ${refersTo(sums, quote)} group by 1, 2);`
}
