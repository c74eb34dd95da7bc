/** The time in a TID, which every revision is (https://atproto.com/specs/tid). */

/** Seconds that other clocks may be ahead of ours, unless a setting says otherwise. */
export const defaultMaxClockSkew = 300

/** The latest moment, in microseconds, that another clock may tell by now. `maxClockSkew`: seconds. */
export function latestMoment(now: bigint, maxClockSkew = defaultMaxClockSkew): bigint {
  return now + BigInt(maxClockSkew) * 1_000_000n
}

const digits = '234567abcdefghijklmnopqrstuvwxyz'

/** Microseconds since 1970; the last ten bits of a TID tell clocks apart. */
export function timeOfTid(tid: string): bigint {
  let bits = 0n
  for (const digit of tid) bits = bits * 32n + BigInt(digits.indexOf(digit))
  return bits >> 10n
}

/** The smallest TID of a moment: TIDs compare like their times. */
export function firstTidOf(micros: bigint): string {
  let text = ''
  for (let bits = micros << 10n; text.length < 13; bits >>= 5n) text = digits[Number(bits & 31n)] + text
  return text
}
