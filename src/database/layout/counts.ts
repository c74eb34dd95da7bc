/**
 * Which values of a collection's records are counted, and how rows are told by them, whatever the engine. Counts
 * change in the transaction that changes the records, so that they are as exact as counting.
 */

/**
 * How many of a collection's records have each value; values that none has are not there. Only rows of the
 * collection's own table count, whether they may be seen or not; those that are parked do not.
 */
export interface CountTable {
  readonly name: string
  /**
   * `total`: all records. `value`: a column. `reference`: the two columns of a URI. `day`: an instant's day in UTC.
   * `month`: its month in UTC, by the first day of that; the days' counts, added up.
   */
  readonly kind: 'total' | 'value' | 'reference' | 'day' | 'month'
  /** Names of what is counted by: none, one, or two columns; `base` and `indexed_at` of every table too. */
  readonly columns: readonly string[]
}

/** Microseconds. */
export const dayLength = 86_400_000_000n

/** Integers of so many values or more are computed when they are asked for. */
export const mostIntegers = 10_000

/** Formats of strings whose values are of a list; of others nearly every record may have its own. */
const listedFormats: readonly (string | null)[] = [null, 'language']

export function isListed(format: string | null): boolean {
  return listedFormats.includes(format)
}

/** Columns of a count table that tell its rows apart; `n` is beside them. */
export function countKeys({ kind }: CountTable): readonly string[] {
  switch (kind) {
    case 'total':
      return ['one']
    case 'reference':
      return ['base', 'rkey']
    case 'value':
    case 'day':
    case 'month':
      return ['value']
  }
}

/**
 * What a row of the collection's table counts for, one for each key, as SQL that every engine understands. For a
 * month it is the day still, of which each engine tells the month in its own way.
 */
export function countedValues({ kind, columns }: CountTable, column: (name: string) => string): string[] {
  switch (kind) {
    case 'total':
      return ['1']
    case 'day':
    case 'month':
      return columns.map((name) => {
        const [micros, day] = [column(name), String(dayLength)]
        // Division rounds toward zero, which before 1970 is the wrong way.
        return `((${micros} - ((${micros} % ${day} + ${day}) % ${day})) / ${day})`
      })
    case 'value':
    case 'reference':
      return columns.map(column)
  }
}

/** The same of one instant. */
export function dayOf(micros: bigint): bigint {
  const day = micros / dayLength
  return micros % dayLength < 0n ? day - 1n : day
}

/** The first day of an instant's month. */
export function monthOf(micros: bigint): bigint {
  const date = new Date(Number(dayOf(micros) * (dayLength / 1_000n)))
  return BigInt(date.setUTCDate(1)) / (dayLength / 1_000n)
}

/** The counts by day that those by month are added up from. */
export function daysOf(counts: readonly CountTable[], { columns }: CountTable): CountTable {
  const days = counts.find(({ kind, columns: [name] }) => kind === 'day' && name === columns[0])
  if (days === undefined) throw new Error('Months are added up from days.')
  return days
}
