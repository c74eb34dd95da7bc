/** The mean of integers of any size, as the double that is nearest to it. */

/** Bits of a quotient that decide how it is rounded: those of a double, one more, and one for all that follow. */
const decisiveBits = 55

/** `sum / count`, rounded once: half to even, as all arithmetic of doubles. `count` is positive. */
export function exactMean(sum: bigint, count: bigint): number {
  const size = sum < 0n ? -sum : sum
  const shift = Math.max(0, decisiveBits + bitLength(count) - bitLength(size))
  const scaled = size << BigInt(shift)
  const quotient = scaled / count
  // What is cut off matters only by being there: it tells a half from more than a half.
  const decisive = quotient * count === scaled ? quotient : quotient | 1n
  const mean = Number(decisive) / 2 ** shift
  return sum < 0n ? -mean : mean
}

function bitLength(value: bigint): number {
  return value.toString(2).length
}
