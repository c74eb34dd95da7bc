/** Compares materialized counts, sums and vocabularies with the records, by statements that every engine runs. */
import { utcBucket } from '../../sql/time-buckets.ts'
import { literal, quote, raw } from '../../sql/sql.ts'
import { countedValues, countKeys, type CountTable, dayLength } from '../layout/counts.ts'
import type { ReadDatabase } from '../database.ts'
import { ownSums, refersTo, sumColumns, type SumTable, summedValues } from '../layout/sums.ts'
import type { Table } from '../layout/tables.ts'
import { countWords, vocabularyName } from '../postgres/layout/vocabulary-ddl.ts'

/** Two queries with the same columns, named `v0` and so on, that must yield the same rows. */
interface Pair {
  readonly name: string
  readonly columns: number
  readonly stored: string
  readonly computed: string
}

export interface Damage {
  /** The URI of a record, a row by its id where it has no URI, or a table. */
  readonly name: string
  /** A sentence. */
  readonly problem: string
}

export function unreadable({ message }: Error): string {
  return `It cannot be read: ${message.replace(/\.$/, '')}.`
}

/** The tables of counts and sums that differ from the records, or cannot be compared. */
export async function differingCounts(
  read: ReadDatabase,
  tables: readonly Table[],
): Promise<readonly Damage[]> {
  const differing: Damage[] = []
  const pairs = [
    ...tables.flatMap((table) => table.counts.map((counts) => countsPair(read, table, counts))),
    ...(read.dialect.isSpread ? [] : tables.flatMap(ownSums).map((sums) => sumsPair(read, sums))),
    ...(read.dialect.engine === 'postgres' ? tables.flatMap(vocabularyPair) : []),
  ]
  // Batched, because each query to PostgreSQL takes a connection of its own.
  for (let start = 0; start < pairs.length; start += pairsAtOnce)
    differing.push(...(await differingOf(read, pairs.slice(start, start + pairsAtOnce))))
  return differing
}

async function differingOf(read: ReadDatabase, pairs: readonly Pair[]): Promise<Damage[]> {
  const found: Damage[] = []
  try {
    const text = pairs.map(differenceOf).join(' union all ')
    for await (const { name } of read.readRows({ text, values: [] }))
      found.push({ name: String(name), problem: 'Its counts or sums are not those of the records.' })
    return found
  } catch (error) {
    const [only, ...others] = pairs
    if (only !== undefined && others.length === 0)
      return [{ name: only.name, problem: unreadable(error as Error) }]
    const each: Damage[] = []
    for (const pair of pairs) each.push(...(await differingOf(read, [pair])))
    return each
  }
}

/** SQLite accepts 500 terms in a compound select. */
const pairsAtOnce = 50

/** Yields a row with the name if the queries differ. */
function differenceOf({ name, columns, stored, computed }: Pair): string {
  // Compared as text, because engines give numbers different types.
  const texts = Array.from({ length: columns }, (_, index) => `cast(v${index} as text) as t${index}`).join(
    ', ',
  )
  const [kept, met] = [`select ${texts} from (${stored}) kept`, `select ${texts} from (${computed}) met`]
  const differs = `select * from (${kept} except ${met}) a union all select * from (${met} except ${kept}) b`
  return `select ${literal(name).sql} as name where exists (${differs})`
}

function countsPair({ dialect }: ReadDatabase, table: Table, counts: CountTable): Pair {
  // In the form of groups by month.
  const told = (value: string): string =>
    counts.kind === 'month'
      ? dialect.bucketKey(raw(`(${value} * ${dayLength})`), utcBucket('month')).sql
      : value
  const stored = countKeys(counts).map((key) => told(dialect.countedValue(raw(key)).sql))
  const computed = countedValues(counts, quote).map(told)
  const names = computed.map((_, index) => `v${index}`).join(', ')
  return {
    name: counts.name,
    columns: computed.length + 1,
    stored: `select ${named([...stored, 'n'])} from ${quote(counts.name)}`,
    computed: `select ${names}, count(*) as v${computed.length}
      from (select ${named(computed)} from ${quote(table.name)}) each group by ${names}`,
  }
}

function vocabularyPair(table: Table): readonly Pair[] {
  if (table.words === null) return []
  const name = vocabularyName(table.words.name)
  const stored = `select word as v0, n as v1 from ${quote(name)}`
  const computed = `select word as v0, n as v1 from (${countWords(table.name)}) counted`
  return [{ name, columns: 2, stored, computed }]
}

function sumsPair({ dialect }: ReadDatabase, sums: SumTable): Pair {
  const columns = sumColumns(sums)
  const keys = [sums.second.base, sums.second.key].map((key) => `d.${quote(key)}`)
  const stored = ['base', 'rkey'].map((name) => dialect.countedValue(raw(name)).sql)
  return {
    name: sums.name,
    columns: columns.length + 2,
    stored: `select ${named([...stored, ...columns])} from ${quote(sums.name)}`,
    computed: `select ${named([...keys, ...summedValues(sums, quote)])} from ${quote(sums.of)} c
      left join ${quote(sums.between)} d on ${refersTo(sums, quote)} group by ${keys.join(', ')}`,
  }
}

function named(values: readonly string[]): string {
  return values.map((value, index) => `${value} as v${index}`).join(', ')
}
