/**
 * Parses one frame of a firehose (https://atproto.com/specs/event-stream). Unwanted events are skipped before they are
 * validated; wanted events are checked to have the form that the protocol requires.
 */
import { decodeAll } from '@atproto/lex-cbor'
import { type Cid, isCid } from '@atproto/lex-data'
import { isValidDid, isValidNsid, isValidRecordKey, isValidTid } from '@atproto/syntax'
import type { AccountChange, RejectionReason } from '../../../database/changes.ts'
import { cleanText } from '../../../util/text/messages.ts'
import { parseRecordInstant } from '../../../util/instant.ts'
import type { ChangeReader } from '../change-reader.ts'
import { splitKey } from '../repos/repo-blocks.ts'
import { grouped } from '../../../util/text/counted.ts'
import { isObject, type Json } from '../../../util/is-object.ts'

export interface Frame {
  /** Sequence number in the stream, as text. */
  readonly seq: string | null
  /** Time in microseconds by the server's clock, but not later than now. */
  readonly at: bigint | null
  /** Whether the server's time is beyond the clock skew. */
  readonly isFuture: boolean
  readonly event: FirehoseEvent
}

export type FirehoseEvent =
  | CommitEvent
  | SyncEvent
  | { readonly kind: 'identity'; readonly did: string }
  | ({ readonly kind: 'account' } & Omit<AccountChange, 'eventAt'>)
  | StreamNotice
  | { readonly kind: 'refused'; readonly reason: RejectionReason; readonly message: string }
  | { readonly kind: 'unwanted' }

export interface CommitEvent extends Omit<SyncEvent, 'kind'> {
  readonly kind: 'commit'
  readonly cid: Cid
  /** Only wanted operations. */
  readonly ops: readonly RecordOp[]
  /** Number of operations in the commit, including unwanted ones. */
  readonly opCount: number
  /** The commit is marked as incomplete because of its size. */
  readonly tooBig: boolean
}

interface RecordOp {
  readonly collection: string
  readonly rkey: string
  /** Null: the record is deleted. */
  readonly cid: Cid | null
}

export interface SyncEvent {
  readonly kind: 'sync'
  readonly did: string
  readonly rev: string
  /** A CAR file. */
  readonly blocks: Uint8Array
}

/** A notice without an account; the source words it for the operator. */
export interface StreamNotice {
  /** `error` ends the connection. */
  readonly kind: 'info' | 'error'
  /** The server's name for it, shortened. */
  readonly name: string
  readonly message: string
}

/** The protocol's own limit is lower; decoding larger frames would take disproportionate memory. */
export const maxFrameBytes = 8_000_000

/** `now`: microseconds. */
export function readFrame(bytes: Uint8Array, reader: ChangeReader, now: bigint): Frame {
  const nowhere = { seq: null, at: null, isFuture: false }
  if (bytes.length > maxFrameBytes) {
    const message = `The frame has more than ${grouped(maxFrameBytes)} bytes.`
    return { ...nowhere, event: { kind: 'refused', reason: 'too-large', message } }
  }
  try {
    const { header, body } = decodeFrame(bytes)
    const time = typeof body.time === 'string' ? parseRecordInstant(body.time) : null
    const isFuture = time !== null && reader.isFuture(time, now)
    const at = time !== null && time > now ? now : time
    return { seq: readSeq(body.seq), at, isFuture, event: readEvent(header, body, reader) }
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error)
    return { ...nowhere, event: malformed(`cannot be decoded: ${what}`) }
  }
}

/** Whether the frame ends the stream: its header is `{op: -1}`, which has only one encoding in DAG-CBOR. */
export function isErrorFrame(frame: string | Uint8Array): boolean {
  return typeof frame !== 'string' && errorHeader.every((byte, at) => frame[at] === byte)
}

const errorHeader = Buffer.from([0xa1, 0x62, ...Buffer.from('op'), 0x20])

function decodeFrame(bytes: Uint8Array): { readonly header: Json; readonly body: Json } {
  const values = decodeAll(bytes)
  const header: unknown = values.next().value
  const body: unknown = values.next().value
  if (!isObject(header) || !isObject(body) || values.next().done !== true)
    throw new Error('it is not two objects of DAG-CBOR')
  return { header, body }
}

