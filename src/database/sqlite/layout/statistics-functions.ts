/**
 * SQL functions for statistics of integers. SQLite lists the integers of a group as text, because calling JavaScript for
 * each row takes longer; its own `median` and `percentile` round differences of large integers, and rank otherwise.
 */
import type { DatabaseSync } from 'node:sqlite'

const millionths = 1_000_000

export function defineStatistics(database: DatabaseSync): void {
  const pure = { deterministic: true, directOnly: true } as const
  database.function('median_of', pure, (list, unit) => {
    if (list === null) return null
    if (unit !== 1) return medianOfWide(String(list), BigInt(Number(unit)))
    const values = sortedIntegers(String(list))
    const { length } = values
    // The sum is rounded once, and halving it is exact.
    return ((values[(length - 1) >> 1] as number) + (values[length >> 1] as number)) / 2
  })
  database.function('percentiles_of', { ...pure, varargs: true }, (list, ...ranks) => {
    if (list === null) return null
    const values = sortedIntegers(String(list))
    return JSON.stringify(ranks.map((rank) => values[nearestRank(Number(rank), values.length) - 1]))
  })
  database.function('stddev_of', pure, (list) =>
    list === null ? null : standardDeviation(integers(String(list))),
  )
}

/** Of integers that may exceed 53 bits; the quotient is rounded once. */
function medianOfWide(list: string, unit: bigint): number {
  const values = BigInt64Array.from(list.split(','), BigInt).sort()
  const { length } = values
  return exactMean((values[(length - 1) >> 1] as bigint) + (values[length >> 1] as bigint), 2n * unit)
}

/** `rank` is in millionths. Positions count from 1. */
function nearestRank(rank: number, count: number): number {
  return Math.max(1, Number((BigInt(rank) * BigInt(count) + BigInt(millionths - 1)) / BigInt(millionths)))
}

function integers(list: string): number[] {
  return JSON.parse(`[${list}]`)
}

function sortedIntegers(list: string): Float64Array {
  return Float64Array.from(integers(list)).sort()
}

/** Up to this absolute value, so many squares have an exact sum. */
const small = 2 ** 20
const exactSquares = 2 ** 12

function standardDeviation(values: readonly number[]): number | null {
  const count = BigInt(values.length)
  if (count < 2n) return null
  let [sum, squares] = [0n, 0n]
  for (let start = 0; start < values.length; start += exactSquares) {
    let [smallSum, smallSquares] = [0, 0]
    for (const value of values.slice(start, start + exactSquares)) {
      if (Math.abs(value) <= small) {
        smallSum += value
        smallSquares += value * value
      } else {
        sum += BigInt(value)
        squares += BigInt(value) ** 2n
      }
    }
    sum += BigInt(smallSum)
    squares += BigInt(smallSquares)
  }
  return Math.sqrt(exactMean(count * squares - sum * sum, count * (count - 1n)))
}

/** Bits of a quotient that decide its rounding: the 53 of a double, one guard bit, and one sticky bit for the rest. */
const decisiveBits = 55

/** `sum / count`, rounded once, half to even, as in all arithmetic of doubles. `count` is positive. */
export function exactMean(sum: bigint, count: bigint): number {
  const size = sum < 0n ? -sum : sum
  const shift = Math.max(0, decisiveBits + bitLength(count) - bitLength(size))
  const scaled = size << BigInt(shift)
  const quotient = scaled / count
  // The sticky bit records a remainder: it tells a half from more than a half.
  const decisive = quotient * count === scaled ? quotient : quotient | 1n
  const mean = Number(decisive) / 2 ** shift
  return sum < 0n ? -mean : mean
}

function bitLength(value: bigint): number {
  return value.toString(2).length
}
