/** Reads and writes the tables besides the records, in SQL that every engine understands except for CIDs and JSON. */
import { quote } from '../../sql/sql.ts'
import type { ColumnValue } from '../changes.ts'
import type { Table } from '../layout/tables.ts'
import { ask, type Steps } from '../metadata/steps.ts'
import type { RowChanges } from './database-copy.ts'
import { jsonColumn, partsOf, type CopyPart, type CopyRow } from './parts.ts'

/** SQL for the values that engines store differently. */
export interface Spelling {
  /** As text. */
  readonly cid: (column: string) => string
  readonly json: (column: string) => string
  /** SQL with the parameter `?` for the JSON text. */
  readonly newCid: (text: string) => ColumnValue
  readonly newJson: string
}

export function* hasRows(tables: readonly Table[]): Steps<boolean> {
  for (const { name } of partsOf(tables))
    if ((yield* ask(`select 1 as one from ${quote(name)} limit 1`)).length > 0) return true
  return false
}

/** The kind of rows in `listing` that hold the progress of a copy. */
export const ownListing = 'copy'

/** Sorted by the key of the part. */
export function selectStored(part: CopyPart, { cid, json }: Spelling): string {
  const { name, columns, key } = part
  const values = columns.map((column) => {
    if (column === 'base') return 'b.uri'
    if (column === 'cid') return cid('t.cid')
    return column === columns[jsonColumn(part) ?? -1] ? json('t.record') : `t.${column}`
  })
  const bases = columns.includes('base') ? ' join base b on b.id = t.base' : ''
  const own = name === 'listing' ? ` where t.kind <> '${ownListing}'` : ''
  return `select ${values.map((value, index) => `${value} as c${index}`).join(', ')} from ${name} t${bases}${own}
    order by ${values.slice(0, key).join(', ')}`
}

/** Refused text may contain NUL characters, which not every engine accepts. */
export function storedRow({ name }: CopyPart, row: CopyRow): CopyRow {
  return name === 'rejection'
    ? row.map((value) => (typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value))
    : row
}

/** Rows per statement. */
const rowsAtOnce = 100

export function* writeStored(
  part: CopyPart,
  { written, removed }: RowChanges,
  spelling: Spelling,
): Steps<void> {
  const { name, columns, key } = part
  // Records refer to rows of `base`, which are never removed.
  if (name !== 'base')
    for (const each of removed) {
      const found = columns.slice(0, key).map((column) => `${column} = ${valueOf(part, column, spelling)}`)
      const [row = []] = yield* withBaseIds(part, [each])
      yield* ask(`delete from ${name} where ${found.join(' and ')}`, ...row.slice(0, key))
    }
  const values = `(${columns.map((column) => valueOf(part, column, spelling)).join(', ')})`
  const keys = columns.slice(0, key).join(', ')
  const rest = columns.slice(key).map((column) => `${column} = excluded.${column}`)
  // Only one hiding of a subject may be active: in the order of keys, a former one is ended before the next is inserted.
  for (let start = 0; start < written.length; start += rowsAtOnce) {
    const some = written.slice(start, start + rowsAtOnce)
    yield* ask(
      `insert into ${name} (${columns.join(', ')}) values ${some.map(() => values).join(', ')}
       on conflict (${keys}) do ${rest.length === 0 ? 'nothing' : `update set ${rest.join(', ')}`}`,
      ...(yield* withBaseIds(part, some)).flatMap((row) =>
        row.map((value, index) => (columns[index] === 'cid' ? spelling.newCid(String(value)) : value)),
      ),
    )
  }
}

/** Rows with the id of their repo collection, which is there, in place of its URI. */
function* withBaseIds({ name, columns }: CopyPart, rows: readonly CopyRow[]): Steps<readonly CopyRow[]> {
  const place = columns.indexOf('base')
  if (place < 0 || name === 'base') return rows
  const uris = [...new Set(rows.map((row) => row[place] ?? null))]
  if (uris.length === 0) return rows
  const bases = yield* ask<{ uri: ColumnValue; id: ColumnValue }>(
    `select uri, id from base where uri in (${uris.map(() => '?').join(', ')})`,
    ...uris,
  )
  const ids = new Map(bases.map(({ uri, id }) => [uri, id]))
  return rows.map((row) => row.with(place, ids.get(row[place] ?? null) ?? null))
}

function valueOf(part: CopyPart, column: string, { newJson }: Spelling): string {
  return column === part.columns[jsonColumn(part) ?? -1] ? newJson : '?'
}
