/**
 * Encodes plain JSON values as DAG-CBOR (https://ipld.io/specs/codecs/dag-cbor/spec/) in one pass, into a buffer that
 * is reused for the next record; mostly to hash every record of an import. Links, bytes and all else that JSON does not
 * have are left to the official library.
 */
import { keysInOrder, orderedKeys } from '../../util/text/key-order.ts'

let keysOf = orderedKeys
let memory = Buffer.allocUnsafe(64 * 1024)
let end = 0

/**
 * The result is valid until the next call; null when the value is not plain JSON. `isInOrder`: the value comes from
 * `inKeyOrder`.
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
  if (length < 24 && writeShort(value)) return
  const start = end
  const guessed = headLength(length)
  const size = memory.write(value, start + guessed)
  const needed = headLength(size)
  if (needed !== guessed) memory.copyWithin(start + needed, start + guessed, start + guessed + size)
  writeHead(text, size)
  end += size
}

/** Writes ASCII text, such as nearly every key; for other text it returns false and writes nothing. */
function writeShort(value: string): boolean {
  const { length } = value
  for (let at = 0; at < length; at++) {
    const code = value.charCodeAt(at)
    if (code > 0x7f) return false
    memory[end + 1 + at] = code
  }
  memory[end] = text | length
  end += 1 + length
  return true
}

function headLength(count: number): number {
  return count < 24 ? 1 : count < 0x100 ? 2 : count < 0x1_0000 ? 3 : count <= 0xffff_ffff ? 5 : 9
}

function writeHead(type: number, count: number): void {
  reserve(9)
  switch (headLength(count)) {
    case 1:
      memory[end] = type | count
      end += 1
      return
    case 2:
      memory[end] = type | 24
      memory[end + 1] = count
      end += 2
      return
    case 3:
      memory[end] = type | 25
      end = memory.writeUInt16BE(count, end + 1)
      return
    case 5:
      memory[end] = type | 26
      end = memory.writeUInt32BE(count, end + 1)
      return
    default:
      memory[end] = type | 27
      end = memory.writeUInt32BE(Math.floor(count / 0x1_0000_0000), end + 1)
      end = memory.writeUInt32BE(count % 0x1_0000_0000, end)
  }
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
