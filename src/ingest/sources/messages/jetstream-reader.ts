/** Turns events of Jetstream into changes; their form tells the first protocol from the second. */
import { isValidDid } from '@atproto/syntax'
import { parseRecordInstant } from '../../../util/instant.ts'
import { isObject, type Json } from '../../../util/is-object.ts'
import type { ChangeReader } from '../change-reader.ts'
import type { EventReader, ParsedEvent } from './message-reader.ts'
import { malformed, noDid, notice, readRecordEvent, readAccountStatus, unknown } from './message-reader.ts'

/** `now`: microseconds. */
export function createJetstreamReader(reader: ChangeReader, source: string, now: () => bigint): EventReader {
  return (event) => {
    const opened = '$type' in event ? openSecond(event) : openFirst(event)
    if (!('kind' in opened)) return opened
    const { kind, did, micros, body } = opened
    const at = readTime(micros, now())
    const isFuture = micros !== null && reader.isFuture(micros, now())
    const reading = readBody(kind, did, body, at ?? 0n)
    // The time becomes the cursor, so changes without a valid time are refused.
    if (at === null && reading.changes !== undefined)
      return { ...malformed('has no time, or one that cannot be'), isFuture }
    return { ...reading, at, isFuture: isFuture || reading.isFuture === true }
  }

  function readBody(kind: string, did: unknown, body: unknown, eventAt: bigint): ParsedEvent {
    if (kind === 'commit') {
      if (!isObject(body)) return malformed('is a commit without its members')
      return readRecordEvent(reader, source, body['operation'], { ...body, did }, now())
    }
    if (kind !== 'identity' && kind !== 'account' && kind !== 'sync') return unknown(kind)
    if (typeof did !== 'string') return malformed('has no "did" that is a string')
    if (!reader.wantsAccount(did)) return {}
    if (!isValidDid(did)) return noDid
    if (kind === 'identity') return { changes: [{ kind, did }] }
    if (kind === 'sync') return { changes: [{ kind: 'repo-request', did, reason: diverged, ifKnown: true }] }
    if (!isObject(body) || typeof body['active'] !== 'boolean')
      return malformed('has no "active" that is true or false')
    return { changes: [{ kind, did, ...readAccountStatus(body['active'], body['status']), eventAt }] }
  }
}

const diverged = 'Jetstream says that it has diverged'

interface Envelope {
  readonly kind: string
  readonly did: unknown
  /** Time at which the server received the event. */
  readonly micros: bigint | null
  readonly body: unknown
}

function openFirst(event: Json): Envelope | ParsedEvent {
  const { kind, did, time_us: time } = event
  if (typeof kind !== 'string') return malformed('has no "kind" that is a string')
  const micros = typeof time === 'number' && Number.isSafeInteger(time) ? BigInt(time) : null
  return { kind, did, micros, body: event[kind] }
}

function openSecond(frame: Json): Envelope | ParsedEvent {
  if (frame['$type'] === 'error') return { notice: notice('error', frame['error']) }
  if (frame['$type'] !== 'message') return unknown(frame['$type'])
  const { payload } = frame
  if (!isObject(payload) || typeof payload['$type'] !== 'string')
    return malformed('has no "payload" that is a JSON object with a "$type"')
  const kind = payload['$type'].slice(payload['$type'].indexOf('#') + 1)
  if (kind === 'info') {
    const { name } = payload
    return name === 'OutdatedCursor' ? { notice: notice('outdated', name) } : unknown(name)
  }
  // `time` may be older than the event if an operator imported times; cursors are based on `witnessedAt`.
  const { did, witnessedAt, time } = payload
  const text = witnessedAt ?? time
  const micros = typeof text === 'string' ? parseRecordInstant(text) : null
  return { kind, did, micros, body: kind === 'commit' ? payload : payload[kind] }
}

/** September 2001; servers take smaller cursors for sequence numbers, so that earlier times cannot be cursors. */
const earliest = 1_000_000_000_000_000n
/** Microseconds; clocks differ by less. */
const tolerance = 3_600_000_000n

function readTime(micros: bigint | null, now: bigint): bigint | null {
  if (micros === null || micros < earliest || micros > now + tolerance) return null
  return micros > now ? now : micros
}
