/** Statements that change rows together with counts, sums and the vocabulary, and see all as it was before. */
import type { Table } from '../../layout/tables.ts'
import { changeCounts } from '../layout/count-ddl.ts'
import { quote } from '../layout/ddl.ts'
import { changeSums } from '../layout/sum-ddl.ts'
import { type ChangedRows, changeVocabulary, type CountChange } from '../layout/vocabulary-ddl.ts'

const [come, gone] = [['new_rows', 1] as const, ['old_rows', -1] as const]
const changedRows = { insert: [come], update: [come, gone], delete: [gone] }

export type RowEvent = keyof typeof changedRows

/** A row of a statement's answer: an added row, or the rows of a table of counts whose `n` has become 0. */
export interface CountedAnswer {
  /** The number of the table of counts, for `removeZeros`; null for an added row. */
  readonly part: string | null
  /** An array, as text: the positions of the rows in their table, or their keys (`CountChange`) on several nodes. */
  readonly zeros: string | null
}

/** `write` changes the rows with the alias `t`; an update has their ids as its second parameter, an array. */
export function countedStatement(table: Table, event: RowEvent, write: string): string {
  const columns = countedColumns(table).join(', ')
  const written = `${write} returning ${columns}`
  const rows = {
    insert: [`new_rows as (${written})`],
    // A row that counts the same before and after changes no count.
    update: [
      `before as (select ${columns} from ${quote(table.name)} t where id = any($2))`,
      `after as (${written})`,
      'old_rows as (select * from before except all select * from after)',
      'new_rows as (select * from after except all select * from before)',
    ],
    delete: [`old_rows as (${written})`],
  }[event]
  const parts = countChanges(table, event)
  // Rows that lie on other nodes have no positions here.
  const placeOf = ({ key }: CountChange): string => {
    if (!table.isSpread) return 'c.ctid'
    return key === undefined ? 'null' : `c.${key}`
  }
  const changes = parts.map(
    (part, index) => `c${index} as (${part.change} returning ${placeOf(part)} as place, c.n)`,
  )
  const zeros = parts.map(
    (_, part) =>
      `select null, null, null, '${part}', array_agg(place)::text from c${part} where n = 0 having count(*) > 0`,
  )
  const added = `select id, base, rkey, null::text as part, null::text as zeros from ${event === 'insert' ? 'new_rows' : 'old_rows where false'}`
  return `with ${[...rows, ...changes].join(',\n')}\n${[added, ...zeros].join(' union all\n')}`
}

/** Takes rows of `CountedAnswer`, as JSON, directly after their statement: another change of a count moves its row. */
export function removeZeros(table: Table): string {
  const removes = countChanges(table, 'delete').map(({ name, key }, part) => {
    const zeros = `(select zeros from given where part = '${part}')`
    const isZero = !table.isSpread
      ? `ctid = any(${zeros}::tid[])`
      : key === undefined
        ? `n = 0 and exists (select 1 from given where part = '${part}')`
        : `${key} = any(${zeros}::text[])`
    return `d${part} as (delete from ${name} where ${isZero})`
  })
  // A cluster would send changes of tables that each node has, and with them those of others, to a node as one statement.
  const apart = table.isSpread ? ' from shards where shard = 0' : ''
  return `with given as (select * from json_to_recordset($1) as given (part text, zeros text)), ${removes.join(', ')} select${apart}`
}

function countChanges(table: Table, event: RowEvent): readonly CountChange[] {
  const rows: readonly ChangedRows[] = changedRows[event]
  return [
    ...table.counts.map((counts) => changeCounts(table, counts, rows)),
    ...table.sums.map((sums) => changeSums(table, sums, rows)),
    ...changeVocabulary(table, rows),
  ]
}

/** The columns on which counts, sums and the vocabulary depend. */
function countedColumns({ name, counts, sums, words }: Table): readonly string[] {
  const counted = counts.flatMap(({ columns }) => columns)
  const summed = sums.flatMap(({ of, first, second, measured }) =>
    of === name ? [first.base, first.key, ...measured] : [second.base, second.key],
  )
  const columns = new Set(['id', 'base', 'rkey', ...(words === null ? [] : ['words']), ...counted, ...summed])
  return [...columns].map((column) => `t.${quote(column)}`)
}
