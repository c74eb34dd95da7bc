/**
 * Turns a repository in a CAR file into the changes that make the index equal to it. Pure computation, so that any
 * thread can run it; besides the file, it has the file's tree in memory.
 */
import type { Change } from '../../../database/changes.ts'
import { formatCid } from '../../../lexicon/records/cid.ts'
import { type ChangeReader, readBlock } from '../change-reader.ts'
import { damaged, type Leaf, openCar, RepoError, isSignedBy, splitKey } from './repo-blocks.ts'
import { now, timeOfTid } from '../../../util/instant.ts'
import { grouped } from '../../../util/text/counted.ts'

/** Maximum size of a CAR file, which is read into memory as a whole. */
export const maxCarBytes = 512 * 1024 ** 2

export type Repo = Awaited<ReturnType<typeof openRepo>>

/** `source`: the source of refused records. Throws a `RepoError`. */
export async function openRepo(car: Uint8Array, reader: ChangeReader, source: string) {
  const { commit, leaves, block } = await openCar(car)
  const { fields, did, rev } = commit
  const record = async ({ key, cid }: Leaf): Promise<Uint8Array> => {
    const bytes = await block(cid)
    if (bytes === null) throw damaged(`The record at ${key} is missing.`)
    return bytes
  }
  // Without this check, the repository would count as empty and the account's stored records would be deleted.
  if (!reader.wantsAccount(did)) throw new RepoError('The account is not among the publishers.')
  return {
    did,
    /** Why its revision is from the future, provided that our clock is right; null if it is not from the future. */
    future: futureOf(rev, reader),
    isSignedBy: (signingKey: string): boolean => {
      try {
        return isSignedBy(fields, signingKey)
      } catch {
        // The commit cannot be encoded, so it cannot have been signed.
        return false
      }
    },
    chunks: read(),
  }

  /** The records and then the end; throws a `RepoError` first unless the tree and all records are whole. */
  async function* read(): AsyncGenerator<readonly Change[]> {
    let total = 0
    for await (const leaf of leaves()) {
      if (!reader.wants(did, splitKey(leaf.key)[0])) continue
      total += (await record(leaf)).length
      // Any number of records may share one block.
      if (total > maxCarBytes)
        throw new RepoError(`The records have more than ${grouped(maxCarBytes)} bytes together.`)
    }
    let chunk: Change[] = []
    let size = 0
    for await (const leaf of leaves()) {
      const [collection, rkey] = splitKey(leaf.key)
      if (!reader.wants(did, collection)) continue
      const bytes = await record(leaf)
      const place = { did, collection, rkey, rev, cid: formatCid(leaf.cid.bytes) }
      chunk.push(readBlock(reader, place, bytes, source))
      size += bytes.length
      if (chunk.length < maxChunk && size < maxChunkBytes) continue
      yield chunk
      chunk = []
      size = 0
    }
    yield [...chunk, { kind: 'repo-end', did, rev }]
  }
}

/** A revision that will be in the past soon is worth another attempt. */
function futureOf(rev: string, reader: ChangeReader) {
  const message = reader.futureRevision(rev, now())
  return message === null ? null : { message, passing: timeOfTid(rev) < now() + soon }
}

/** Microseconds. */
const soon = 3_600_000_000n
const maxChunk = 500
const maxChunkBytes = 4_000_000
