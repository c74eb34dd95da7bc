/**
 * The fast checks of every record: `scanJson` finds faults of its JSON that no lexicon allows, and a `QuickCheck`, which
 * is compiled once per collection, recognizes valid records of the common types. It never refuses a record: unknown
 * types and all faults are left to the official validator and to `record-shape.ts`, whose messages publishers read.
 */
import type { LexArray, LexBoolean, LexInteger, LexObject, LexString } from '@atproto/lexicon'
import {
  isAtUriString,
  isValidDid,
  isValidHandle,
  isValidNsid,
  isValidTid,
  isValidUri,
} from '@atproto/syntax'
import { parseRecordInstant } from '../../util/instant.ts'
import { type DocumentSet, findDef, type FoundDef, type LexType, resolveRef } from '../document.ts'

/** True: the official validator and the shape check accept the value. For JSON without links, bytes and blobs. */
export type QuickCheck = (value: unknown) => boolean

const unsure: QuickCheck = () => false

export function createQuickCheck(lexicons: DocumentSet, nsid: string): QuickCheck {
  const objects = new Map<string, QuickCheck>()
  return ofDef(findDef(lexicons, nsid))

  function ofDef(found: FoundDef | null): QuickCheck {
    if (found === null) return unsure
    const { document, def, origin } = found
    if (def.type !== 'record' && def.type !== 'object') return ofType(document.id, def)
    const known = objects.get(origin)
    if (known !== undefined) return known
    // Registered before its properties are built, so that a type may be recursive.
    let built = unsure
    objects.set(origin, (value) => built(value))
    built = ofObject(document.id, def.type === 'record' ? def.record : def)
    return built
  }

  function ofType(id: string, type: LexType): QuickCheck {
    if (type.type === 'string') return ofString(type)
    if (type.type === 'integer') return ofInteger(type)
    if (type.type === 'boolean') return ofBoolean(type)
    if (type.type === 'array') return ofArray(id, type)
    return type.type === 'ref' ? ofDef(resolveRef(lexicons, id, type.ref)) : unsure
  }

  function ofArray(id: string, { items, minLength = 0, maxLength = Infinity }: LexArray): QuickCheck {
    const check = ofType(id, items)
    return (value) => {
      if (!Array.isArray(value) || value.length < minLength || value.length > maxLength) return false
      for (let at = 0; at < value.length; at++) if (!check(value[at])) return false
      return true
    }
  }

  function ofObject(id: string, { properties, required = [], nullable = [] }: LexObject): QuickCheck {
    const members = Object.entries(properties ?? {}).map(([name, type]) => ({
      name,
      check: ofType(id, type),
      isRequired: required.includes(name),
      isNullable: nullable.includes(name),
    }))
    return (value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
      for (let at = 0; at < members.length; at++) {
        const { name, check, isRequired, isNullable } = members[at] as (typeof members)[number]
        const member = (value as Readonly<Record<string, unknown>>)[name]
        if (member === undefined) {
          if (isRequired) return false
        } else if (!(member === null && isNullable) && !check(member)) return false
      }
      return true
    }
  }
}

function ofString(type: LexString): QuickCheck {
  const { minLength, maxLength, minGraphemes, maxGraphemes, format } = type
  const isFormat = format === undefined ? () => true : formats.get(format)
  // Without segmentation, graphemes are bounded only by: at least 1 if not empty, at most the number of UTF-16 units.
  if (isFormat === undefined || (minGraphemes ?? 0) > 1) return unsure
  const allowed = type.enum
  return (value) => {
    if (typeof value !== 'string') return false
    if (type.const !== undefined && value !== type.const) return false
    if (allowed !== undefined && !allowed.includes(value)) return false
    const { length } = value
    // UTF-8 takes one to three bytes per UTF-16 unit.
    if (length < Math.max(minLength ?? 0, minGraphemes ?? 0)) return false
    if (maxLength !== undefined && length * 3 > maxLength && Buffer.byteLength(value) > maxLength)
      return false
    if (maxGraphemes !== undefined && length > maxGraphemes) return false
    return isFormat(value)
  }
}

function ofInteger({ const: only, enum: allowed, minimum, maximum }: LexInteger): QuickCheck {
  return (value) =>
    typeof value === 'number' &&
    Number.isSafeInteger(value) &&
    (only === undefined || value === only) &&
    (allowed === undefined || allowed.includes(value)) &&
    value >= (minimum ?? -Infinity) &&
    value <= (maximum ?? Infinity)
}

function ofBoolean({ const: only }: LexBoolean): QuickCheck {
  return (value) => typeof value === 'boolean' && (only === undefined || value === only)
}

const commonDatetime = /^[12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/
const commonLanguage = /^[a-z]{2,3}(?:-[A-Z]{2})?$/
/** A record's CID: version 1, dag-cbor, 32 bytes of SHA-256; the unused bits of the last character are zero. */
const commonCid = /^bafyrei[a-h][a-z2-7]{50}[aeimquy4]$/

/** Sufficient conditions for each format. */
const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['datetime', (text) => commonDatetime.test(text) && parseRecordInstant(text) !== null],
  ['uri', isValidUri],
  ['at-uri', (text) => isAtUriString(text)],
  ['did', isValidDid],
  ['handle', isValidHandle],
  ['nsid', isValidNsid],
  ['tid', isValidTid],
  ['language', (text) => commonLanguage.test(text)],
  ['cid', (text) => commonCid.test(text)],
])

/** Maximum nesting of a line, including its own braces; real lines have about ten levels. */
const maxDepth = 128

/** Scans JSON before recursive code reads it. `special`: whether some object may represent a link, bytes or a blob. */
export function scanJson(value: unknown) {
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
  readonly reason: 'malformed' | 'bad-text' | 'integer-out-of-range' | 'invalid-record'
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

function fault(reason: Found['reason'], what: string): Found {
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
