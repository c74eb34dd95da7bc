/** Turns a record of a source into a change; all sources use it. */
import { decode } from '@atproto/lex-cbor'
import { lexToJson } from '@atproto/lex-json'
import type { Change, RecordName, Rejection, RejectionReason } from '../../database/changes.ts'
import { deriveRow } from '../../database/derive.ts'
import type { Table } from '../../database/layout/tables.ts'
import type { LexiconSet } from '../../lexicon/lexicons.ts'
import { createRecordReader, type ParsedRecord } from '../../lexicon/records/validate.ts'
import { cleanText } from '../../util/text/messages.ts'
import { grouped } from '../../util/text/counted.ts'
import { formatInstant, latestMoment, timeOfTid } from '../../util/instant.ts'

/** Plain data, so that it can be sent to a thread. */
export interface ReaderOptions {
  readonly lexicons: LexiconSet
  readonly tables: readonly Table[]
  /** Seconds that a revision may be ahead of the clock. */
  readonly maxClockSkew?: number
}

/** Which records of a source are wanted; plain data, so that it can be sent to a thread. */
export interface NetworkReaderOptions extends ReaderOptions {
  /** DIDs whose records are accepted; null accepts all. */
  readonly publishers: ReadonlySet<string> | null
}

export interface Observation extends RecordName {
  /** A TID. */
  readonly rev: string
  /** As text; null when the source has none, in which case the computed CID is not compared. */
  readonly cid: string | null
  /** In the JSON form of the data model (https://atproto.com/specs/data-model#json-representation). */
  readonly value: unknown
}

export type ChangeReader = ReturnType<typeof createChangeReader>

export function createChangeReader(options: NetworkReaderOptions) {
  const { lexicons, tables, publishers, maxClockSkew } = options
  const readRecord = createRecordReader(lexicons)
  const changeOf = createChangeOf(tables)
  const collections = new Set(tables.map(({ collection }) => collection.nsid))
  const wantsAccount = (did: string): boolean => publishers === null || publishers.has(did)
  return {
    wantsAccount,
    wants: (did: string, collection: string): boolean => collections.has(collection) && wantsAccount(did),
    futureRevision: (rev: string, now: bigint): string | null => futureRevision(rev, maxClockSkew, now),
    /** Whether a time exceeds the clock skew. */
    isFuture: (micros: bigint, now: bigint): boolean => micros > latestMoment(now, maxClockSkew),
    /** Returns a put or a rejection; only for wanted records. */
    read: ({ did, collection, rkey, rev, cid, value }: Observation, source: string): Change => {
      const line = { uri: `at://${did}/${collection}/${rkey}`, cid, rev, value }
      return changeOf(readRecord(line), () => ({ source, record: asText(line), rev }))
    },
  }
}

/** What is wrong with a revision that exceeds the clock skew; null for a valid revision. `now`: microseconds. */
export function futureRevision(rev: string, maxClockSkew: number | undefined, now: bigint): string | null {
  const time = timeOfTid(rev)
  if (time <= latestMoment(now, maxClockSkew)) return null
  return `The revision ${rev} is of ${formatInstant(time)}, which is still to come.`
}

/** Turns a parsed record into a put with derived values, or into a rejection with the members of `refused`. */
export function createChangeOf(
  tables: readonly Table[],
): (reading: ParsedRecord, refused: () => Pick<Rejection, 'source' | 'record' | 'rev'>) => Change {
  const tableOf = new Map(tables.map((table) => [table.collection.nsid, table]))
  return (reading, refused) => {
    if (!reading.ok) {
      const { uri, reason, message } = reading
      return { kind: 'reject', uri, reason, message, ...refused() }
    }
    const { collection, did, rkey, cid, rev, indexedAt, value, json } = reading.record
    const table = tableOf.get(collection)
    if (table === undefined) throw new Error(`There is no table for ${collection}.`)
    // Members are named one by one: spreading objects takes several times as long.
    const { columns, arrays } = deriveRow(table, value)
    return { kind: 'put', collection, did, rkey, cid, rev, indexedAt, json, columns, arrays }
  }
}

/** A value that is nested too deeply to be serialized is refused; its rejection is stored without the value. */
function asText(line: { readonly value: unknown }): string {
  try {
    return JSON.stringify(line)
  } catch {
    return JSON.stringify({ ...line, value: null })
  }
}

/** Turns the block of a record into a change. The caller has verified that the tree has the record at this path. */
export function readBlock(
  reader: ChangeReader,
  record: Omit<Observation, 'value'> & { readonly cid: string },
  bytes: Uint8Array,
  source: string,
): Change {
  const { did, collection, rkey, rev, cid } = record
  const refuse = (reason: RejectionReason, message: string): Change => {
    const uri = `at://${did}/${collection}/${rkey}`
    const cbor = Buffer.from(bytes.subarray(0, maxStoredBytes)).toString('base64')
    const text = JSON.stringify({ uri, cid, rev, cbor })
    return { kind: 'reject', source, uri, reason, message: cleanText(message), record: text, rev }
  }
  if (bytes.length > maxRecordBytes)
    return refuse('too-large', `The record has more than ${grouped(maxRecordBytes)} bytes of DAG-CBOR.`)
  try {
    return reader.read({ ...record, value: decodeRecord(bytes) }, source)
  } catch (error) {
    // Not DAG-CBOR, or nested too deeply for anything but decoding.
    return refuse('malformed', `The record cannot be read: ${error instanceof Error ? error.message : ''}.`)
  }
}

const maxRecordBytes = 2_000_000
/** Bytes that are stored of a record without a JSON form. */
const maxStoredBytes = 48_000

/** Returns the JSON form of the data model. */
function decodeRecord(bytes: Uint8Array): unknown {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!view.includes(byteOrderMark) || view.includes(standIn)) return lexToJson(decode(bytes))
  // The library drops a byte order mark at the start of a text, as scraped titles have it.
  const copy = Buffer.from(view)
  for (let at = copy.indexOf(byteOrderMark); at !== -1; at = copy.indexOf(byteOrderMark, at))
    copy.set(standIn, at)
  const json = JSON.stringify(lexToJson(decode(copy)))
  return JSON.parse(json.replaceAll(standIn.toString(), byteOrderMark.toString()))
}

const byteOrderMark = Buffer.from('\uFEFF')
/** A noncharacter of the same length in UTF-8. */
const standIn = Buffer.from('\uFDD0')
