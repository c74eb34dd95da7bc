/** Turns events of Tap into changes (https://github.com/bluesky-social/indigo/tree/main/cmd/tap). */
import { isValidDid, isValidTid } from '@atproto/syntax'
import { timeOfTid } from '../../../util/instant.ts'
import { isObject, type Json } from '../../../util/is-object.ts'
import type { ChangeReader } from '../change-reader.ts'
import type { EventReader, ParsedEvent } from './message-reader.ts'
import { malformed, noDid, readRecordEvent, readAccountStatus, unknown } from './message-reader.ts'

/** `now`: microseconds. */
export function createTapReader(reader: ChangeReader, source: string, now: () => bigint): EventReader {
  const readBody = (event: Json): ParsedEvent => {
    const { type } = event
    if (typeof type !== 'string') return malformed('has no "type" that is a string')
    if (type !== 'record' && type !== 'identity') return unknown(type)
    const body = event[type]
    if (!isObject(body)) return malformed(`has no "${type}" that is a JSON object`)
    if (type === 'identity') return readIdentity(reader, body, now())
    const reading = readRecordEvent(reader, source, body['action'], body, now())
    return { ...reading, at: body['live'] === true ? timeOf(body['rev'], now()) : null }
  }
  return (event) => {
    const { id } = event
    // An event without `id` cannot be acknowledged. Refused events are acknowledged, or they would repeat for ever.
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0)
      return malformed('has no "id" that is a number of an event')
    return { ...readBody(event), id }
  }
}

function readIdentity(reader: ChangeReader, body: Json, now: bigint): ParsedEvent {
  const { did, is_active: active, status } = body
  if (typeof did !== 'string') return malformed('has no "did" that is a string')
  if (!reader.wantsAccount(did)) return {}
  if (!isValidDid(did)) return noDid
  if (typeof active !== 'boolean') return malformed('has no "is_active" that is true or false')
  return {
    changes: [
      { kind: 'account', did, ...readAccountStatus(active, status), eventAt: now },
      { kind: 'identity', did },
    ],
    at: now,
  }
}

function timeOf(rev: unknown, now: bigint): bigint | null {
  if (typeof rev !== 'string' || !isValidTid(rev)) return null
  const micros = timeOfTid(rev)
  return micros > now ? now : micros
}