function readEvent({ op, t }: Json, body: Json, reader: ChangeReader): FirehoseEvent {
  if (op === -1) return { kind: 'error', name: clean(body.error), message: clean(body.message) }
  if (op !== 1 || typeof t !== 'string') return unknown(clean(t ?? op))
  if (t === '#commit') return readCommit(body, reader)
  if (t === '#info') return { kind: 'info', name: clean(body.name), message: clean(body.message) }
  if (t === '#sync' || t === '#identity' || t === '#account') return readAccountEvent(t, body, reader)
  return unknown(clean(t))
}

function readCommit(
  { repo, rev, commit, blocks, ops, tooBig }: Json,
  { wants, wantsAccount }: ChangeReader,
): FirehoseEvent {
  if (typeof repo !== 'string' || !Array.isArray(ops)) return malformed('has no "repo" or no "ops"')
  const wanted: unknown[] = ops.filter(
    (op: unknown) => !isObject(op) || typeof op.path !== 'string' || wants(repo, splitKey(op.path)[0]),
  )
  const cut = tooBig === true && wantsAccount(repo)
  if (wanted.length === 0 && !cut) return { kind: 'unwanted' }
  if (!isValidDid(repo)) return malformed('has a "repo" that is no DID')
  if (typeof rev !== 'string' || !isValidTid(rev)) return malformed('has a "rev" that is no TID')
  if (!isCid(commit)) return malformed('has a "commit" that is no CID')
  if (!(blocks instanceof Uint8Array)) return malformed('has "blocks" that are no bytes')
  const read = wanted.map(readOp)
  const wrong = read.find((op) => typeof op === 'string')
  if (wrong !== undefined) return malformed(wrong)
  return {
    kind: 'commit',
    did: repo,
    rev,
    cid: commit,
    blocks,
    ops: read.filter((op) => typeof op !== 'string'),
    opCount: ops.length,
    tooBig: cut,
  }
}

function readOp(op: unknown): RecordOp | string {
  if (!isObject(op) || typeof op.path !== 'string') return 'has an operation without a "path"'
  const { action, path, cid = null } = op
  const [collection, rkey] = splitKey(op.path)
  if (!isValidNsid(collection) || !isValidRecordKey(rkey))
    return `has an operation on "${clean(path)}", which is no collection with a record key`
  if (action === 'delete') return { collection, rkey, cid: null }
  if (action !== 'create' && action !== 'update')
    return `has an operation of the unknown kind "${clean(action)}"`
  return isCid(cid) ? { collection, rkey, cid } : 'has a record without its CID'
}

function readAccountEvent(
  t: '#sync' | '#identity' | '#account',
  { did, rev, blocks, active, status }: Json,
  { wantsAccount }: ChangeReader,
): FirehoseEvent {
  if (typeof did !== 'string') return malformed('has no "did"')
  if (!wantsAccount(did)) return { kind: 'unwanted' }
  if (!isValidDid(did)) return malformed('has a "did" that is no DID')
  if (t === '#identity') return { kind: 'identity', did }
  if (t === '#account') {
    if (typeof active !== 'boolean') return malformed('does not say whether the account is active')
    return { kind: 'account', did, active, status: typeof status === 'string' ? clean(status) : null }
  }
  if (typeof rev !== 'string' || !isValidTid(rev)) return malformed('has a "rev" that is no TID')
  if (!(blocks instanceof Uint8Array)) return malformed('has "blocks" that are no bytes')
  return { kind: 'sync', did, rev, blocks }
}

function readSeq(seq: unknown): string | null {
  const isCount = typeof seq === 'bigint' || (typeof seq === 'number' && Number.isSafeInteger(seq))
  return isCount && seq >= 0 ? String(seq) : null
}

function malformed(what: string): FirehoseEvent {
  return { kind: 'refused', reason: 'malformed', message: `The frame ${what}.` }
}

function unknown(name: string): FirehoseEvent {
  const message = `The event is of a kind that this version does not know, "${name}".`
  return { kind: 'refused', reason: 'unknown-event', message }
}

function clean(text: unknown): string {
  if (text === undefined || text === null) return ''
  return typeof text === 'string' ? cleanText(text, 200) : typeof text
}
