/** A source read by hand: what it delivers, tells and asks for, without a database behind it. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Change } from '../../src/database/database.ts'
import type { Delivery, Source } from '../../src/ingest/source.ts'
import type { NetworkReaderOptions } from '../../src/ingest/sources/change-reader.ts'
import { type Clock, createClock } from '../../src/ingest/sources/clock.ts'
import { liftTimeLimits } from '../support/network/time-limits.ts'
import { recordLexicon } from '../support/store/store.ts'
import { understand } from '../support/records/understand.ts'
import type { Publication } from './fake-server.ts'

/** The clock of this machine, compared with that of a server. */
export function clockBeside(server: string): Clock {
  return createClock({ maxClockSkew: 300, plcUrl: server })
}

export const collection = 'org.example.note'
export const noteLexicon = recordLexicon(collection, { text: { type: 'string', maxLength: 100_000 } })
const { set, tables } = understand([noteLexicon], {})

/** Takes notes of the publishers, or of everybody. */
export function noteReader(publishers: readonly string[] | null = null): NetworkReaderOptions {
  return { lexicons: set, tables, publishers: publishers === null ? null : new Set(publishers) }
}

/** An account of its own for each number. */
export function didOf(number: number): string {
  const letters = [...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('')
  return `did:plc:${letters.padStart(24, 'a')}`
}

/** A TID; greater numbers of microseconds give greater ones. */
export function tid(micros: number): string {
  let bits = BigInt(micros) << 10n
  let text = ''
  for (; text.length < 13; bits >>= 5n) text = '234567abcdefghijklmnopqrstuvwxyz'[Number(bits & 31n)]! + text
  return text
}

/** A note as its publisher's repository has it; `text` null deletes it. */
export function noteOf(did: string, rkey: string, rev: string, text: string | null): Publication {
  return { did, collection, rkey, rev, record: text === null ? null : { $type: collection, text } }
}

/** What a change says, short enough to compare; anything but records by its kind. */
export function gist(change: Change): string {
  switch (change.kind) {
    case 'put':
      return `${change.did.slice(-2)}/${change.rkey} ${change.rev} ${String(JSON.parse(change.json).text)}`
    case 'delete':
      return `${change.did.slice(-2)}/${change.rkey} ${change.rev} gone`
    case 'reject':
      return `reject ${change.reason}`
    case 'account':
      return `account ${change.did.slice(-2)} ${change.status ?? (change.active ? 'active' : 'inactive')}`
    case 'identity':
    case 'repo-request':
    case 'repo-end':
      return `${change.kind} ${change.did.slice(-2)}`
  }
}

/** Reads a source until it is stopped, acknowledging every delivery. */
export function follow(source: Source, { cursor = null }: { readonly cursor?: string | null } = {}) {
  const controller = new AbortController()
  const limits = liftTimeLimits()
  const deliveries: Delivery[] = []
  const changes: Change[] = []
  const states: string[] = []
  const notices: string[] = []
  let stored = cursor
  let delivered = 0
  let gate = Promise.withResolvers<void>()
  gate.resolve()
  const read = async (): Promise<void> => {
    const context = {
      cursor: () => stored,
      onState: (state: string, detail: string | null) =>
        void states.push(detail === null ? state : `${state}: ${detail}`),
      onNotice: (text: string) => void notices.push(text),
      signal: controller.signal,
    }
    for await (const delivery of source.deliveries(context)) {
      delivered += 1
      await gate.promise
      deliveries.push(delivery)
      changes.push(...delivery.changes)
      stored = delivery.cursor ?? stored
      await delivery.acknowledge?.()
    }
  }
  const ended = read()
  // Told when it is awaited.
  ended.catch(() => {})
  const stop = async (): Promise<void> => {
    controller.abort()
    gate.resolve()
    await ended.finally(() => limits[Symbol.dispose]())
  }
  return {
    deliveries,
    changes,
    states,
    notices,
    /** How many deliveries have come, with one that a pause holds back. */
    delivered: () => delivered,
    /** Of the last delivery that had one, as a database would keep it. */
    cursor: () => stored,
    /** Nothing is read until the result is called. */
    pause: () => {
      gate = Promise.withResolvers()
      return gate.resolve
    },
    stop,
    /** Resolves when the source is at its end. */
    ended,
    [Symbol.asyncDispose]: stop,
  }
}

/** What a few accounts do to a few notes; later ones have greater revisions. */
export const publications: fc.Arbitrary<readonly Publication[]> = fc
  .array(fc.record({ account: fc.nat(2), key: fc.nat(3), gone: fc.boolean() }), {
    minLength: 30,
    maxLength: 60,
  })
  .map((steps) =>
    steps.map(({ account, key, gone }, at) =>
      noteOf(didOf(account), `r${key}`, tid(at + 1), gone ? null : `text ${at}`),
    ),
  )

/** Whether the newest version of each record is the last that was published. */
export function endsAs(published: readonly Publication[], changes: readonly Change[]): boolean {
  const wanted = published.map(
    ({ did, rkey, rev, record }): Version => [`${did}/${rkey}`, rev, record === null],
  )
  return JSON.stringify(newestOf(versionsIn(changes))) === JSON.stringify(newestOf(wanted))
}

/** What is seen of a repository for the first time is newer than all that was seen of it before. */
export function assertInOrder(changes: readonly Change[]): void {
  const newest = new Map<string, string>()
  const known = new Set<string>()
  for (const [uri, rev] of versionsIn(changes)) {
    const [did = ''] = uri.split('/')
    const last = newest.get(did) ?? ''
    if (!known.has(uri + rev)) assert.ok(rev > last, `${uri} at ${rev} came after ${last}`)
    known.add(uri + rev)
    if (rev > last) newest.set(did, rev)
  }
}

type Version = readonly [uri: string, rev: string, gone: boolean]

function versionsIn(changes: readonly Change[]): readonly Version[] {
  return changes.flatMap((change) =>
    change.kind === 'put' || change.kind === 'delete'
      ? [[`${change.did}/${change.rkey}`, change.rev ?? '', change.kind === 'delete'] as const]
      : [],
  )
}

/** In the order of their URIs. */
function newestOf(versions: readonly Version[]): readonly Version[] {
  const newest = new Map<string, Version>()
  for (const version of versions)
    if (version[1] >= (newest.get(version[0])?.[1] ?? '')) newest.set(version[0], version)
  return [...newest.values()].toSorted(([a], [b]) => (a < b ? -1 : 1))
}
