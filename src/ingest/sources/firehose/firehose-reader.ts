/**
 * Frames of a firehose to the changes they ask for. Nothing is believed that the account has not signed and its
 * tree does not prove (https://atproto.com/specs/sync); what cannot be believed is refused, and the repository
 * asked for, so that nothing is lost. Whatever a server sends, at worst it is refused.
 */
import type { Change, RejectionReason } from '../../../database/changes.ts'
import { formatCid } from '../../../lexicon/records/cid.ts'
import { cleanText } from '../../../util/text/clean.ts'
import { inOrder } from '../../channel.ts'
import { createChangeReader, type NetworkReaderOptions } from '../change-reader.ts'
import {
  type CommitEvent,
  type Frame,
  readFrame,
  type StreamNotice,
  type SyncEvent,
} from './firehose-frame.ts'
import { createHosts, HostError } from '../repos/hosts.ts'
import { type Account, createIdentity, IdentityError, type IdentityOptions } from '../repos/identity.ts'
import { openCar, readRecord, RepoError, type SignedRepo } from '../repos/repo-blocks.ts'
import { isSignedBy } from '../repos/signature.ts'

/** Plain data, so that it can be sent to a thread. */
export interface FirehoseReaderOptions {
  /** The source's name, which refused records are kept with. */
  readonly name: string
  readonly reader: NetworkReaderOptions
  readonly identity: IdentityOptions
}

/** Some frames, in memory that can be given away. */
export interface FrameGroup {
  /** One behind the other. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Where each of them ends. */
  readonly ends: readonly number[]
  /** Accounts of which another thread has heard that something about them has changed. */
  readonly changed?: readonly string[]
  /** The host that they are from when it is a PDS, which speaks for its own accounts alone; else null. */
  readonly pds?: string | null
}

export interface ParsedGroup {
  /** In the order of the frames. */
  readonly changes: readonly Change[]
  /** The number of the last frame that has one. */
  readonly seq: string | null
  /** Microseconds, of the last frame that says when it happened. */
  readonly at: bigint | null
  readonly notices: readonly StreamNotice[]
  /** Something seems to come from the future. */
  readonly isFuture: boolean
  /** The number before the first frame that has one: from there all of them come again. */
  readonly before: string | null
}

type AccountEvent = Extract<Change, { readonly kind: 'account' }>

/** Where frames are from, and how many documents had been asked for when they came. */
interface Origin {
  readonly pds: string | null
  readonly asked: number
}

interface ReadFrame extends Frame {
  readonly changes: readonly Change[]
}

type FirehoseReader = (frames: FrameGroup) => Promise<ParsedGroup>

/** `now` in microseconds. */
export function createFirehoseReader(
  { name, reader: readerOptions, identity: identityOptions }: FirehoseReaderOptions,
  now: () => bigint = () => BigInt(Date.now()) * 1_000n,
): FirehoseReader {
  const reader = createChangeReader(readerOptions)
  const identity = createIdentity(identityOptions)
  const inTime = createWaiting()
  const hosts = createHosts(identity.fetch)
  const keyOf = async (did: string, options?: { readonly fresh: boolean }): Promise<string | null> =>
    (await inTime(did, identity.account(did, options))).signingKey
  // Whoever is not known here may become so by a commit, but not by having diverged.

  const refuse = (reason: RejectionReason, message: string, record: string): Change => ({
    kind: 'reject',
    source: name,
    uri: null,
    reason,
    message: cleanText(message),
    record,
  })

  /** Nothing vouches for the event, so that it is kept without a place and a revision. */
  const doubt = (event: CommitEvent | SyncEvent, reason: RejectionReason, message: string): Change[] => {
    const { did, rev } = event
    const paths =
      event.kind === 'commit' ? event.ops.map(({ collection, rkey }) => `${collection}/${rkey}`) : []
    const record = JSON.stringify({ did, rev, ops: paths }).slice(0, keptOfEvent)
    return [refuse(reason, message, record), ...request(event, message)]
  }

  /** The commit when its account has signed it, else what comes of it. */
  const verify = async (event: CommitEvent | SyncEvent): Promise<SignedRepo | Change[]> => {
    const { did } = event
    const signed = await readSigned(event)
    const { fields } = signed.commit
    try {
      const signingKey = await keyOf(did)
      if (signingKey !== null && isSignedBy(fields, signingKey)) return signed
      // It may have a new one.
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
      else changes.push(readRecord(reader, place, block, name))
    }
    return changes
  }

  /**
   * What a PDS says of an account counts if it is the account's host, as a document says that was asked for after the
   * event came, or if nobody is any more. If another is, that one is asked. Where it cannot be told, an account that is
   * back is shown: its own host is asked for its repository then anyway.
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
      return [{ ...change, ...(await hosts.repoStatus(host, did, AbortSignal.timeout(hostTimeout))) }]
    } catch (error) {
      if (!(error instanceof HostError || error instanceof DOMException)) throw error
      // Neither has it.
      if (!active && error instanceof HostError && error.code === 'RepoNotFound') return [change]
      return [{ ...wanted, reason: cleanText(`${says}, but is not its host.`) }]
    }
  }

  /** Its URL. Null: it has none. Undefined: that cannot be told now. */
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
/** Milliseconds that the host of an account is waited for. */
const hostTimeout = 2_000
/** Microseconds. */
const aMinute = 60_000_000n

/** The commit of an event, if it is the one that the event says. */
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
 * Accounts, waited for only so long, because a slow server of one account would hold up all others.
 * What takes longer is looked up to its end all the same, for the next time; until then nobody waits for it.
 */
function createWaiting(): (did: string, found: Promise<Account>) => Promise<Account> {
  const overdue = new Set<string>()
  return async (did, found) => {
    if (overdue.has(did)) {
      // Whoever is told of its failure waits for it already.
      found.catch(() => {})
      throw tooSlow(did)
    }
    const late = Promise.withResolvers<null>()
    const timer = setTimeout(late.resolve, did.startsWith('did:plc:') ? directoryTimeout : timeout, null)
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

/** Milliseconds that a server of the account's own is waited for. */
const timeout = 500
/** Milliseconds for the directory, which no account can slow: who gives up on it early asks for many repositories. */
const directoryTimeout = 3_000

function tooSlow(did: string): IdentityError {
  return new IdentityError(`The key of ${did} could not be looked up in time.`, { passing: true })
}

/** The ledger sees to it that nobody makes us fetch a repository all the time. */
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
