/**
 * Recognizes valid records of the common types, with checks compiled once per collection. It never refuses a record:
 * unknown types and all faults are left to the official validator and to `record-shape.ts`, whose messages publishers
 * read.
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

export function createQuickCheck(lexicons: DocumentSet, nsid: string): QuickCheck {
  return new QuickChecks(lexicons).ofDef(findDef(lexicons, nsid))
}

const unsure: QuickCheck = () => false

class QuickChecks {
  readonly #lexicons: DocumentSet
  readonly #objects = new Map<string, QuickCheck>()

  constructor(lexicons: DocumentSet) {
    this.#lexicons = lexicons
  }

  ofDef(found: FoundDef | null): QuickCheck {
    if (found === null) return unsure
    const { document, def, origin } = found
    if (def.type !== 'record' && def.type !== 'object') return this.#ofType(document.id, def)
    const known = this.#objects.get(origin)
    if (known !== undefined) return known
    // Registered before its properties are built, so that a type may be recursive.
    let built = unsure
    this.#objects.set(origin, (value) => built(value))
    built = this.#ofObject(document.id, def.type === 'record' ? def.record : def)
    return built
  }

  #ofType(id: string, type: LexType): QuickCheck {
    switch (type.type) {
      case 'string':
        return ofString(type)
      case 'integer':
        return ofInteger(type)
      case 'boolean':
        return ofBoolean(type)
      case 'array':
        return this.#ofArray(id, type)
      case 'ref':
        return this.ofDef(resolveRef(this.#lexicons, id, type.ref))
      default:
        return unsure
    }
  }

  #ofArray(id: string, { items, minLength = 0, maxLength = Infinity }: LexArray): QuickCheck {
    const check = this.#ofType(id, items)
    return (value) => {
      if (!Array.isArray(value) || value.length < minLength || value.length > maxLength) return false
      for (let at = 0; at < value.length; at++) if (!check(value[at])) return false
      return true
    }
  }

  #ofObject(id: string, { properties, required = [], nullable = [] }: LexObject): QuickCheck {
    const members = Object.entries(properties ?? {}).map(([name, type]) => ({
      name,
      check: this.#ofType(id, type),
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
