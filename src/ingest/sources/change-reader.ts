/** Turns a record of a network source into a change; all network sources use it. */
import type { Change } from '../../database/database.ts'
import { createRecordReader } from '../../lexicon/records/validate.ts'
import { latestMoment } from '../../util/tid.ts'
import { createChangeOf, futureRevision, type ReaderOptions } from './files/block-reader.ts'

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
  const changeOf = createChangeOf(options)
  const collections = new Set(tables.map(({ collection }) => collection.nsid))
  const wantsAccount = (did: string): boolean => publishers === null || publishers.has(did)
  return {
    wantsAccount,
    wants: (did, collection) => collections.has(collection) && wantsAccount(did),
    futureRevision: (rev, now) => futureRevision(rev, options, now),
    isFuture: (micros, now) => micros > latestMoment(now, maxClockSkew),
    read: ({ did, collection, rkey, rev, cid, value }, source) => {
      const line = { uri: `at://${did}/${collection}/${rkey}`, cid, rev, value }
      return changeOf(readRecord(line), () => ({ source, record: asText(line), rev }))
    },
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
