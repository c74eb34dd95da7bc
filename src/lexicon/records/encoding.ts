/**
 * The encodings of records, written by hand for speed: plain JSON values as DAG-CBOR, with its order of keys, and CIDs as
 * text. It imports no library of the AT Protocol, so that a query worker loads none.
 */

let keysOf = orderedKeys
let memory = Buffer.allocUnsafe(64 * 1024)
let end = 0

/**
 * Encodes a plain JSON value as DAG-CBOR (https://ipld.io/specs/codecs/dag-cbor/spec/) in one pass, into a buffer that
 * is reused for the next record; mostly to hash every record of an import. The result is valid until the next call; null
 * when the value is not plain JSON: links, bytes and all else that JSON does not have are left to the official library.
 * `isInOrder`: the value comes from `inKeyOrder`.
 */
export function encodePlain(value: unknown, isInOrder = false): Uint8Array | null {
  end = 0
  keysOf = isInOrder ? keysInOrder : orderedKeys
  return write(value) ? memory.subarray(0, end) : null
}

const unsignedInteger = 0x00
const negativeInteger = 0x20
const text = 0x60
const list = 0x80
const map = 0xa0

/** False when the value cannot be encoded. */
function write(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
      writeText(value)
      return true
    case 'number':
      if (!Number.isSafeInteger(value)) return false
      if (value < 0) writeHead(negativeInteger, -1 - value)
      else writeHead(unsignedInteger, value)
      return true
    case 'boolean':
      writeByte(value ? 0xf5 : 0xf4)
      return true
    case 'object':
      if (value === null) {
        writeByte(0xf6)
        return true
      }
      return Array.isArray(value) ? writeList(value) : writeMap(value)
    default:
      return false
  }
}

function writeList(values: readonly unknown[]): boolean {
  writeHead(list, values.length)
  for (let at = 0; at < values.length; at++) if (!write(values[at])) return false
  return true
}

function writeMap(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object)
  if (prototype !== Object.prototype && prototype !== null) return false
  const members = object as Readonly<Record<string, unknown>>
  // The official library takes some objects with these keys for CIDs.
  if (members['/'] !== undefined || members['multihash'] !== undefined) return false
  const keys = keysOf(object)
  writeHead(map, keys.length)
  for (const key of keys) {
    writeText(key)
    if (!write(members[key])) return false
  }
  return true
}

function writeText(value: string): void {
  const { length } = value
  // UTF-8 takes at most three bytes per UTF-16 unit.
  reserve(length * 3 + 9)
  const start = end
  const guessed = headLength(length)
  const size = memory.write(value, start + guessed)
  const needed = headLength(size)
  if (needed !== guessed) memory.copyWithin(start + needed, start + guessed, start + guessed + size)
  writeHead(text, size)
  end += size
}

function headLength(count: number): number {
  return count < 24 ? 1 : count < 0x100 ? 2 : count < 0x1_0000 ? 3 : count <= 0xffff_ffff ? 5 : 9
}

function writeHead(type: number, count: number): void {
  reserve(9)
  const size = headLength(count) - 1
  // A count below 24 is in the first byte; otherwise that has the logarithm of the bytes of the count.
  memory[end] = type | (size === 0 ? count : 24 + Math.log2(size))
  end += 1
  if (size === 8) end = memory.writeBigUInt64BE(BigInt(count), end)
  else if (size > 0) end = memory.writeUIntBE(count, end, size)
}

function writeByte(byte: number): void {
  reserve(1)
  memory[end] = byte
  end += 1
}

function reserve(bytes: number): void {
  if (end + bytes <= memory.length) return
  const larger = Buffer.allocUnsafe(Math.max(memory.length * 2, end + bytes))
  memory.copy(larger, 0, 0, end)
  memory = larger
}

/**
 * Returns the JSON value with its keys in order: shorter keys first, then by bytes, as in DAG-CBOR and so in every
 * repository (https://ipld.io/specs/codecs/dag-cbor/spec/#strictness). A record has the same text whatever its source.
 * Copies the value only if its keys are not in order already.
 */
export function inKeyOrder<Value>(value: Value): Value {
  return hasKeysInOrder(value) ? value : reordered(value)
}

/** Saves the copy in the common case: exported records have their keys in order. */
function hasKeysInOrder(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) if (!hasKeysInOrder(value[at])) return false
    return true
  }
  const members = value as Readonly<Record<string, unknown>>
  let last: string | null = null
  for (const key of Object.keys(members)) {
    if (last !== null && compareKeys(last, key) >= 0) return false
    if (!hasKeysInOrder(members[key])) return false
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

function orderedKeys(object: object): readonly string[] {
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
function keysInOrder(object: object): readonly string[] {
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

/** The text form of a CID, `bafyrei…`. */
export function formatCid(cid: Uint8Array): string {
  const characters = Buffer.allocUnsafe(2 + cid.length * 2)
  characters[0] = multibase
  let length = 1
  let bits = 0
  let rest = 0
  for (const byte of cid) {
    rest = (rest << 8) | byte
    for (bits += 8; bits >= 5; ) characters[length++] = alphabet[(rest >> (bits -= 5)) & 31] as number
    rest &= (1 << bits) - 1
  }
  if (bits > 0) characters[length++] = alphabet[(rest << (5 - bits)) & 31] as number
  return characters.toString('latin1', 0, length)
}

const alphabet = Buffer.from('abcdefghijklmnopqrstuvwxyz234567')
/** The multibase prefix `b`: base 32 in lower case. */
const multibase = 0x62
