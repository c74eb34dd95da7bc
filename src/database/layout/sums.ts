/**
 * Which sums of a collection's records are kept by what lies two references away, such as the outlet of the article
 * that an enrichment is about, and how rows are told by them, whatever the engine. Sums change in the transaction
 * that changes the records on either side, so that they are as exact as adding up.
 */
import type { Collection, FieldType } from '../../schema/model/model.ts'
import { mostIntegers } from './counts.ts'

/** What of a table decides about sums: its name, its columns, and whose it is. */
interface Summable {
  readonly name: string
  readonly collection: Collection
  readonly columns: readonly {
    readonly name: string
    readonly kind: string
    readonly path: readonly string[]
  }[]
}

/**
 * For each URI that records in between name: how many records refer to such a one, and of each measured column how
 * many of them have it and their sum. Records whose reference leads nowhere, or to a record without the second
 * reference, are under the missing URI. Rows that are parked count on neither side.
 */
export interface SumTable {
  readonly name: string
  /** Names of the table whose records are summed up, and of the one in between; never the same. */
  readonly of: string
  readonly between: string
  /** The reference from one to the other, and the one from there, by columns. */
  readonly first: UriColumns
  readonly second: UriColumns
  /** Integers of so few values that nobody's sum is too large to be kept. */
  readonly measured: readonly string[]
}

interface UriColumns {
  readonly base: string
  readonly key: string
}

/** Columns of a table of sums beside its keys: `n`, then for each measured column how many have it, and their sum. */
export function sumColumns({ measured }: Pick<SumTable, 'measured'>): readonly string[] {
  return ['n', ...measured.flatMap((_, index) => [haveColumn(index), sumColumn(index)])]
}

/** Of the measured column at that place. */
export function haveColumn(index: number): string {
  return `n${index}`
}

export function sumColumn(index: number): string {
  return `s${index}`
}

/** What rows come to, in the order of `sumColumns`, as SQL that every engine understands; `c` is an alias of `of`. */
export function summedValues({ measured }: SumTable, quote: (name: string) => string): readonly string[] {
  return [
    'count(*)',
    ...measured.flatMap((name) => [`count(c.${quote(name)})`, `coalesce(sum(c.${quote(name)}), 0)`]),
  ]
}

/** Whether the row `c` refers to the row `d` in between. */
export function refersTo({ first }: SumTable, quote: (name: string) => string): string {
  return `d.base = c.${quote(first.base)} and d.rkey = c.${quote(first.key)}`
}

/** The sums of a table's own records; others change with its rows too. */
export function ownSums({
  name,
  sums,
}: {
  readonly name: string
  readonly sums: readonly SumTable[]
}): readonly SumTable[] {
  return sums.filter(({ of }) => of === name)
}

/**
 * Of references that lead to one collection each, and never back to one that was passed: so do groups. `nameOf` makes a name that nothing else of the table has.
 */
export function buildSums<Its extends Summable>(
  tables: readonly Its[],
  nameOf: (table: Its, what: string) => string,
): readonly SumTable[] {
  return tables.flatMap((table) => {
    const measured = measuredColumns(table)
    if (measured.length === 0) return []
    return singleReferences(table, tables).flatMap(({ target: between, ...first }) => {
      if (between === table) return []
      const onwards = singleReferences(between, tables).filter(
        ({ target }) => target !== table && target !== between,
      )
      return onwards.map(
        (second): SumTable => ({
          name: nameOf(table, `${first.property}+${second.property}:sums`),
          of: table.name,
          between: between.name,
          first: { base: first.base, key: first.key },
          second: { base: second.base, key: second.key },
          measured,
        }),
      )
    })
  })
}

interface SingleReference<Its> extends UriColumns {
  readonly property: string
  readonly target: Its
}

/** References that are properties of the record itself and have one target, which is served. */
function singleReferences<Its extends Summable>(
  table: Summable,
  tables: readonly Its[],
): readonly SingleReference<Its>[] {
  return table.collection.references.flatMap(({ path, many, target: nsid }) => {
    const [property = '', ...further] = path
    const target = tables.find(({ collection }) => collection.nsid === nsid)
    const [base, key] = [columnAt(table, property, 'refBase'), columnAt(table, property, 'refKey')]
    const isOwn = !many && further.length === 0
    return isOwn && target !== undefined && base !== undefined && key !== undefined
      ? [{ property, target, base, key }]
      : []
  })
}

function measuredColumns(table: Summable): readonly string[] {
  return table.collection.type.fields.flatMap(({ property, type }) =>
    isSmall(type) ? (columnAt(table, property, 'integer') ?? []) : [],
  )
}

function columnAt({ columns }: Summable, property: string, kind: string): string | undefined {
  return columns.find((it) => it.kind === kind && it.path.length === 1 && it.path[0] === property)?.name
}

/** A sum of 32 bits at a time stays below 64 for as many records as there may be. */
function isSmall(type: FieldType): boolean {
  return type.kind === 'integer' && type.bits === 32 && type.values !== null && type.values < mostIntegers
}
