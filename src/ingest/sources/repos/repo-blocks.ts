/**
 * Reads the signed commit, the tree and the blocks of records in a CAR file (https://atproto.com/specs/repository), with
 * the official library for the file and the tree, and verifies signatures of commits.
 */
import { createPublicKey, verify } from 'node:crypto'
import { P256_JWT_ALG, parseDidKey } from '@atproto/crypto'
import { decode, encode } from '@atproto/lex-cbor'
import { type Cid, isCid, type LexValue } from '@atproto/lex-data'
import { MST, ReadableBlockstore, readCarStream } from '@atproto/repo'
import { isValidDid, isValidTid } from '@atproto/syntax'
import { LRUCache } from 'lru-cache'
import { cleanText } from '../../../util/text/messages.ts'
import { grouped } from '../../../util/text/counted.ts'
import { Fault } from './fault.ts'

/** The repository is invalid; the message says why. */
export class RepoError extends Fault {
  override name = 'RepoError'
}

/** The file was damaged in transit, or its repository changed while a host without snapshots exported it. */
export function damaged(message: string, options?: ErrorOptions): RepoError {
  return new RepoError(message, { ...options, passing: true })
}

/** A commit with its tree and records; a block whose hash differs from its CID is refused. */
export type SignedRepo = Awaited<ReturnType<typeof openCar>>

export interface Leaf {
  /** `collection/rkey`. */
  readonly key: string
  readonly cid: Cid
}

/** Does not validate the parts; reading the record does. */
export function splitKey(key: string): readonly [collection: string, rkey: string] {
  const slash = key.indexOf('/')
  return slash === -1 ? [key, ''] : [key.slice(0, slash), key.slice(slash + 1)]
}

/** Throws a `RepoError`. */
export async function openCar(car: Uint8Array) {
  const sections = countSections(car)
  const { root, storage } = await readBlocks(car).catch((cause: unknown) => {
    // It may have been damaged in transit.
    throw damaged(`The CAR file cannot be read: ${messageOf(cause)}.`, { cause })
  })
  const bytes = storage.find(root)
  if (bytes === null) throw damaged('The CAR file does not have the commit that it names.')
  const commit = readCommit(bytes)
  const tree = MST.load(storage, commit.data)
  return {
    root,
    commit,
    /** The CID of the record at `collection/rkey`; null if the tree has none. Throws a `RepoError`. */
    find: (key: string): Promise<Cid | null> => believed(() => tree.get(key)),
    /** The bytes of a record; null if they are missing. */
    block: async (cid: Cid): Promise<Uint8Array | null> => storage.find(cid),
    /** All records in the order of the tree. Throws a `RepoError`. */
    leaves: async function* (): AsyncGenerator<Leaf> {
      let last = ''
      let nodes = 0
      async function* walk(node: MST, depth: number): AsyncGenerator<Leaf> {
        // Shared nodes could make the traversal longer than any file.
        if (++nodes > sections || depth > maxTreeDepth)
          throw new RepoError('The tree has more nodes or layers than there can be.')
        for (const entry of await believed(() => node.getEntries())) {
          // Loaded again, because a node caches the whole subtree that was read through it.
          if (entry.isTree()) yield* walk(MST.load(storage, entry.pointer), depth + 1)
          else {
            if (entry.key <= last) throw new RepoError('The keys of the tree are not in order.')
            last = entry.key
            yield { key: entry.key, cid: entry.value }
          }
        }
      }
      yield* walk(tree, 0)
    },
  }
}

async function readBlocks(car: Uint8Array): Promise<{ readonly root: Cid; readonly storage: CarBlocks }> {
  const { roots, blocks } = await readCarStream([car])
  const [root] = roots
  if (root === undefined) throw new Error('it has no root')
  const storage = new CarBlocks()
  for await (const { cid, bytes } of blocks) storage.add(cid, bytes)
  return { root, storage }
}

/** Blocks by the bytes of their CIDs; in the library's map by text, each block takes almost two kilobytes. */
class CarBlocks extends ReadableBlockstore {
  readonly #blocks = new Map<string, Uint8Array>()

  add(cid: Cid, bytes: Uint8Array): void {
    this.#blocks.set(keyOf(cid), bytes)
  }

  find(cid: Cid): Uint8Array | null {
    return this.#blocks.get(keyOf(cid)) ?? null
  }

  /** The library calls this for nodes of the tree. */
  async getBytes(cid: Cid): Promise<Uint8Array> {
    const bytes = this.find(cid)
    if (bytes === null) throw damaged(`The node ${cid} of the tree is missing.`)
    return bytes
  }

  async has(cid: Cid): Promise<boolean> {
    return this.#blocks.has(keyOf(cid))
  }

