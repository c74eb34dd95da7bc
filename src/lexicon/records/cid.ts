/** Computes and parses CIDs of records: version 1, dag-cbor, sha-256; as 36 bytes or as the text `bafyrei…`. */
import { hash } from 'node:crypto'
import { encode } from '@atproto/lex-cbor'
import { type LexValue, parseCidSafe } from '@atproto/lex-data'
import { type JsonValue, jsonToLex } from '@atproto/lex-json'
import { encodePlain, formatCid } from './encoding.ts'

export { formatCid }

/** The CID of a value; throws when dag-cbor cannot encode it. `isInOrder`: the value comes from `inKeyOrder`. */
export function cidOf(value: LexValue, isInOrder = false): Uint8Array {
  const cid = new Uint8Array(36)
  cid.set(prefix)
  cid.set(hash('sha256', encodePlain(value, isInOrder) ?? encode(value), 'buffer'), prefix.length)
  return cid
}

/** The CID as text of a record in the JSON form of the data model; null when the value cannot be encoded. */
export function cidOfJson(value: object): string | null {
  try {
    return formatCid(cidOf(jsonToLex(value as JsonValue)))
  } catch {
    return null
  }
}

/** The bytes of a record's CID in any text form; null for another text or another kind of CID. */
export function parseCid(text: string): Uint8Array | null {
  return parseCidSafe(text, { flavor: 'cbor' })?.bytes ?? null
}

/** Version 1, dag-cbor, sha-256, 32 bytes. */
const prefix = Uint8Array.of(0x01, 0x71, 0x12, 0x20)
