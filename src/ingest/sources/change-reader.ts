/** From what a network source says of a record to the change it asks for; every such source reads with this. */
import type { Change } from '../../database/database.ts'
import { createRecordReader } from '../../lexicon/records/validate.ts'
import { latestMoment } from '../../util/tid.ts'
import { createChangeOf, futureRevision, type ReaderOptions } from './files/block-reader.ts'

/** What of a source is of use; plain data, so that it can be sent to a thread. */
export interface NetworkReaderOptions extends ReaderOptions {
  /** DIDs whose records are taken; null takes all. */
  readonly publishers: ReadonlySet<string> | null
}

/** A record as a source tells of it. */
export interface Observation {
  readonly did: string
  readonly collection: string
  readonly rkey: string
  /** A TID. */
  readonly rev: string
  /** As text; null when the source does not say, which nothing then is compared with. */
  readonly cid: string | null
  /** In the JSON form of the data model (https://atproto.com/specs/data-model#json-representation). */
  readonly value: unknown
}

export interface ChangeReader {
  /** Whether records of this collection and account are taken at all. */
  readonly wants: (did: string, collection: string) => boolean
  readonly wantsAccount: (did: string) => boolean
  /** What is wrong with a revision that comes from the future; null: it does not. `now`: microseconds. */
  readonly futureRevision: (rev: string, now: bigint) => string | null
  /** Whether a moment is further ahead of the clock than other clocks may be. */
  readonly isFuture: (micros: bigint, now: bigint) => boolean
  /** A put, or the rejection that says why not; what is wanted only. */
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

/** A value may be nested too deeply to be printed; it is refused for that, and the rest is kept. */
function asText(line: { readonly value: unknown }): string {
  try {
    return JSON.stringify(line)
  } catch {
    return JSON.stringify({ ...line, value: null })
  }
}
