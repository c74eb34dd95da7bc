/**
 * Instants, which are microseconds since 1970 as bigint: their conversion from RFC 3339 text and from TIDs and back, and
 * a clock that never repeats one. Hand-written, because it runs on every datetime of an import and `Date` has only
 * milliseconds.
 */

/** Parses an RFC 3339 datetime, or a date `YYYY-MM-DD` as midnight UTC; null when there is no such instant. */
export function parseInstant(text: string): bigint | null {
  if (text.length !== 10) return parseRecordInstant(text)
  const days = parseDays(text)
  return Number.isNaN(days) ? null : BigInt(days * 86_400) * 1_000_000n
}

/** Parses an RFC 3339 datetime but not a bare date, as a lexicon's format `datetime` requires. */
export function parseRecordInstant(text: string): bigint | null {
  const days = parseDays(text)
  if (Number.isNaN(days)) return null
  // RFC 3339 allows lower case: `t` and `z` differ from `T` and `Z` only in this bit.
  if ((text.charCodeAt(10) & ~0x20) !== 0x54) return null
  const hour = twoDigits(text, 11)
  const minute = twoDigits(text, 14)
  const second = twoDigits(text, 17)
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return null
  if (text.charCodeAt(13) !== colon || text.charCodeAt(16) !== colon) return null

  let at = 19
  let micros = 0
  if (text.charCodeAt(at) === 0x2e) {
    let scale = 100_000
    let code = text.charCodeAt(++at)
    if (!isDigit(code)) return null
    for (; isDigit(code); code = text.charCodeAt(++at)) {
      micros += (code - zero) * scale
      // Digits below microseconds are truncated.
      scale = scale === 1 ? 0 : scale / 10
    }
  }

  const offset = parseOffset(text, at)
  if (Number.isNaN(offset)) return null
  const seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
  if (seconds < firstSecond || seconds > lastSecond) return null
  const total = seconds * 1_000_000 + micros
  return Number.isSafeInteger(total) ? BigInt(total) : BigInt(seconds) * 1_000_000n + BigInt(micros)
}

/** Whether a text has the form of RFC 3339; its numbers may still be out of range. */
export function isInstantForm(text: string): boolean {
  return /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/.test(text)
}

/** Such as `2026-11-16T13:00:00.000Z`; six decimal places only when microseconds are not a multiple of 1,000. */
export function formatInstant(micros: bigint): string {
  const within = ((micros % 1_000n) + 1_000n) % 1_000n
  const text = new Date(Number((micros - within) / 1_000n)).toISOString()
  return within === 0n ? text : `${text.slice(0, -1)}${String(within).padStart(3, '0')}Z`
}

/** Null for an event that has not happened. */
export function instantText(instant: bigint | null): string | null {
  return instant === null ? null : formatInstant(instant)
}

/** By the clock of this machine. */
export function now(): bigint {
  return BigInt(Date.now()) * 1_000n
}

/** Seconds that other clocks may be ahead of ours. */
export const defaultMaxClockSkew = 300

/** The latest time, in microseconds, accepted from another clock. `maxClockSkew`: seconds. */
export function latestMoment(now: bigint, maxClockSkew = defaultMaxClockSkew): bigint {
  return now + BigInt(maxClockSkew) * 1_000_000n
}

/** The time of a TID, as every revision is one (https://atproto.com/specs/tid); its last ten bits are a clock identifier. */
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

/** Microseconds that the clock of another process may be ahead. */
const clockTolerance = 1_000_000n

/** Strictly increasing, so that records keep their order of arrival, even if other clocks are slightly ahead. */
export class MonotonicClock {
  readonly #now: () => bigint
  #last = 0n
  #stored = 0n

  constructor(now: () => bigint) {
    this.#now = now
  }

  next(): bigint {
    const now = this.#now()
    // A time that is further ahead is of a clock that was wrong, which may have been this one.
    const known = [this.#last, this.#stored].filter((time) => time - now < clockTolerance)
    const last = known.reduce((one, other) => (one > other ? one : other), 0n)
    this.#last = now > last ? now : last + 1n
    return this.#last
  }

  /** `stored`: the time of the last stored record in the database. */
  follow(stored: bigint): void {
    this.#stored = stored
  }

  /** Later times in the database are ignored. */
  get horizon(): bigint {
    return this.#now() + clockTolerance
  }
}

const digits = '234567abcdefghijklmnopqrstuvwxyz'
const zero = 0x30
const colon = 0x3a
const hyphen = 0x2d
/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z. */
const firstSecond = -62_135_596_800
const lastSecond = 253_402_300_799
const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

/** Days since 1970 of the `YYYY-MM-DD` at the start of the text, or NaN. */
function parseDays(text: string): number {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2)
  const month = twoDigits(text, 5)
  const day = twoDigits(text, 8)
  if (text.charCodeAt(4) !== hyphen || text.charCodeAt(7) !== hyphen) return NaN
  if (!(year >= 1 && month >= 1 && month <= 12 && day >= 1)) return NaN
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  if (day > (month === 2 && leap ? 29 : daysInMonth[month - 1]!)) return NaN
  // Years are counted from March, so that the leap day comes last.
  const shifted = month > 2 ? month - 3 : month + 9
  const y = month > 2 ? year : year - 1
  const century = Math.floor(y / 100)
  return (
    y * 365 +
    Math.floor(y / 4) -
    century +
    Math.floor(century / 4) +
    Math.floor((shifted * 153 + 2) / 5) +
    day -
    719_469
  )
}

/** The offset from UTC in seconds; NaN unless the rest of the text is an offset. */
function parseOffset(text: string, at: number): number {
  const sign = text.charCodeAt(at)
  if ((sign & ~0x20) === 0x5a) return text.length === at + 1 ? 0 : NaN
  if ((sign !== 0x2b && sign !== hyphen) || text.length !== at + 6 || text.charCodeAt(at + 3) !== colon)
    return NaN
  const hours = twoDigits(text, at + 1)
  const minutes = twoDigits(text, at + 4)
  if (!(hours <= 23 && minutes <= 59)) return NaN
  const seconds = hours * 3_600 + minutes * 60
  return sign === hyphen ? -seconds : seconds
}

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at)
  const ones = text.charCodeAt(at + 1)
  return isDigit(tens) && isDigit(ones) ? (tens - zero) * 10 + ones - zero : NaN
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}
