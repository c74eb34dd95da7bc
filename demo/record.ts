/** Builds records of the demo corpus: AT-URI, true CID, revision, time of indexing and value. */
import { createHash } from 'node:crypto'
import { encode, type LexValue } from '@atproto/lex-cbor'
import { CBOR_DATA_CODEC, createCid, SHA256_HASH_CODE } from '@atproto/lex-data'

export interface DemoRecord {
  uri: string
  cid: string
  rev: string
  indexedAt: string
  value: object
}

export interface StrongRef {
  readonly uri: string
  readonly cid: string
}

/** The repositories of the corpus; none of them exists on the network. */
export const repositories = {
  press: 'did:plc:lexigraphdemopress222222',
  wire: 'did:plc:lexigraphdemowire2222222',
  analysis: 'did:web:analysis.lexigraph.example',
} as const
export type Repository = keyof typeof repositories

/** Properties that are undefined are left out, as a published record would leave them out. */
export function buildRecord(
  repository: Repository,
  collection: string,
  rkey: string,
  indexedAt: number,
  properties: object,
): DemoRecord {
  const present = Object.entries(properties).filter(([, property]) => property !== undefined)
  const value = { $type: collection, ...Object.fromEntries(present) }
  return {
    uri: `at://${repositories[repository]}/${collection}/${rkey}`,
    cid: computeCid(value),
    // The record is indexed a second after its commit.
    rev: formatTid(indexedAt - 1_000, 0),
    indexedAt: formatInstant(indexedAt),
    value,
  }
}

/** As `cidForLex` does, but at once: a generator cannot wait for WebCrypto. */
export function computeCid(value: object): string {
  const digest = createHash('sha256')
    .update(encode(value as LexValue))
    .digest()
  return createCid(CBOR_DATA_CODEC, SHA256_HASH_CODE, digest).toString()
}

const tidAlphabet = '234567abcdefghijklmnopqrstuvwxyz'

/** A record key that sorts by time: 53 bits of microseconds, 10 bits of clock id. */
export function formatTid(milliseconds: number, clockId: number): string {
  let rest = ((BigInt(milliseconds) * 1000n) << 10n) | BigInt(clockId)
  let tid = ''
  for (let position = 0; position < 13; position += 1) {
    tid = tidAlphabet.charAt(Number(rest & 31n)) + tid
    rest >>= 5n
  }
  return tid
}

/** RFC 3339 in UTC, or with the given offset in minutes, as outlets outside UTC print it. */
export function formatInstant(milliseconds: number, offsetMinutes = 0): string {
  const local = new Date(milliseconds + offsetMinutes * 60_000).toISOString()
  if (offsetMinutes === 0) return local
  const sign = offsetMinutes < 0 ? '-' : '+'
  const hours = String(Math.floor(Math.abs(offsetMinutes) / 60)).padStart(2, '0')
  const minutes = String(Math.abs(offsetMinutes) % 60).padStart(2, '0')
  return `${local.slice(0, 19)}${sign}${hours}:${minutes}`
}
