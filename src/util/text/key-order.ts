/**
 * Owns the order of an object's keys: shorter keys first, then by bytes, as in DAG-CBOR and so in every repository
 * (https://ipld.io/specs/codecs/dag-cbor/spec/#strictness). A record has the same text whatever its source.
 */

/** Returns the JSON value with its keys in order; copies it only if they are not in order already. */
export function inKeyOrder<Value>(value: Value): Value {
  return isInOrder(value) ? value : reordered(value)
}

/** Saves the copy in the common case: exported records have their keys in order. */
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
    // An assignment to `__proto__` would set the prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: member, ...ordinary })
    else copy[key] = member
  }
  return copy as Value
}

const ordinary = { configurable: true, enumerable: true, writable: true }

/** Records of a collection share a few sets of keys; each set is sorted once. */
const known = new Map<string, readonly string[]>()
const mostKnown = 1_000
const longestKnown = 1_000

/** An object's own keys in order. */
export function orderedKeys(object: object): readonly string[] {
  const keys = Object.keys(object)
  const name = keys.join('\0')
  const found = known.get(name)
  // A key may contain the joining character NUL.
  if (found?.length === keys.length) return found
  keys.sort(compareKeys)
  if (known.size >= mostKnown) known.clear()
  if (name.length <= longestKnown && !keys.some((key) => key.includes('\0'))) known.set(name, keys)
  return keys
}

/** The keys in order of an object whose keys were inserted in order. */
export function keysInOrder(object: object): readonly string[] {
  const keys = Object.keys(object)
  const first = keys[0]?.charCodeAt(0) ?? 0
  // JavaScript lists integer keys first, whatever the order of insertion.
  return first >= 0x30 && first <= 0x39 ? orderedKeys(object) : keys
}

const notAscii = /[^\0-\x7f]/

function compareKeys(a: string, b: string): number {
  if (notAscii.test(a) || notAscii.test(b))
    return Buffer.byteLength(a) - Buffer.byteLength(b) || Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}
