/**
 * Turns frames of a firehose into changes. A record counts only if the account signed the commit and the tree proves
 * the record (https://atproto.com/specs/sync); otherwise the event is refused and the repository requested, so that
 * nothing is lost. No input of a server causes more than a refusal.
 */
import type { Change, RejectionReason } from '../../../database/changes.ts'
import { formatCid } from '../../../lexicon/records/cid.ts'
import { cleanText } from '../../../util/text/messages.ts'
import { inOrder } from '../../channel.ts'
import { createChangeReader, type NetworkReaderOptions, readBlock } from '../change-reader.ts'
import type { GroupContent } from '../stream.ts'
import {
  type CommitEvent,
  type Frame,
  readFrame,
  type StreamNotice,
  type SyncEvent,
} from './firehose-frame.ts'
import { createHosts, HostError } from '../repos/hosts.ts'
import { type Account, createIdentity, IdentityError, type IdentityOptions } from '../repos/identity.ts'
import { openCar, RepoError, type SignedRepo, isSignedBy } from '../repos/repo-blocks.ts'

/** Plain data, so that it can be sent to a thread. */
export interface FirehoseReaderOptions {
  /** The source's name, stored with rejections. */
  readonly name: string
  readonly reader: NetworkReaderOptions
  readonly identity: IdentityOptions
}

/** Frames in one buffer that can be transferred. */
export interface FrameGroup {
  /** The frames, concatenated. */
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

interface ReadFrame extends Frame {
  readonly changes: readonly Change[]
}

type FirehoseReader = (frames: FrameGroup) => Promise<ParsedGroup>

/** `now`: microseconds. */
export function createFirehoseReader(
  { name, reader: readerOptions, identity: identityOptions }: FirehoseReaderOptions,
  now: () => bigint = () => BigInt(Date.now()) * 1_000n,
): FirehoseReader {
  const reader = createChangeReader(readerOptions)
  const identity = createIdentity(identityOptions)
  const { timeoutMs: hostMs = hostTimeout } = identityOptions
  const inTime = createWaiting(identityOptions.timeoutMs)
  const hosts = createHosts(identity.fetch)
  const keyOf = async (did: string, options?: { readonly fresh: boolean }): Promise<string | null> =>
    (await inTime(did, identity.account(did, options))).signingKey
  const refuse = (reason: RejectionReason, message: string, record: string): Change => ({
    kind: 'reject',
    source: name,
    uri: null,
    reason,
    message: cleanText(message),
    record,
  })

  /** Rejects an unproven event, without a URI or a revision, and requests the repository. */
  const doubt = (event: CommitEvent | SyncEvent, reason: RejectionReason, message: string): Change[] => {
    const { did, rev } = event
    const paths =
      event.kind === 'commit' ? event.ops.map(({ collection, rkey }) => `${collection}/${rkey}`) : []
    const record = JSON.stringify({ did, rev, ops: paths }).slice(0, keptOfEvent)
    return [refuse(reason, message, record), ...request(event, message)]
  }

  /** The commit if its account signed it; otherwise the changes that follow from its refusal. */
  const verify = async (event: CommitEvent | SyncEvent): Promise<SignedRepo | Change[]> => {
    const { did } = event
    const signed = await readSigned(event)
    const { fields } = signed.commit
    try {
      const signingKey = await keyOf(did)
      if (signingKey !== null && isSignedBy(fields, signingKey)) return signed
      // The account may have a new key.
      const newKey = await keyOf(did, { fresh: true })
      if (newKey !== null && newKey !== signingKey && isSignedBy(fields, newKey)) return signed
    } catch (error) {
      if (!(error instanceof IdentityError)) throw error
      return error.shouldRetry()
        ? request(event, error.message)
        : doubt(event, 'bad-signature', error.message)
    }
    return doubt(event, 'bad-signature', `The commit is not signed with the key of ${did}.`)
  }

  const readCommitEvent = async (event: CommitEvent): Promise<Change[]> => {
    const { did, rev, ops, opCount } = event
    const future = reader.futureRevision(rev, now())
    if (future !== null) return doubt(event, 'future-revision', future)
    if (event.tooBig) return request(event, 'A commit was too big to come with its records.')
    if (opCount > maxOps) {
      return doubt(event, 'too-large', `The commit changes ${opCount} records; ${maxOps} are allowed.`)
    }
    const verified = await verify(event)
    if (Array.isArray(verified)) return verified
    const changes: Change[] = []
    for (const { collection, rkey, cid } of ops) {
      const found = await verified.find(`${collection}/${rkey}`)
      if (found === null ? cid !== null : cid?.equals(found) !== true)
        throw new RepoError(`The tree of the commit has something else at ${collection}/${rkey}.`)
      if (found === null) {
        changes.push({ kind: 'delete', did, collection, rkey, rev })
        continue
      }
      const place = { did, collection, rkey, rev, cid: formatCid(found.bytes) }
      const block = await verified.block(found)
      if (block === null) changes.push(...request(event, `${collection}/${rkey} came without its record.`))
      else changes.push(readBlock(reader, place, block, name))
    }
    return changes
  }

  /**
   * Decides about an account event of a PDS, by a DID document requested after the event. The event counts if the PDS
   * is the account's host, or if the account has no host and is inactive; another host is asked for the status. If the
   * host is unknown, the account is shown if active; fetching its repository asks its host anyway.
   */
  const judge = async (change: AccountEvent, { pds, asked }: Origin): Promise<Change[]> => {
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
      return [{ ...change, ...(await hosts.repoStatus(host, did, AbortSignal.timeout(hostMs))) }]
    } catch (error) {
      if (!(error instanceof HostError || error instanceof DOMException)) throw error
      // The account's host does not have the repository either.
      if (!active && error instanceof HostError && error.code === 'RepoNotFound') return [change]
      return [{ ...wanted, reason: cleanText(`${says}, but is not its host.`) }]
    }
  }

