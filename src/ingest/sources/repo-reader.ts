/**
 * A repository as a CAR file to the changes that make the index equal to it. Pure computation, so that any
 * thread can do it; beside the file and an index of its blocks it holds one path through the tree.
 */
import type { Cid } from '@atproto/lex-data'
import type { Change } from '../../database/changes.ts'
import { formatCid } from '../../lexicon/cid.ts'
import type { ChangeReader } from './change-reader.ts'
import {
  type Blocks,
  indexCar,
  maxTreeDepth,
  readCommit,
  readNode,
  readRecord,
  RepoError,
} from './repo-blocks.ts'
import { isSignedBy } from './signature.ts'

/** The largest file that is read; one is in memory as a whole. */
export const maxCarBytes = 1024 ** 3

export interface Repo {
  readonly did: string
  /** Whether its newest commit is the account's own. */
  readonly isSignedBy: (signingKey: string) => boolean
  /** Throws a `RepoError` unless the tree is sound and all records of use are there. */
  readonly verify: () => void
  /** Of a verified repository: its records, and then its end. Made as they are asked for. */
  readonly chunks: () => Generator<readonly Change[]>
}

/** `source`: what refused records are kept under. Throws a `RepoError`. */
export function openRepo(car: Uint8Array, reader: ChangeReader, source: string): Repo {
  const { root, blocks } = indexCar(car)
  const { fields, did, rev, data } = readCommit(blocks(root))
  // Taken for an empty repository, it would take with it what is stored of the account.
  if (!reader.wantsAccount(did)) throw new RepoError('The account is not among the publishers.')
  return {
    did,
    isSignedBy: (signingKey) => {
      try {
        return isSignedBy(fields, signingKey)
      } catch {
        // The commit holds what has no encoding, so nobody can have signed it.
        return false
      }
    },
    verify: () => {
      let total = 0
      let last = ''
      for (const { key, cid } of walkTree(blocks, data)) {
        if (key <= last) throw new RepoError('The keys of the tree are not in order.')
        last = key
        if (!reader.wants(did, splitKey(key)[0])) continue
        total += blocks(cid).length
        // One block may stand for any number of records.
        if (total > maxCarBytes)
          throw new RepoError(
            `The records have more than ${maxCarBytes.toLocaleString('en')} bytes together.`,
          )
      }
    },
    chunks: function* () {
      let chunk: Change[] = []
      let size = 0
      for (const { key, cid } of walkTree(blocks, data)) {
        const [collection, rkey] = splitKey(key)
        if (!reader.wants(did, collection)) continue
        const bytes = blocks(cid)
        chunk.push(readRecord(reader, { did, collection, rkey, rev, cid: formatCid(cid) }, bytes, source))
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

const maxChunk = 500
const maxChunkBytes = 4_000_000

interface Leaf {
  readonly key: string
  readonly cid: Uint8Array
}

/**
 * The records in the order of the tree. Empty nodes would make walking longer than the file is; as others
 * have keys, which must be in order, none is walked twice.
 */
function* walkTree(blocks: Blocks, root: Cid, depth = 0): Generator<Leaf> {
  if (depth > maxTreeDepth) throw new RepoError(`The tree is deeper than ${maxTreeDepth} nodes.`)
  const { left, entries } = readNode(blocks(root.bytes))
  if (left === null && entries.length === 0 && depth > 0) throw new RepoError('The tree has an empty node.')
  if (left !== null) yield* walkTree(blocks, left, depth + 1)
  for (const { key, cid, right } of entries) {
    yield { key, cid }
    if (right !== null) yield* walkTree(blocks, right, depth + 1)
  }
}

/** What is wrong with either part is told when the record is read. */
function splitKey(key: string): readonly [collection: string, rkey: string] {
  const slash = key.indexOf('/')
  return slash === -1 ? ['', key] : [key.slice(0, slash), key.slice(slash + 1)]
}
