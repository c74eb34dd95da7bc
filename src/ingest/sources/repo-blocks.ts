/**
 * What a CAR file of a repository has in it: the signed commit, the nodes of its tree, and records
 * (https://atproto.com/specs/repository). Taken apart here and not by the official library, which is several
 * times slower and keeps what a hostile file can make arbitrarily large: this holds the file and an index of it.
 */
import { hash } from 'node:crypto'
import { decode } from '@atproto/lex-cbor'
import { type Cid, isCid, type LexValue } from '@atproto/lex-data'
import { lexToJson } from '@atproto/lex-json'
import { isValidDid, isValidTid } from '@atproto/syntax'
import type { Change, RejectionReason } from '../../database/changes.ts'
import { formatCid } from '../../lexicon/cid.ts'
import { cleanText } from '../../util/clean.ts'
import type { ChangeReader, Observation } from './change-reader.ts'

/** The file is nothing of a repository that can be believed; the message says why. */
export class RepoError extends Error {
  override name = 'RepoError'
  /** Whether another attempt may go better. */
  shouldRetry(): boolean {
    return false
  }
}

/** The file stops too early, as a transfer does that was cut. */
export class CutRepoError extends RepoError {
  override name = 'CutRepoError'
  override shouldRetry(): boolean {
    return true
  }
}

export class MissingBlockError extends RepoError {
  override name = 'MissingBlockError'
}

/** The bytes of a block, whose hash is checked. Throws a `MissingBlockError` when it is not there. */
export type Blocks = (cid: Uint8Array) => Uint8Array

/** https://ipld.io/specs/transport/car/carv1/ */
export function indexCar(car: Uint8Array): { readonly root: Uint8Array; readonly blocks: Blocks } {
  const buffer = Buffer.from(car.buffer, car.byteOffset, car.byteLength)
  const header = readSection(buffer, 0)
  const root = readRoot(header.bytes)
  const places = new Map<string, number>()
  for (let at = header.end; at < buffer.length; ) {
    const { bytes, end } = readSection(buffer, at)
    if (bytes.length < cidLength || bytes[0] !== 1 || bytes[2] !== 0x12 || bytes[3] !== 0x20)
      throw new RepoError(`The CAR file has a block at byte ${at} without a CID of version 1 and SHA-256.`)
    places.set(bytes.toString('latin1', 0, cidLength), at)
    if (places.size > maxBlocks)
      throw new RepoError(`The CAR file has more than ${maxBlocks.toLocaleString('en')} blocks.`)
    at = end
  }
  const blocks = (cid: Uint8Array): Uint8Array => {
    const at = places.get(Buffer.from(cid.buffer, cid.byteOffset, cid.byteLength).toString('latin1'))
    if (at === undefined) throw new MissingBlockError(`The block ${formatCid(cid)} is missing.`)
    const bytes = readSection(buffer, at).bytes.subarray(cidLength)
    if (hash('sha256', bytes, 'buffer').compare(cid, 4) !== 0)
      throw new RepoError(`The block ${formatCid(cid)} has other bytes than its CID says.`)
    return bytes
  }
  return { root, blocks }
}

/** Each takes some hundred bytes of memory beside its own. */
const maxBlocks = 5_000_000
/** Larger blocks are neither nodes of a tree nor records. */
export const maxBlockBytes = 2_000_000
/** Version, codec, hash function and its length in a byte each, and 32 of the hash. */
const cidLength = 36

/** Its length as a varint, and so many bytes. */
function readSection(buffer: Buffer, from: number): { readonly bytes: Buffer; readonly end: number } {
  let length = 0
  let at = from
  for (let unit = 1; ; unit *= 128) {
    const byte = buffer[at++]
    if (byte === undefined) throw new CutRepoError('The CAR file ends in the middle of a length.')
    length += (byte & 127) * unit
    if (byte < 128) break
    if (at - from === 8) throw new RepoError(`The CAR file has an impossible length at byte ${from}.`)
  }
  const end = at + length
  if (end > buffer.length) throw new CutRepoError('The CAR file ends in the middle of a block.')
  return { bytes: buffer.subarray(at, end), end }
}

function readRoot(header: Buffer): Uint8Array {
  const value = decodeObject(header, 'The header of the CAR file')
  const roots: unknown = value.roots
  const [root] = Array.isArray(roots) ? roots : []
  if (value.version !== 1 || !isCid(root))
    throw new RepoError('The CAR file has no header of version 1 with a root.')
  return root.bytes
}

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

export interface Node {
  readonly left: Cid | null
  /** In the order in which the node has them. */
  readonly entries: readonly Entry[]
}

interface Entry {
  /** `collection/rkey`. */
  readonly key: string
  readonly cid: Uint8Array
  /** The tree of the keys between this one and the next. */
  readonly right: Cid | null
}

/** https://atproto.com/specs/repository#mst-structure */
export function readNode(bytes: Uint8Array): Node {
  const { l, e } = decodeObject(bytes, 'A node of the tree')
  if (!isCidOrNull(l) || !Array.isArray(e)) throw wrongNode()
  let last = ''
  const entries = e.map((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) throw wrongNode()
    const { p, k, v, t } = entry as Record<string, unknown>
    if (typeof p !== 'number' || !(k instanceof Uint8Array) || !isCid(v) || !isCidOrNull(t)) throw wrongNode()
    if (p < 0 || p > last.length || p + k.length > maxKeyBytes) throw wrongNode()
    const key = last.slice(0, p) + Buffer.from(k.buffer, k.byteOffset, k.byteLength).toString('latin1')
    if (key <= last) throw new RepoError(`The tree has the key "${key}" after "${last}".`)
    last = key
    return { key, cid: v.bytes, right: t }
  })
  return { left: l, entries }
}

/**
 * Finds the CIDs of records by their keys `collection/rkey`, null where the tree has none. Of the tree only
 * the nodes on the way need to be there.
 */
export function openTree(blocks: Blocks, root: Cid): (key: string) => Uint8Array | null {
  const nodes = new Map<Cid, Node>()
  const nodeAt = (cid: Cid): Node => {
    const known = nodes.get(cid)
    if (known !== undefined) return known
    const node = readNode(blocks(cid.bytes))
    nodes.set(cid, node)
    return node
  }
  return (key) => {
    let at: Cid | null = root
    for (let depth = 0; at !== null; depth++) {
      if (depth > maxTreeDepth) throw new RepoError(`The tree is deeper than ${maxTreeDepth} nodes.`)
      const { left, entries } = nodeAt(at)
      at = left
      for (const entry of entries) {
        if (entry.key === key) return entry.cid
        if (entry.key > key) break
        at = entry.right
      }
    }
    return null
  }
}

const maxKeyBytes = 1024
/** Layers of a tree that has its keys by their hashes: a quarter as many for each. */
export const maxTreeDepth = 128

function wrongNode(): RepoError {
  return new RepoError('The tree has a node that is not as the specification of repositories says.')
}

function isCidOrNull(value: unknown): value is Cid | null {
  return value === null || isCid(value)
}

function decodeObject(bytes: Uint8Array, what: string): Record<string, LexValue> {
  if (bytes.length > maxBlockBytes)
    throw new RepoError(`${what} has more than ${maxBlockBytes.toLocaleString('en')} bytes.`)
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
    return refuse(
      'too-large',
      `The record has more than ${maxBlockBytes.toLocaleString('en')} bytes of DAG-CBOR.`,
    )
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
