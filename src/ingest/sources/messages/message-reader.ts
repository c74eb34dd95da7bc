/**
 * Turns messages of a stream into changes, for all servers of JSON events. Pure computation, so that any thread can run
 * it. No input of a server causes more than a refusal.
 */
import { isUtf8 } from 'node:buffer'
import { zstdDecompressSync } from 'node:zlib'
import { isValidDid, isValidRecordKey, isValidTid } from '@atproto/syntax'
import type { Fault } from '../../../lexicon/records/validate.ts'
import { measureJson } from '../../../util/text/json-depth.ts'
import type { ChangeReader } from '../change-reader.ts'
import type { GroupContent } from '../stream.ts'
import { grouped } from '../../../util/text/counted.ts'
import { isObject, type Json, parseJson } from '../../../util/is-object.ts'

export interface Message {
  /** Only the beginning of a message that is too large. */
  readonly data: string | Uint8Array
  /** Bytes, or characters of text, as received. */
  readonly length: number
  /** Dictionary that binary messages are compressed with; null if none are allowed. */
  readonly dictionary: Uint8Array | null
}

/** A parsed event; an event without members is skipped. `at`: by the server's clock, but not later than now. */
export interface ParsedEvent extends Partial<GroupContent> {
  readonly fault?: Fault
  /** Identifier for the acknowledgement. */
  readonly id?: number
  readonly notice?: Notice
}

export type EventReader = (event: Json) => ParsedEvent

interface Refused {
  readonly fault: Fault
}

/** A notice without a record; the source words it for the operator. */
export interface Notice {
  /** `outdated`: the server no longer has events since the requested cursor. */
  readonly kind: 'outdated' | 'error'
  /** The server's name for it, shortened. */
  readonly what: string
}

export interface ParsedGroup extends GroupContent {
  readonly ids: readonly number[]
  readonly notices: readonly Notice[]
}

/** Maximum bytes of a message, also when decompressed; a record may have a million bytes. */
const maxMessageBytes = 8_000_000
/** Bytes of a message that are stored when it is refused. */
const keptOfMessage = 64 * 1024

/** Copies a message for a thread; only the beginning if it is over the limit, as it is refused. */
export function packMessage(data: string | Uint8Array, dictionary: Uint8Array | null): Message {
  const { length } = data
  if (length > maxMessageBytes) return { data: data.slice(0, keptOfMessage), length, dictionary }
  return { data: typeof data === 'string' ? data : new Uint8Array(data), length, dictionary }
}

export function createGroupReader(
  source: string,
  readEvent: EventReader,
): (messages: readonly Message[]) => ParsedGroup {
  const read = (message: Message): ParsedEvent => {
    const text = readText(message)
    const event = typeof text === 'string' ? parseEvent(text) : text
    const reading: ParsedEvent = 'fault' in event ? event : readEvent(event.event)
    const { changes = [], fault } = reading
    if (fault === undefined) return reading
    const whole = typeof text === 'string' ? text : textOf(message.data)
    const record = clean(whole.slice(0, keptOfMessage))
    const cut = (whole.length > keptOfMessage || text === tooLarge) && { cut: true }
    const refused = { kind: 'reject', source, uri: null, ...fault, record, ...cut } as const
    return { ...reading, changes: [...changes, refused] }
  }
  return (messages) => {
    const events = messages.map(read)
    return {
      changes: events.flatMap(({ changes = [] }) => changes),
      at: events.findLast(({ at = null }) => at !== null)?.at ?? null,
      ids: events.flatMap(({ id }) => id ?? []),
      notices: events.flatMap(({ notice }) => notice ?? []),
      isFuture: events.some(({ isFuture }) => isFuture),
    }
  }
}

/** `members`: `did`, `collection`, `rkey`, `rev`, `cid`, and `record` in the JSON form of the data model. */
export function readRecordEvent(
  reader: ChangeReader,
  source: string,
  action: unknown,
  members: Json,
  now: bigint,
): ParsedEvent {
  const { did, collection, rkey, rev, record, cid } = members
  if (typeof did !== 'string' || typeof collection !== 'string')
    return malformed('has no "did" or no "collection" that is a string')
  if (!reader.wants(did, collection)) return {}
  if (typeof rkey !== 'string' || typeof rev !== 'string')
    return malformed('has no "rkey" or no "rev" that is a string')
  if (!isValidDid(did)) return noDid
  if (!isValidRecordKey(rkey)) return refuse('bad-uri', 'The event has an "rkey" that is no record key.')
  if (!isValidTid(rev)) return malformed('has a "rev" that is no TID')
  const future = reader.futureRevision(rev, now)
  if (future !== null) {
    const fault = { reason: 'future-revision', message: future } as const
    return { fault, isFuture: true, changes: [{ kind: 'repo-request', did, reason: future }] }
  }
  if (action === 'delete') return { changes: [{ kind: 'delete', did, collection, rkey, rev }] }
  if (action !== 'create' && action !== 'update') return unknown(action)
  if (!isObject(record)) return malformed('has no "record" that is a JSON object')
  if (typeof cid !== 'string') return malformed('has no "cid" that is a string')
  return { changes: [reader.read({ did, collection, rkey, rev, cid, value: record }, source)] }
}

/** The account status; an inactive account's reason is dropped unless it is a short word. */
export function readAccountStatus(
  active: boolean,
  status: unknown,
): { readonly active: boolean; readonly status: string | null } {
  const known = !active && typeof status === 'string' && /^[\w-]{1,64}$/.test(status)
  return { active, status: known ? status : null }
}

function refuse(reason: Fault['reason'], message: string): Refused {
  return { fault: { reason, message } }
}

export function malformed(what: string): Refused {
  return refuse('malformed', `The event ${what}.`)
}

export const noDid = refuse('bad-uri', 'The event has a "did" that is no DID.')

/** For events of later versions of the protocol; `what` is the server's name for the event. */
export function unknown(what: unknown): Refused {
  return refuse('unknown-event', `The event is of a kind that this version does not know, "${short(what)}".`)
}

export function notice(kind: Notice['kind'], what: unknown): Notice {
  return { kind, what: short(what) }
}

function short(what: unknown): string {
  const text = typeof what === 'string' ? what : typeof what
  return clean(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}

/** Deeper than any accepted record, and shallow enough for recursive code. */
const maxNesting = 1_000

function readText({ data, length, dictionary }: Message): string | Refused {
  if (length > maxMessageBytes) return tooLarge
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

function parseEvent(text: string): { readonly event: Json } | Refused {
  if (measureJson(text).depth > maxNesting) return broken(`is nested deeper than ${maxNesting} levels`)
  const event = parseJson(text)
  if (event === undefined) return broken('is not JSON')
  return isObject(event) ? { event } : broken('is no JSON object')
}

function broken(what: string): Refused {
  return refuse('malformed', `The message ${what}.`)
}

const tooLarge = refuse(
  'too-large',
  `The message has more than ${grouped(maxMessageBytes)} bytes; only its beginning is kept here.`,
)

function textOf(data: string | Uint8Array): string {
  return typeof data === 'string' ? data : Buffer.from(data.subarray(0, keptOfMessage)).toString('latin1')
}

function clean(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}
