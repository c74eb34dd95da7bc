/** Turns a record of a source into a change; all sources use it. */
import type { Change, Rejection } from '../../database/database.ts'
import { deriveRow } from '../../database/derive.ts'
import type { Table } from '../../database/layout/tables.ts'
import type { LexiconSet } from '../../lexicon/lexicon-set.ts'
import { createRecordReader, type ParsedRecord } from '../../lexicon/records/validate.ts'
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

/** A record as reported by a source. */
export interface Observation {
  readonly did: string
  readonly collection: string
  readonly rkey: string
  /** A TID. */
  readonly rev: string
  /** As text; null when the source has none, in which case the computed CID is not compared. */
  readonly cid: string | null
  /** In the JSON form of the data model (https://atproto.com/specs/data-model#json-representation). */
  readonly value: unknown
}

export interface ChangeReader {
  /** Whether records of this collection and account are accepted. */
  readonly wants: (did: string, collection: string) => boolean
  readonly wantsAccount: (did: string) => boolean
  /** What is wrong with a revision from the future; null for a valid revision. `now`: microseconds. */
  readonly futureRevision: (rev: string, now: bigint) => string | null
  /** Whether a time exceeds the clock skew. */
  readonly isFuture: (micros: bigint, now: bigint) => boolean
  /** Returns a put or a rejection; only for wanted records. */
  readonly read: (observation: Observation, source: string) => Change
}

export function createChangeReader(options: NetworkReaderOptions): ChangeReader {
  const { lexicons, tables, publishers, maxClockSkew } = options
  const readRecord = createRecordReader(lexicons)
  const changeOf = createChangeOf(tables)
  const collections = new Set(tables.map(({ collection }) => collection.nsid))
  const wantsAccount = (did: string): boolean => publishers === null || publishers.has(did)
  return {
    wantsAccount,
    wants: (did, collection) => collections.has(collection) && wantsAccount(did),
    futureRevision: (rev, now) => futureRevision(rev, maxClockSkew, now),
    isFuture: (micros, now) => micros > latestMoment(now, maxClockSkew),
    read: ({ did, collection, rkey, rev, cid, value }, source) => {
      const line = { uri: `at://${did}/${collection}/${rkey}`, cid, rev, value }
      return changeOf(readRecord(line), () => ({ source, record: asText(line), rev }))
    },
  }
}

/** What is wrong with a revision that exceeds the clock skew; null for a valid revision. */
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
