/**
 * What a CAR file of a repository has in it: the signed commit, the tree, and records
 * (https://atproto.com/specs/repository). The file and the tree are read with the official library.
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

/** The file is nothing of a repository that can be believed; the message says why. */
export class RepoError extends Error {
  override name = 'RepoError'
  /** Whether another attempt may go better. */
  shouldRetry(): boolean {
    return false
  }
}

/** The file was damaged on the way, or its repository was written to while a host without snapshots made it. */
export class PassingRepoError extends RepoError {
  override shouldRetry(): boolean {
    return true
  }
}

/** A commit with what came beside it; blocks whose bytes have another hash than their CIDs say are refused. */
export interface SignedRepo {
  readonly root: Cid
  readonly commit: Commit
  /** The CID of the record at `collection/rkey`, null where the tree has none. Throws a `RepoError`. */
  readonly find: (key: string) => Promise<Cid | null>
  /** All records, in the order of the tree. Throws a `RepoError`. */
  readonly leaves: () => AsyncGenerator<Leaf>
  /** The bytes of a record; null when they did not come. */
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
    // It may have been damaged on the way.
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
        // A node that is met twice could make the way longer than any file.
        if (++nodes > sections || depth > maxTreeDepth)
          throw new RepoError('The tree has more nodes or layers than there can be.')
        for (const entry of await believed(() => node.getEntries())) {
          // Loaded anew, because a node keeps all that is read below it.
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

/** By the bytes of their CIDs: by their texts, as the library keeps them, each takes almost two kilobytes. */
class CarBlocks extends ReadableBlockstore {
  readonly #blocks = new Map<string, Uint8Array>()

  add(cid: Cid, bytes: Uint8Array): void {
    this.#blocks.set(keyOf(cid), bytes)
  }

  /** Null when it did not come. */
  find(cid: Cid): Uint8Array | null {
    return this.#blocks.get(keyOf(cid)) ?? null
  }

  /** Of the tree. */
  async getBytes(cid: Cid): Promise<Uint8Array> {
    const bytes = this.find(cid)
    if (bytes === null) throw new PassingRepoError(`The node ${cid} of the tree is missing.`)
    return bytes
  }

  async has(cid: Cid): Promise<boolean> {
    return this.#blocks.has(keyOf(cid))
  }

  /** Only writing asks for several. */
  getBlocks(): Promise<never> {
    throw new Error('The blocks of a file are read one by one.')
  }
}

function keyOf({ bytes }: Cid): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

/** Layers of a tree that has its keys by their hashes: a quarter as many for each. */
const maxTreeDepth = 128
/** Blocks and the header; each takes some hundred bytes beside its own. */
const maxSections = 2_000_000
/** Of a block; those of records and of trees are smaller. */
const maxSectionBytes = 8_000_000

/**
 * Looks over the parts of a file (https://ipld.io/specs/transport/car/carv1/) before the library does, which
 * would follow impossible lengths and keep any number of blocks; how many parts there are.
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

/** What the library says of a tree is the tree's fault. */
async function believed<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof RepoError) throw cause
    throw new RepoError(`The tree of the repository is refused: ${messageOf(cause)}.`, { cause })
  }
}

/** It may quote what the file has, however long that is. */
function messageOf(cause: unknown): string {
  return cleanText(cause instanceof Error ? cause.message : String(cause)).slice(0, 300)
}

/** Larger blocks are no records. */
export const maxBlockBytes = 2_000_000

export interface Commit {
  /** As decoded, for its signature. */
  readonly fields: Readonly<Record<string, LexValue | undefined>>
  readonly did: string
  readonly rev: string
  /** The root of the tree. */
  readonly data: Cid
}

export function readCommit(bytes: Uint8Array): Commit {
  const fields = decodeObject(bytes, 'The commit')
  const { did, version, data, rev } = fields
  if (version !== 3) throw new RepoError('The commit is not of version 3.')
  if (typeof did !== 'string' || !isValidDid(did)) throw new RepoError('The commit names no DID.')
  if (typeof rev !== 'string' || !isValidTid(rev))
    throw new RepoError('The commit has no revision that is a TID.')
  if (!isCid(data)) throw new RepoError('The commit names no tree.')
  return { fields, did, rev, data }
}

function decodeObject(bytes: Uint8Array, what: string): Record<string, LexValue> {
  if (bytes.length > maxBlockBytes)
    throw new RepoError(`${what} has more than ${grouped(maxBlockBytes)} bytes.`)
  try {
    const value = decode(bytes)
    if (typeof value === 'object' && value !== null) return value as Record<string, LexValue>
  } catch (cause) {
    throw new RepoError(
      `${what} is not DAG-CBOR: ${cause instanceof Error ? cause.message : String(cause)}.`,
      {
        cause,
      },
    )
  }
  throw new RepoError(`${what} is no object.`)
}

/** A record's block to what it asks for; the repository is known to have it at this place. */
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
    // It is no DAG-CBOR, or nested so deeply that it can be decoded and no more.
    return refuse('malformed', `The record cannot be read: ${error instanceof Error ? error.message : ''}.`)
  }
}

/** So much is kept of a record that has no form in JSON. */
const keptOfRecord = 48_000

/** In the JSON form of the data model. */
function decodeRecord(bytes: Uint8Array): unknown {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!view.includes(byteOrderMark) || view.includes(standIn)) return lexToJson(decode(bytes))
  // The library drops a byte order mark at the beginning of a text, where scraped titles have one.
  const copy = Buffer.from(view)
  for (let at = copy.indexOf(byteOrderMark); at !== -1; at = copy.indexOf(byteOrderMark, at))
    copy.set(standIn, at)
  const json = JSON.stringify(lexToJson(decode(copy)))
  return JSON.parse(json.replaceAll(standIn.toString(), byteOrderMark.toString()))
}

const byteOrderMark = Buffer.from('\uFEFF')
/** A code that is no character and as long in UTF-8. */
const standIn = Buffer.from('\uFDD0')
