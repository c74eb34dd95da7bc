/**
 * The one order of an object's keys: shorter ones first, then by bytes, as DAG-CBOR and so every repository has it
 * (https://ipld.io/specs/codecs/dag-cbor/spec/#strictness). A record looks the same however it came here.
 */

/** The same JSON value with its keys in order; what is in order already is not copied. */
export function inKeyOrder<Value>(value: Value): Value {
  return isInOrder(value) ? value : reordered(value)
}

/** Looked at before anything is copied: an import of what has been exported has every key in its place. */
function isInOrder(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) if (!isInOrder(value[at])) return false
    return true
  }
  const members = value as Readonly<Record<string, unknown>>
  let last: string | null = null
  for (const key of Object.keys(members)) {
    if (last !== null && compareKeys(last, key) >= 0) return false
    if (!isInOrder(members[key])) return false
    last = key
  }
  return true
}

function reordered<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(reordered) as Value
  const members = value as Readonly<Record<string, unknown>>
  const copy: Record<string, unknown> = {}
  for (const key of orderedKeys(members)) {
    const member = reordered(members[key])
    // Of all names this one alone is no plain assignment.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: member, ...ordinary })
    else copy[key] = member
  }
  return copy as Value
}

const ordinary = { configurable: true, enumerable: true, writable: true }

/** Records of a collection have the same few sets of keys, so that each is sorted once. */
const known = new Map<string, readonly string[]>()
const mostKnown = 1_000
const longestKnown = 1_000

/** An object's own keys in order. */
export function orderedKeys(object: object): readonly string[] {
  const keys = Object.keys(object)
  const name = keys.join('\0')
  const found = known.get(name)
  // A key may have the character that joins them.
  if (found?.length === keys.length) return found
  keys.sort(compareKeys)
  if (known.size >= mostKnown) known.clear()
  if (name.length <= longestKnown && !keys.some((key) => key.includes('\0'))) known.set(name, keys)
  return keys
}

/** The same of an object whose keys were entered in order. */
export function keysInOrder(object: object): readonly string[] {
  const keys = Object.keys(object)
  const first = keys[0]?.charCodeAt(0) ?? 0
  // Those that are whole numbers come first, whenever they were entered.
  return first >= 0x30 && first <= 0x39 ? orderedKeys(object) : keys
}

const notAscii = /[^\0-\x7f]/

function compareKeys(a: string, b: string): number {
  if (notAscii.test(a) || notAscii.test(b))
    return Buffer.byteLength(a) - Buffer.byteLength(b) || Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}
