/**
 * Defines, for every engine, the materialized sums of a collection's records, grouped by a URI two references away,
 * such as the outlet of the article that an enrichment is about. Sums change in the transaction that changes records on
 * either side, so they are exact.
 */
import type { Collection, FieldType } from '../../schema/model/model.ts'
import { type Column, findColumn, findReference } from './columns.ts'
import { mostIntegers } from './counts.ts'

/** The parts of a table that sums depend on. */
interface Summable {
  readonly name: string
  readonly collection: Collection
  readonly columns: readonly Column[]
}

/**
 * For each URI that records of `between` refer to: the number of records of `of` that lead there and, per measured
 * column, how many of them have a value and the sum. Records whose reference leads nowhere, or to a record without the
 * second reference, are under the missing URI. Quarantined rows do not count on either side.
 */
export interface SumTable {
  readonly name: string
  /** Names of the table whose records are summed, and of the table in between; always different. */
  readonly of: string
  readonly between: string
  /** The columns of the reference from `of` to `between`, and of the reference from there. */
  readonly first: UriColumns
  readonly second: UriColumns
  /** Integers with so few possible values that no sum overflows. */
  readonly measured: readonly string[]
}

interface UriColumns {
  readonly base: string
  readonly key: string
}

/** Columns of a table of sums besides its keys: `n`, then per measured column the number of values and the sum. */
export function sumColumns({ measured }: Pick<SumTable, 'measured'>): readonly string[] {
  return ['n', ...measured.flatMap((_, index) => [haveColumn(index), sumColumn(index)])]
}

/** The column for the number of values of the measured column at that index. */
export function haveColumn(index: number): string {
  return `n${index}`
}

export function sumColumn(index: number): string {
  return `s${index}`
}

/** The aggregates in the order of `sumColumns`, as SQL that every engine understands; `c` is an alias of `of`. */
export function summedValues({ measured }: SumTable, quote: (name: string) => string): readonly string[] {
  return [
    'count(*)',
    ...measured.flatMap((name) => [`count(c.${quote(name)})`, `coalesce(sum(c.${quote(name)}), 0)`]),
  ]
}

/** The join condition between the row `c` of `of` and the row `d` of `between`. */
export function refersTo({ first }: SumTable, quote: (name: string) => string): string {
  return `d.base = c.${quote(first.base)} and d.rkey = c.${quote(first.key)}`
}

/** The sums of a table's own records; its rows change other sums too. */
export function ownSums(table: { readonly name: string; readonly sums: readonly SumTable[] }) {
  return table.sums.filter(({ of }) => of === table.name)
}

/** Follows references with one target, never back on the path. `nameOf`: a name that is unique within the table. */
export function buildSums(
  tables: readonly Summable[],
  nameOf: (table: Summable, what: string) => string,
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

/** References that are properties of the record itself and have one target, which is served. */
function singleReferences(table: Summable, tables: readonly Summable[]) {
  return table.collection.references.flatMap(({ path, many, target: nsid }) => {
    const [property = '', ...further] = path
    const target = tables.find(({ collection }) => collection.nsid === nsid)
    const uri = findReference(table, [property])
    const isOwn = !many && further.length === 0
    return isOwn && target !== undefined && uri !== undefined
      ? [{ property, target, base: uri.base.name, key: uri.key.name }]
      : []
  })
}

function measuredColumns(table: Summable): readonly string[] {
  return table.collection.type.fields.flatMap(({ property, type }) =>
    isSmall(type) ? (findColumn(table, [property], 'integer')?.name ?? []) : [],
  )
}

/** A sum of 32-bit integers fits into 64 bits for any possible number of records. */
function isSmall(type: FieldType): boolean {
  return type.kind === 'integer' && type.bits === 32 && type.values !== null && type.values < mostIntegers
}
