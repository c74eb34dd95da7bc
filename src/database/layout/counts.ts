/**
 * Defines, for every engine, which values of a collection's records have materialized counts, and the keys of the
 * counts. Counts change in the transaction that changes the records, so they are exact.
 */

/** The number of a collection's records per value, without zeros: of rows of its own table, visible or not. */
export interface CountTable {
  readonly name: string
  /**
   * `total`: all records. `value`: a column. `reference`: the two columns of a URI. `day`: the UTC day of an instant.
   * `month`: the UTC month of an instant, as its first day; the sums of the counts by day.
   */
  readonly kind: 'total' | 'value' | 'reference' | 'day' | 'month'
  /** The counted columns: none, one, or two; `base` and `indexed_at` are counted for every table. */
  readonly columns: readonly string[]
}

/** Microseconds. */
export const dayLength = 86_400_000_000n

/** Integers with this many possible values or more are counted on request. */
export const mostIntegers = 10_000

const keys: Readonly<Record<CountTable['kind'], readonly string[]>> = {
  total: ['one'],
  value: ['value'],
  reference: ['base', 'rkey'],
  day: ['value'],
  month: ['value'],
}

/** The key columns of a count table; the other column is `n`. */
export function countKeys({ kind }: CountTable): readonly string[] {
  return keys[kind]
}

/** The key of a row, as SQL for every engine; for months it is the day, which each engine converts in its own way. */
export function countedValues({ kind, columns }: CountTable, column: (name: string) => string): string[] {
  switch (kind) {
    case 'total':
      return ['1']
    case 'day':
    case 'month':
      return columns.map((name) => {
        const [micros, day] = [column(name), String(dayLength)]
        // SQL division rounds toward zero, which is wrong before 1970.
        return `((${micros} - ((${micros} % ${day} + ${day}) % ${day})) / ${day})`
      })
    case 'value':
    case 'reference':
      return columns.map(column)
  }
}

/** Before it is shortened, the name of the index over the counts of references: there are many, and queries ask for the highest. */
export function rankingIndex({ name }: CountTable): string {
  return `${name}/n`
}

/** The UTC day of an instant, in days since 1970. */
export function dayOf(micros: bigint): bigint {
  const day = micros / dayLength
  return micros % dayLength < 0n ? day - 1n : day
}

/** The first day of an instant's UTC month, in days since 1970. */
export function monthOf(micros: bigint): bigint {
  const date = new Date(Number(dayOf(micros) * (dayLength / 1_000n)))
  return BigInt(date.setUTCDate(1)) / (dayLength / 1_000n)
}

/** The counts by day that the counts by month are summed from. */
export function daysOf(counts: readonly CountTable[], { columns }: CountTable): CountTable {
  const days = counts.find(({ kind, columns: [name] }) => kind === 'day' && name === columns[0])
  if (days === undefined) throw new Error('Months are added up from days.')
  return days
}
