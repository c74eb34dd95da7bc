/** Divides integers of any size. */

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
