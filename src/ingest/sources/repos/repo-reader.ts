/**
 * A repository as a CAR file to the changes that make the index equal to it. Pure computation, so that any
 * thread can do it; beside the file it holds its tree.
 */
import type { Change } from '../../../database/changes.ts'
import { formatCid } from '../../../lexicon/records/cid.ts'
import type { ChangeReader } from '../change-reader.ts'
import { type Leaf, openCar, PassingRepoError, readRecord, RepoError } from './repo-blocks.ts'
import { isSignedBy } from './signature.ts'
import { timeOfTid } from '../../../util/tid.ts'
import { grouped } from '../../../util/text/counted.ts'

/** The largest file that is read; one is in memory as a whole. */
export const maxCarBytes = 512 * 1024 ** 2

export interface Repo {
  readonly did: string
  /** Why its revision cannot be believed, at a clock that is right; null: it can. */
  readonly future: { readonly message: string; readonly passing: boolean } | null
  /** Whether its newest commit is the account's own. */
  readonly isSignedBy: (signingKey: string) => boolean
  /** Throws a `RepoError` unless the tree is sound and all records of use are there. */
  readonly verify: () => Promise<void>
  /** Of a verified repository: its records, and then its end. Made as they are asked for. */
  readonly chunks: () => AsyncGenerator<readonly Change[]>
}

/** `source`: what refused records are kept under. Throws a `RepoError`. */
export async function openRepo(car: Uint8Array, reader: ChangeReader, source: string): Promise<Repo> {
  const { commit, leaves, block } = await openCar(car)
  const { fields, did, rev } = commit
  const record = async ({ key, cid }: Leaf): Promise<Uint8Array> => {
    const bytes = await block(cid)
    if (bytes === null) throw new PassingRepoError(`The record at ${key} is missing.`)
    return bytes
  }
  // Taken for an empty repository, it would take with it what is stored of the account.
  if (!reader.wantsAccount(did)) throw new RepoError('The account is not among the publishers.')
  return {
    did,
    future: futureOf(rev, reader),
    isSignedBy: (signingKey) => {
      try {
        return isSignedBy(fields, signingKey)
      } catch {
        // The commit holds what has no encoding, so nobody can have signed it.
        return false
      }
    },
    verify: async () => {
      let total = 0
      for await (const leaf of leaves()) {
        if (!reader.wants(did, splitKey(leaf.key)[0])) continue
        total += (await record(leaf)).length
        // One block may stand for any number of records.
        if (total > maxCarBytes)
          throw new RepoError(`The records have more than ${grouped(maxCarBytes)} bytes together.`)
      }
    },
    chunks: async function* () {
      let chunk: Change[] = []
      let size = 0
      for await (const leaf of leaves()) {
        const [collection, rkey] = splitKey(leaf.key)
        if (!reader.wants(did, collection)) continue
        const bytes = await record(leaf)
        const place = { did, collection, rkey, rev, cid: formatCid(leaf.cid.bytes) }
        chunk.push(readRecord(reader, place, bytes, source))
        size += bytes.length
        if (chunk.length < maxChunk && size < maxChunkBytes) continue
        yield chunk
        chunk = []
        size = 0
      }
      yield [...chunk, { kind: 'repo-end', did, rev }]
    },
  }
}

/** What will be past soon is worth another try. */
function futureOf(rev: string, reader: ChangeReader): Repo['future'] {
  const now = BigInt(Date.now()) * 1_000n
  const message = reader.futureRevision(rev, now)
  return message === null ? null : { message, passing: timeOfTid(rev) < now + soon }
}

/** Microseconds. */
const soon = 3_600_000_000n
const maxChunk = 500
const maxChunkBytes = 4_000_000

/** What is wrong with either part is told when the record is read. */
function splitKey(key: string): readonly [collection: string, rkey: string] {
  const slash = key.indexOf('/')
  return slash === -1 ? ['', key] : [key.slice(0, slash), key.slice(slash + 1)]
}
