/** Converts between TIDs and times; every revision is a TID (https://atproto.com/specs/tid). */

/** Seconds that other clocks may be ahead of ours. */
export const defaultMaxClockSkew = 300

/** The latest time, in microseconds, accepted from another clock. `maxClockSkew`: seconds. */
export function latestMoment(now: bigint, maxClockSkew = defaultMaxClockSkew): bigint {
  return now + BigInt(maxClockSkew) * 1_000_000n
}

const digits = '234567abcdefghijklmnopqrstuvwxyz'

/** Microseconds since 1970; the last ten bits of a TID are a clock identifier. */
export function timeOfTid(tid: string): bigint {
  let bits = 0n
  for (const digit of tid) bits = bits * 32n + BigInt(digits.indexOf(digit))
  return bits >> 10n
}

/** The smallest TID of a time: TIDs sort like their times. */
export function firstTidOf(micros: bigint): string {
  let text = ''
  for (let bits = micros << 10n; text.length < 13; bits >>= 5n) text = digits[Number(bits & 31n)] + text
  return text
}
