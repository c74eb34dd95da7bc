/**
 * Messages of a stream to the changes they ask for, whichever server they are from. Pure computation, so that
 * any thread can do it. Whatever a server sends, at worst it is refused.
 */
import { isUtf8 } from 'node:buffer'
import { zstdDecompressSync } from 'node:zlib'
import { isValidDid, isValidRecordKey, isValidTid } from '@atproto/syntax'
import type { Change, RejectionReason } from '../../../database/database.ts'
import { jsonDepth } from '../../../util/text/json-depth.ts'
import type { ChangeReader } from '../change-reader.ts'
import { grouped } from '../../../util/text/counted.ts'
import { isObject } from '../../../util/is-object.ts'

export interface Message {
  /** Of a message that is too large only the beginning. */
  readonly data: string | Uint8Array
  /** Bytes, or characters of a text, as received. */
  readonly size: number
  /** What binary messages are compressed with; null where none may come. */
  readonly dictionary: Uint8Array | null
}

/** An event of a stream, read; all of it may be absent, which passes the event over. */
export interface ParsedEvent {
  readonly changes?: readonly Change[]
  readonly fault?: Fault
  /** Microseconds: when it happened, by the server's clock, but never later than now. */
  readonly at?: bigint | null
  /** What its acknowledgement names. */
  readonly id?: number
  readonly notice?: Notice
  /** It seems to come from the future. */
  readonly isFuture?: boolean
}

export type EventReader = (event: JsonObject) => ParsedEvent

export interface Fault {
  readonly reason: RejectionReason
  readonly message: string
}

/** What is not about one record, for the source to make sentences of. */
export interface Notice {
  /** `outdated`: the server no longer has what was asked for. */
  readonly kind: 'outdated' | 'error'
  /** The server's word for it, short enough to show. */
  readonly what: string
}

/** What several messages ask for together, in their order. */
export interface ParsedGroup {
  readonly changes: readonly Change[]
  /** Of the last event that has one. */
  readonly at: bigint | null
  readonly ids: readonly number[]
  readonly notices: readonly Notice[]
  /** Something seems to come from the future. */
  readonly isFuture: boolean
}

export type JsonObject = Readonly<Record<string, unknown>>

/** Larger messages are refused, and so is what unpacks to more; a record may have a million bytes. */
export const maxMessageBytes = 8_000_000
/** So much of a message is kept when it is refused. */
export const keptOfMessage = 64 * 1024

export function createGroupReader(
  source: string,
  readEvent: EventReader,
): (messages: readonly Message[]) => ParsedGroup {
  return (messages) => {
    const changes: Change[] = []
    const ids: number[] = []
    const notices: Notice[] = []
    let at: bigint | null = null
    let isFuture = false
    for (const message of messages) {
      const text = readText(message)
      const event = typeof text === 'string' ? parseEvent(text) : text
      const reading = isFault(event) ? { fault: event.fault } : readEvent(event.event)
      changes.push(...(reading.changes ?? []))
      if (reading.fault !== undefined) {
        const record = kept(typeof text === 'string' ? text : textOf(message.data))
        changes.push({ kind: 'reject', source, uri: null, ...reading.fault, record })
      }
      if (reading.id !== undefined) ids.push(reading.id)
      if (reading.notice !== undefined) notices.push(reading.notice)
      at = reading.at ?? at
      isFuture ||= reading.isFuture === true
    }
    return { changes, at, ids, notices, isFuture }
  }
}

/**
 * What a stream says of a record in its members `did`, `collection`, `rkey`, `rev`, `record` and `cid`,
 * in the JSON form of the data model.
 */
