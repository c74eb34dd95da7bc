/**
 * Turns frames of a firehose into changes, by the proofs of commits and by what hosts and directory say about accounts.
 * No input of a server causes more than a refusal.
 */
import type { Change } from '../../../database/changes.ts'
import { cleanText } from '../../../util/text/messages.ts'
import { inOrder } from '../../channel.ts'
import { createChangeReader, type NetworkReaderOptions } from '../change-reader.ts'
import { createHosts, HostError, type Hosts } from '../repos/hosts.ts'
import type { Account, Identity, IdentityOptions } from '../repos/identity.ts'
import { createIdentity, IdentityError } from '../repos/identity.ts'
import type { GroupContent } from '../stream.ts'
import { type Frame, readFrame, type StreamNotice } from './firehose-frame.ts'
import { createRepoEventReader, keptOfEvent, type KeyLookup, refuse } from './repo-events.ts'

/** Plain data, so that it can be sent to a thread. */
export interface FirehoseReaderOptions {
  /** The source's name, stored with rejections. */
  readonly name: string
  readonly reader: NetworkReaderOptions
  readonly identity: IdentityOptions
}

/** Frames in one buffer that can be transferred. */
export interface FrameGroup {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The end of each frame in `bytes`. */
  readonly ends: readonly number[]
  /** Accounts whose identity changed, according to a frame in another thread. */
  readonly changed?: readonly string[]
  /** The sending host if it is a PDS, which is an authority only for its own accounts; else null. */
  readonly pds?: string | null
}

export interface ParsedGroup extends GroupContent {
  /** The last sequence number in the group. */
  readonly seq: string | null
  readonly notices: readonly StreamNotice[]
  /** The number before the first sequence number: this cursor repeats the whole group. */
  readonly before: string | null
}

type AccountEvent = Extract<Change, { readonly kind: 'account' }>

/** The host of frames, and the value of `identity.asked()` when they arrived. */
interface Origin {
  readonly pds: string | null
  readonly asked: number
}

type ReadFrame = Frame & { readonly changes: readonly Change[] }

/** `now`: microseconds. */
export function createFirehoseReader(
  { name, reader: readerOptions, identity: identityOptions }: FirehoseReaderOptions,
  now: () => bigint = () => BigInt(Date.now()) * 1_000n,
): (frames: FrameGroup) => Promise<ParsedGroup> {
  const reader = createChangeReader(readerOptions)
  const identity = createIdentity(identityOptions)
  const { timeoutMs } = identityOptions
  const inTime = createWaiting(timeoutMs)
  const keyOf: KeyLookup = async (did, options) =>
    (await inTime(did, identity.account(did, options))).signingKey
  const readRepoEvent = createRepoEventReader(name, reader, keyOf, now)
  const accountAfter: Identity['accountAfter'] = (did, asked) =>
    inTime(did, identity.accountAfter(did, asked))
  const judge = createAccountJudge(accountAfter, createHosts(identity.fetch), now, timeoutMs)

  const readEvent = async (
    { event, at }: Pick<Frame, 'event' | 'at'>,
    bytes: Uint8Array,
    origin: Origin,
  ): Promise<readonly Change[]> => {
    if (event.kind === 'commit' || event.kind === 'sync') return readRepoEvent(event)
    if (event.kind === 'refused') return [refuse(name, event.reason, event.message, hex(bytes))]
    if (event.kind === 'identity') {
      identity.forget(event.did)
      return [event]
    }
    if (event.kind !== 'account') return []
    const status = event.active ? null : (event.status ?? 'deactivated')
    const change: AccountEvent = { ...event, status, eventAt: at ?? now() }
    return origin.pds === null ? [change] : judge(change, origin)
  }

  return async ({ bytes, ends, changed = [], pds = null }) => {
    for (const did of changed) identity.forget(did)
    const origin = { pds, asked: identity.asked() }
    const read = async (bytes: Uint8Array): Promise<ReadFrame> => {
      const frame = readFrame(bytes, reader, now())
      return { ...frame, changes: await readEvent(frame, bytes, origin) }
    }
    return gather(await Array.fromAsync(inOrder(cut(bytes, ends), read, lookUpsAtOnce)))
  }
}

const lookUpsAtOnce = 32
/** Timeout in milliseconds for the host of an account. */
const hostTimeout = 2_000
/** Microseconds. */
const aMinute = 60_000_000n

