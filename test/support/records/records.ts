/** Makes indexed records as a test writes them: only what matters is said, the rest is filled in. */
import { cidForLex } from '@atproto/lex-cbor'
import { type LexValue, parseCid } from '@atproto/lex-data'
import type { Json } from '../../reference/shapes.ts'
import { parseInstant } from '../../reference/values.ts'
import type { PlainRecord } from '../../reference/dataset.ts'

export interface RecordGiven {
  readonly did?: string
  readonly rkey?: string
  readonly rev?: string | undefined
  /** An instant as text, or microseconds. */
  readonly indexedAt?: string | bigint
  readonly value: Readonly<Record<string, Json>>
}

/** A record with the CID its value really has. */
export async function buildRecord(collection: string, given: RecordGiven): Promise<PlainRecord> {
  const did = given.did ?? 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
  const rkey = given.rkey ?? 'self'
  const indexedAt = given.indexedAt ?? '2026-01-01T00:00:00Z'
  const instant = typeof indexedAt === 'bigint' ? indexedAt : parseInstant(indexedAt)
  const value = { $type: collection, ...given.value }
  return {
    uri: `at://${did}/${collection}/${rkey}`,
    cid: await cidOf(value),
    rev: given.rev,
    did,
    rkey,
    collection,
    indexedAt: instant,
    changedAt: instant,
    value,
  }
}

/** The CID of a record's JSON: dag-cbor, sha-256. */
export async function cidOf(value: Json): Promise<string> {
  return String(await cidForLex(dataOf(value)))
}

/** JSON's spelling of links and bytes to what they mean. */
function dataOf(json: Json): LexValue {
  if (Array.isArray(json)) return json.map(dataOf)
  if (typeof json !== 'object' || json === null) return json
  if (typeof json.$link === 'string') return parseCid(json.$link)
  if (typeof json.$bytes === 'string') return new Uint8Array(Buffer.from(json.$bytes, 'base64'))
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, dataOf(value)]))
}

/** A strongRef to exactly this version of a record. */
export function refTo(record: PlainRecord): { uri: string; cid: string } {
  return { uri: record.uri, cid: record.cid }
}

/** A CID that belongs to no record: a pinned version the index has never seen. */
export const otherCid = 'bafyreibjk2zm52hfizr454i2vrctndr2q2oimlwxu36s3or2icabptr6by'