export function readRecordEvent(
  reader: ChangeReader,
  source: string,
  action: unknown,
  members: JsonObject,
  now: bigint,
): ParsedEvent {
  const { did, collection, rkey, rev, record, cid } = members
  if (typeof did !== 'string' || typeof collection !== 'string')
    return malformed('has no "did" or no "collection" that is a string')
  if (!reader.wants(did, collection)) return {}
  if (typeof rkey !== 'string' || typeof rev !== 'string')
    return malformed('has no "rkey" or no "rev" that is a string')
  if (!isValidDid(did)) return badUri('has a "did" that is no DID')
  if (!isValidRecordKey(rkey)) return badUri('has an "rkey" that is no record key')
  if (!isValidTid(rev)) return malformed('has a "rev" that is no TID')
  const future = reader.futureRevision(rev, now)
  if (future !== null) {
    const fault = { reason: 'future-revision', message: future } as const
    return { fault, isFuture: true, changes: [{ kind: 'repo-request', did, reason: future }] }
  }
  switch (action) {
    case 'create':
    case 'update':
      if (!isObject(record)) return malformed('has no "record" that is a JSON object')
      if (typeof cid !== 'string') return malformed('has no "cid" that is a string')
      return { changes: [reader.read({ did, collection, rkey, rev, cid, value: record }, source)] }
    case 'delete':
      return { changes: [{ kind: 'delete', did, collection, rkey, rev }] }
    default:
      return unknown(action)
  }
}

/** Whether an account is active, and if not, why; what is no short word is no reason. */
export function readAccountStatus(
  active: boolean,
  status: unknown,
): { readonly active: boolean; readonly status: string | null } {
  const known = !active && typeof status === 'string' && /^[\w-]{1,64}$/.test(status)
  return { active, status: known ? status : null }
}

export function malformed(what: string): { readonly fault: Fault } {
  return { fault: { reason: 'malformed', message: `The event ${what}.` } }
}

export function badUri(what: string): { readonly fault: Fault } {
  return { fault: { reason: 'bad-uri', message: `The event ${what}.` } }
}

/** What a later version of the protocol may have; `what` is the server's word for it. */
export function unknown(what: unknown): { readonly fault: Fault } {
  const message = `The event is of a kind that this version does not know, "${short(what)}".`
  return { fault: { reason: 'unknown-event', message } }
}

export function notice(kind: Notice['kind'], what: unknown): Notice {
  return { kind, what: short(what) }
}

function short(what: unknown): string {
  const text = typeof what === 'string' ? what : typeof what
  return clean(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}

/** Deeper than any record that is accepted, and shallow enough for all that is recursive. */
const maxNesting = 1_000

function readText({ data, size, dictionary }: Message): string | { readonly fault: Fault } {
  if (size > maxMessageBytes) return tooLarge
  if (typeof data === 'string') return data
  if (dictionary === null) return broken('is binary, though no compression was asked for')
  try {
    const bytes = zstdDecompressSync(data, { dictionary, maxOutputLength: maxMessageBytes })
    return isUtf8(bytes) ? bytes.toString() : broken('is not valid UTF-8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return tooLarge
    return broken('cannot be decompressed with the dictionary of its server')
  }
}

function parseEvent(text: string): { readonly event: JsonObject } | { readonly fault: Fault } {
  if (jsonDepth(text) > maxNesting) return broken(`is nested deeper than ${maxNesting} levels`)
  try {
    const event: unknown = JSON.parse(text)
    return isObject(event) ? { event } : broken('is no JSON object')
  } catch {
    return broken('is not JSON')
  }
}

function isFault<Other extends object>(
  value: Other | { readonly fault: Fault },
): value is { readonly fault: Fault } {
  return 'fault' in value
}

function broken(what: string): { readonly fault: Fault } {
  return { fault: { reason: 'malformed', message: `The message ${what}.` } }
}

const tooLarge: { readonly fault: Fault } = {
  fault: {
    reason: 'too-large',
    message: `The message has more than ${grouped(maxMessageBytes)} bytes; only its beginning is kept here.`,
  },
}

function textOf(data: string | Uint8Array): string {
  return typeof data === 'string' ? data : Buffer.from(data.subarray(0, keptOfMessage)).toString('latin1')
}

function kept(text: string): string {
  return clean(text.slice(0, keptOfMessage))
}

function clean(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}