/** The changes of all frames, and how far they reach. */
function gather(frames: readonly ReadFrame[]): ParsedGroup {
  const changes = frames.flatMap((frame) => frame.changes)
  const numbers = frames.flatMap(({ seq }) => seq ?? [])
  const [first] = numbers
  return {
    changes,
    seq: numbers.at(-1) ?? null,
    at: frames.findLast(({ at }) => at !== null)?.at ?? null,
    notices: frames.flatMap(({ event }) => (event.kind === 'info' || event.kind === 'error' ? event : [])),
    isFuture: frames.some(({ isFuture }) => isFuture) || changes.some(isFromFuture),
    before: first === undefined ? null : String(Math.max(0, Number(first) - 1)),
  }
}

/**
 * Decides about an account event of a PDS, by a DID document requested after the event. The event counts if the PDS is the account's host, or if the
 * account has no host and is inactive; another host is asked for the status. If the host is unknown, the account is
 * shown if active; fetching its repository asks its host anyway. `now`: microseconds.
 */
function createAccountJudge(
  accountAfter: Identity['accountAfter'],
  hosts: Pick<Hosts, 'repoStatus'>,
  now: () => bigint,
  timeoutMs = hostTimeout,
): (change: AccountEvent, origin: Origin) => Promise<Change[]> {
  /** URL of the account's host; null if it has none, undefined if that cannot be determined now. */
  const hostAfter = async (did: string, asked: number): Promise<string | null | undefined> => {
    try {
      return (await accountAfter(did, asked)).pds
    } catch (error) {
      if (!(error instanceof IdentityError)) throw error
      return error.shouldRetry() ? undefined : null
    }
  }
  return async (change, { pds, asked }) => {
    const { did, active } = change
    const host = await hostAfter(did, asked)
    const isBelieved = host === undefined ? active : host === null ? !active : new URL(host).host === pds
    if (isBelieved) return [change]
    const says = `${pds} says that it is ${active ? 'active' : change.status}`
    const wanted = { kind: 'repo-request', did, ifKnown: true } as const
    if (host == null) {
      const reason = cleanText(`${says}; whether it is its host could not be told.`)
      return [{ ...wanted, reason, dueAt: now() + aMinute }]
    }
    try {
      return [{ ...change, ...(await hosts.repoStatus(host, did, AbortSignal.timeout(timeoutMs))) }]
    } catch (error) {
      if (!(error instanceof HostError || error instanceof DOMException)) throw error
      // The account's host does not have the repository either.
      if (!active && error instanceof HostError && error.code === 'RepoNotFound') return [change]
      return [{ ...wanted, reason: cleanText(`${says}, but is not its host.`) }]
    }
  }
}

function isFromFuture(change: Change): boolean {
  return change.kind === 'reject' && change.reason === 'future-revision'
}

/**
 * Limits the wait for an account, because a slow server of one account would delay all others.
 * A late resolution continues in the background; until it ends, further requests for the account fail at once.
 */
function createWaiting(timeoutMs?: number): (did: string, found: Promise<Account>) => Promise<Account> {
  const overdue = new Set<string>()
  return async (did, found) => {
    if (overdue.has(did)) {
      // The failure is handled where the resolution began.
      found.catch(() => {})
      throw tooSlow(did)
    }
    const late = Promise.withResolvers<null>()
    const limit = timeoutMs ?? (did.startsWith('did:plc:') ? directoryTimeout : timeout)
    const timer = setTimeout(late.resolve, limit, null)
    try {
      const account = await Promise.race([found, late.promise])
      if (account !== null) return account
    } finally {
      clearTimeout(timer)
    }
    overdue.add(did)
    const settle = (): boolean => overdue.delete(did)
    found.then(settle, settle)
    throw tooSlow(did)
  }
}

/** Timeout in milliseconds for an account's own server. */
const timeout = 500
/** Timeout in milliseconds for the directory, which accounts cannot slow; a timeout costs a request for a repository. */
const directoryTimeout = 3_000

function tooSlow(did: string): IdentityError {
  return new IdentityError(`The key of ${did} could not be looked up in time.`, { passing: true })
}

async function* cut(bytes: Uint8Array, ends: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0
  for (const end of ends) {
    yield bytes.subarray(from, end)
    from = end
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, keptOfEvent / 2)).toString('hex')
}