  /** URL of the account's host; null if it has none, undefined if that cannot be determined now. */
  const hostAfter = async (did: string, asked: number): Promise<string | null | undefined> => {
    try {
      return (await inTime(did, identity.accountAfter(did, asked))).pds
    } catch (error) {
      if (!(error instanceof IdentityError)) throw error
      return error.shouldRetry() ? undefined : null
    }
  }

  const readEvent = async (
    { event, at }: Pick<Frame, 'event' | 'at'>,
    bytes: Uint8Array,
    origin: Origin,
  ): Promise<Change[]> => {
    switch (event.kind) {
      case 'commit':
        return readCommitEvent(event)
      case 'sync': {
        const future = reader.futureRevision(event.rev, now())
        if (future !== null) return doubt(event, 'future-revision', future)
        const verified = await verify(event)
        return Array.isArray(verified) ? verified : request(event, 'Its host says that it has diverged.')
      }
      case 'identity':
        identity.forget(event.did)
        return [event]
      case 'account': {
        const status = event.active ? null : (event.status ?? 'deactivated')
        const change: AccountEvent = { ...event, status, eventAt: at ?? now() }
        return origin.pds === null ? [change] : judge(change, origin)
      }
      case 'refused':
        return [refuse(event.reason, event.message, hex(bytes))]
      case 'info':
      case 'error':
      case 'unwanted':
        return []
    }
  }

  const read = async (bytes: Uint8Array, origin: Origin): Promise<ReadFrame> => {
    const frame = readFrame(bytes, reader, now())
    const { event } = frame
    try {
      return { ...frame, changes: await readEvent(frame, bytes, origin) }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      if (event.kind === 'commit' || event.kind === 'sync')
        return { ...frame, changes: doubt(event, 'bad-proof', message) }
      throw error
    }
  }

  return async ({ bytes, ends, changed = [], pds = null }) => {
    for (const did of changed) identity.forget(did)
    const origin = { pds, asked: identity.asked() }
    const changes: Change[] = []
    const notices: StreamNotice[] = []
    let seq: string | null = null
    let before: string | null = null
    let at: bigint | null = null
    let isFuture = false
    for await (const frame of inOrder(cut(bytes, ends), (frame) => read(frame, origin), lookUpsAtOnce)) {
      for (const change of frame.changes) changes.push(change)
      const { kind } = frame.event
      if (kind === 'info' || kind === 'error') notices.push(frame.event)
      if (frame.seq !== null) before ??= String(Math.max(0, Number(frame.seq) - 1))
      seq = frame.seq ?? seq
      isFuture ||= frame.isFuture || frame.changes.some(isFromFuture)
      at = frame.at ?? at
    }
    return { changes, seq, at, notices, isFuture, before }
  }
}

function isFromFuture(change: Change): boolean {
  return change.kind === 'reject' && change.reason === 'future-revision'
}

/** The protocol's limit for one commit. */
const maxOps = 200
const keptOfEvent = 2_000
const lookUpsAtOnce = 32
/** Timeout in milliseconds for the host of an account. */
const hostTimeout = 2_000
/** Microseconds. */
const aMinute = 60_000_000n

/** Opens the commit of an event; throws a `RepoError` if it is not the one that the event names. */
async function readSigned(event: CommitEvent | SyncEvent): Promise<SignedRepo> {
  const repo = await openCar(event.blocks)
  const { root, commit } = repo
  if (event.kind === 'commit' && event.cid?.equals(root) !== true)
    throw new RepoError('The commit is not the one that the event names.')
  if (commit.did !== event.did)
    throw new RepoError(`The commit is one of ${commit.did}, the event one of ${event.did}.`)
  if (commit.rev !== event.rev)
    throw new RepoError(`The commit has the revision ${commit.rev}, the event ${event.rev}.`)
  return repo
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

/** The job queue limits how often a repository is fetched. Commits may add unknown accounts, sync events may not. */
function request(event: CommitEvent | SyncEvent, reason: string): Change[] {
  const only = event.kind === 'sync' ? ({ ifKnown: true } as const) : {}
  return [{ kind: 'repo-request', did: event.did, reason: cleanText(reason), ...only }]
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
