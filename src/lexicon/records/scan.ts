/** Scans a record's JSON for faults that no lexicon allows, before other recursive code reads it. */

/** Maximum nesting of a line, including its own braces; real lines have about ten levels. */
export const maxDepth = 128

export interface ScanFault {
  readonly reason: 'malformed' | 'bad-text' | 'integer-out-of-range' | 'invalid-record'
  readonly message: string
}

export interface Scan {
  readonly fault: ScanFault | null
  /** Whether some object may represent a link, bytes or a blob. */
  readonly special: boolean
}

export function scanJson(value: unknown): Scan {
  const seen = { special: false }
  // The line around the value is the first level.
  const found = scanValue(value, 1, seen)
  if (found === null) return { fault: null, special: seen.special }
  const path = ['Record', ...found.path.toReversed()].slice(0, 10).join('/')
  return { fault: { reason: found.reason, message: `${path} ${found.what}.` }, special: seen.special }
}

/** Whether a text contains NUL, which databases do not store, or a lone surrogate, which UTF-8 cannot encode. */
export function isBadText(text: string): boolean {
  return !text.isWellFormed() || text.includes('\0')
}

/** `path` is built from the inside out, so that it costs nothing unless there is a fault. */
interface Found {
  readonly reason: ScanFault['reason']
  readonly what: string
  readonly path: string[]
}

function scanValue(value: unknown, depth: number, seen: { special: boolean }): Found | null {
  switch (typeof value) {
    case 'string':
      return isBadText(value) ? fault('bad-text', 'has a NUL or a lone surrogate in its text') : null
    case 'number':
      return Number.isSafeInteger(value) ? null : fault('integer-out-of-range', wrongNumber(value))
    case 'boolean':
      return null
    case 'object':
      if (value === null) return null
      if (depth >= maxDepth) return fault('malformed', `is nested too deeply: ${maxDepth} levels are allowed`)
      return Array.isArray(value) ? scanArray(value, depth, seen) : scanObject(value, depth, seen)
    default:
      return fault('malformed', `is a ${typeof value}, which JSON does not have`)
  }
}

function scanArray(array: readonly unknown[], depth: number, seen: { special: boolean }): Found | null {
  for (let at = 0; at < array.length; at++) {
    const wrong = scanValue(array[at], depth + 1, seen)
    if (wrong !== null) return within(wrong, String(at))
  }
  return null
}

function scanObject(object: object, depth: number, seen: { special: boolean }): Found | null {
  for (const key of Object.keys(object)) {
    if (isBadText(key))
      return within(fault('bad-text', 'has a NUL or a lone surrogate in its name'), JSON.stringify(key))
    if (key === '__proto__')
      return within(fault('invalid-record', 'is a name that the official libraries refuse'), key)
    if (key === '$link' || key === '$bytes' || key === 'mimeType') seen.special = true
    const wrong = scanValue((object as Record<string, unknown>)[key], depth + 1, seen)
    if (wrong !== null) return within(wrong, key)
  }
  return null
}

function fault(reason: ScanFault['reason'], what: string): Found {
  return { reason, what, path: [] }
}

function within(found: Found, key: string): Found {
  found.path.push(key)
  return found
}

function wrongNumber(value: number): string {
  return Number.isInteger(value)
    ? `is beyond ±(2^53-1), which not every reader of JSON can hold`
    : `is ${value}, and records have no numbers but integers`
}
