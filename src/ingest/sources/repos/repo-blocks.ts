/**
 * Reads the signed commit, the tree and the records in a CAR file (https://atproto.com/specs/repository), with the
 * official library for the file and the tree.
 */
import { decode } from '@atproto/lex-cbor'
import { type Cid, isCid, type LexValue } from '@atproto/lex-data'
import { lexToJson } from '@atproto/lex-json'
import { MST, ReadableBlockstore, readCarStream } from '@atproto/repo'
import { isValidDid, isValidTid } from '@atproto/syntax'
import type { Change, RejectionReason } from '../../../database/changes.ts'
import { cleanText } from '../../../util/text/clean.ts'
import type { ChangeReader, Observation } from '../change-reader.ts'
import { grouped } from '../../../util/text/counted.ts'

/** The repository is invalid; the message says why. */
export class RepoError extends Error {
  override name = 'RepoError'
  /** Whether another attempt may succeed. */
  shouldRetry(): boolean {
    return false
  }
}

/** The file was damaged in transit, or its repository changed while a host without snapshots exported it. */
export class PassingRepoError extends RepoError {
  override shouldRetry(): boolean {
    return true
  }
}

/** A commit with its tree and records; a block whose hash differs from its CID is refused. */
export interface SignedRepo {
  readonly root: Cid
  readonly commit: Commit
  /** The CID of the record at `collection/rkey`; null if the tree has none. Throws a `RepoError`. */
  readonly find: (key: string) => Promise<Cid | null>
  /** All records in the order of the tree. Throws a `RepoError`. */
  readonly leaves: () => AsyncGenerator<Leaf>
  /** The bytes of a record; null if they are missing. */
  readonly block: (cid: Cid) => Promise<Uint8Array | null>
}

export interface Leaf {
  /** `collection/rkey`. */
  readonly key: string
  readonly cid: Cid
}

/** Throws a `RepoError`. */
export async function openCar(car: Uint8Array): Promise<SignedRepo> {
  const sections = countSections(car)
  const { root, storage } = await readBlocks(car).catch((cause: unknown) => {
    // It may have been damaged in transit.
    throw new PassingRepoError(`The CAR file cannot be read: ${messageOf(cause)}.`, { cause })
  })
  const bytes = storage.find(root)
  if (bytes === null) throw new PassingRepoError('The CAR file does not have the commit that it names.')
  const commit = readCommit(bytes)
  const tree = MST.load(storage, commit.data)
  return {
    root,
    commit,
    find: (key) => believed(() => tree.get(key)),
    block: async (cid) => storage.find(cid),
    leaves: async function* () {
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
    if (bytes === null) throw new PassingRepoError(`The node ${cid} of the tree is missing.`)
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

/**
 * Counts the sections of a file (https://ipld.io/specs/transport/car/carv1/) and checks their sizes, because the
 * library limits neither lengths nor the number of blocks.
 */
function countSections(car: Uint8Array): number {
  let sections = 0
  let at = 0
  while (at < car.length) {
    let length = 0
    for (let unit = 1; ; unit *= 128) {
      const byte = car[at++]
      if (byte === undefined)
        throw new PassingRepoError('The CAR file cannot be read: it ends in the middle of a length.')
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
  if (at > car.length)
    throw new PassingRepoError('The CAR file cannot be read: it ends in the middle of a block.')
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

/** Maximum size of a record or commit. */
const maxBlockBytes = 2_000_000

export interface Commit {
  /** All decoded fields, to verify the signature. */
  readonly fields: Readonly<Record<string, LexValue | undefined>>
  readonly did: string
  readonly rev: string
  /** The root of the tree. */
  readonly data: Cid
}

function readCommit(bytes: Uint8Array): Commit {
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
  if (bytes.length > maxBlockBytes)
    throw new RepoError(`The commit has more than ${grouped(maxBlockBytes)} bytes.`)
  try {
    const value = decode(bytes)
    if (typeof value === 'object' && value !== null) return value as Record<string, LexValue>
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new RepoError(`The commit is not DAG-CBOR: ${why}.`, { cause })
  }
  throw new RepoError('The commit is no object.')
}

/** Turns the block of a record into a change. The caller has verified that the tree has the record at this path. */
export function readRecord(
  reader: ChangeReader,
  place: Omit<Observation, 'value'> & { readonly cid: string },
  bytes: Uint8Array,
  source: string,
): Change {
  const { did, collection, rkey, rev, cid } = place
  const refuse = (reason: RejectionReason, message: string): Change => {
    const uri = `at://${did}/${collection}/${rkey}`
    const cbor = Buffer.from(bytes.subarray(0, keptOfRecord)).toString('base64')
    return {
      kind: 'reject',
      source,
      uri,
      reason,
      message: cleanText(message),
      record: JSON.stringify({ uri, cid, rev, cbor }),
      rev,
    }
  }
  if (bytes.length > maxBlockBytes)
    return refuse('too-large', `The record has more than ${grouped(maxBlockBytes)} bytes of DAG-CBOR.`)
  try {
    return reader.read({ ...place, value: decodeRecord(bytes) }, source)
  } catch (error) {
    // Not DAG-CBOR, or nested too deeply for anything but decoding.
    return refuse('malformed', `The record cannot be read: ${error instanceof Error ? error.message : ''}.`)
  }
}

/** Bytes that are stored of a record without a JSON form. */
const keptOfRecord = 48_000

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
