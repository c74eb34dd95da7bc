/** CIDs of records: version 1, dag-cbor, sha-256; as 36 bytes or as the text `bafyrei…`. */
import { hash } from 'node:crypto'
import { encode } from '@atproto/lex-cbor'
import { type LexValue, parseCidSafe } from '@atproto/lex-data'

/** The CID of a value whose links are CIDs and whose bytes are Uint8Arrays. Throws when dag-cbor has no form for it. */
export function cidOf(value: LexValue): Uint8Array {
  const cid = new Uint8Array(36)
  cid.set(prefix)
  cid.set(hash('sha256', encode(value), 'buffer'), prefix.length)
  return cid
}

export function formatCid(cid: Uint8Array): string {
  let text = 'b'
  let bits = 0
  let kept = 0
  for (const byte of cid) {
    kept = (kept << 8) | byte
    for (bits += 8; bits >= 5; ) text += alphabet[(kept >> (bits -= 5)) & 31]
    kept &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + alphabet[(kept << (5 - bits)) & 31]
}

/** The bytes of the CID of a record in any text form; null when it is no CID or one of another kind. */
export function parseCid(text: string): Uint8Array | null {
  return parseCidSafe(text, { flavor: 'cbor' })?.bytes ?? null
}

/** Version 1, dag-cbor, sha-256, 32 bytes of it. */
const prefix = Uint8Array.of(0x01, 0x71, 0x12, 0x20)
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