  /** The library calls this only to write. */
  getBlocks(): Promise<never> {
    throw new Error('The blocks of a file are read one by one.')
  }
}

function keyOf({ bytes }: Cid): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

/** Maximum depth: hashes assign keys to layers, and each layer has a quarter of the keys of the layer below. */
const maxTreeDepth = 128
/** Maximum number of blocks, including the header; each takes some hundred bytes besides its own. */
const maxSections = 2_000_000
/** Maximum size of a block; blocks of records and trees are smaller. */
const maxSectionBytes = 8_000_000

/** Counts sections (https://ipld.io/specs/transport/car/carv1/): the library limits neither size nor number. */
function countSections(car: Uint8Array): number {
  let sections = 0
  let at = 0
  while (at < car.length) {
    let length = 0
    for (let unit = 1; ; unit *= 128) {
      const byte = car[at++]
      if (byte === undefined) throw damaged('The CAR file cannot be read: it ends in the middle of a length.')
      length += (byte & 127) * unit
      if (length > maxSectionBytes || unit > maxSectionBytes)
        throw new RepoError('The CAR file has a block that is larger than there can be.')
      if (byte < 128) break
    }
    at += length
    sections += 1
    if (sections > maxSections)
      throw new RepoError(`The CAR file has more than ${grouped(maxSections)} blocks.`)
  }
  if (at > car.length) throw damaged('The CAR file cannot be read: it ends in the middle of a block.')
  return sections
}

/** Errors of the library while it reads a tree are faults of the tree. */
async function believed<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof RepoError) throw cause
    throw new RepoError(`The tree of the repository is refused: ${messageOf(cause)}.`, { cause })
  }
}

/** The message may quote any amount of the file. */
function messageOf(cause: unknown): string {
  return cleanText(cause instanceof Error ? cause.message : String(cause)).slice(0, 300)
}

const maxCommitBytes = 2_000_000

/** `fields`: all that is decoded, to verify the signature. */
function readCommit(bytes: Uint8Array) {
  const fields = decodeCommit(bytes)
  const { did, version, data, rev } = fields
  if (version !== 3) throw new RepoError('The commit is not of version 3.')
  if (typeof did !== 'string' || !isValidDid(did)) throw new RepoError('The commit names no DID.')
  if (typeof rev !== 'string' || !isValidTid(rev))
    throw new RepoError('The commit has no revision that is a TID.')
  if (!isCid(data)) throw new RepoError('The commit names no tree.')
  return { fields, did, rev, data }
}

function decodeCommit(bytes: Uint8Array): Record<string, LexValue> {
  if (bytes.length > maxCommitBytes)
    throw new RepoError(`The commit has more than ${grouped(maxCommitBytes)} bytes.`)
  try {
    const value = decode(bytes)
    if (typeof value === 'object' && value !== null) return value as Record<string, LexValue>
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new RepoError(`The commit is not DAG-CBOR: ${why}.`, { cause })
  }
  throw new RepoError('The commit is no object.')
}

/**
 * Verifies the signature of a commit (https://atproto.com/specs/cryptography). `commit`: all decoded fields, including
 * `sig`; `didKey`: a `did:key`.
 * OpenSSL verifies five to thirty times as fast as the JavaScript of the official packages.
 */
export function isSignedBy(commit: Readonly<Record<string, LexValue | undefined>>, didKey: string): boolean {
  const { sig, ...unsigned } = commit
  if (!(sig instanceof Uint8Array) || sig.length !== 64) return false
  const { key, halfOrder } = keys.memo(didKey)
  // Only the low-S form of the two valid signatures is accepted, so that signatures are not malleable.
  if (Buffer.compare(sig.subarray(32), halfOrder) > 0) return false
  return verify('sha256', encode(unsigned as LexValue), { key, dsaEncoding: 'ieee-p1363' }, sig)
}

/** About 30 MB. */
const keys = new LRUCache({ max: 10_000, memoMethod: readKey })

/** `halfOrder`: half the order of the key's curve. */
function readKey(didKey: string) {
  const { jwtAlg, keyBytes } = parseDidKey(didKey)
  const isP256 = jwtAlg === P256_JWT_ALG
  const coordinate = (from: number): string =>
    Buffer.from(keyBytes.subarray(from, from + 32)).toString('base64url')
  // The first byte marks an uncompressed point.
  const jwk = { kty: 'EC', crv: isP256 ? 'P-256' : 'secp256k1', x: coordinate(1), y: coordinate(33) }
  return { key: createPublicKey({ key: jwk, format: 'jwk' }), halfOrder: isP256 ? halfP256 : halfK256 }
}

const halfP256 = Buffer.from('7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8', 'hex')
const halfK256 = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex')
