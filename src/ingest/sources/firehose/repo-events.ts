/**
 * Reads events about repositories: commits, and syncs, which say that a repository has diverged. A record counts only if
 * the account signed the commit and the tree proves the record (https://atproto.com/specs/sync); otherwise the event is
 * refused and the repository requested, so that nothing is lost.
 */
import type { Change, RejectionReason } from '../../../database/changes.ts'
import { formatCid } from '../../../lexicon/records/cid.ts'
import { cleanText } from '../../../util/text/messages.ts'
import { type ChangeReader, readBlock } from '../change-reader.ts'
import { IdentityError } from '../repos/identity.ts'
import { isSignedBy, openCar, RepoError, type SignedRepo } from '../repos/repo-blocks.ts'
import type { CommitEvent, SyncEvent } from './firehose-frame.ts'

export type RepoEvent = CommitEvent | SyncEvent

/** The signing key of an account; null if it has none. `fresh`: not from a cache. */
export type KeyLookup = (did: string, options?: { readonly fresh: boolean }) => Promise<string | null>

/** The protocol's limit for one commit. */
const maxOps = 200
/** Characters of a refused event that are stored. */
export const keptOfEvent = 2_000

/** `now`: microseconds. */
export function createRepoEventReader(
  source: string,
  reader: ChangeReader,
  keyOf: KeyLookup,
  now: () => bigint,
): (event: RepoEvent) => Promise<readonly Change[]> {
  const read = async (event: RepoEvent): Promise<readonly Change[]> => {
    const future = reader.futureRevision(event.rev, now())
    if (future !== null) throw new RefusedEvent('future-revision', future)
    if (event.kind === 'sync') {
      await verify(event, keyOf)
      return [request(event, 'Its host says that it has diverged.')]
    }
    if (event.tooBig) return [request(event, 'A commit was too big to come with its records.')]
    const { opCount } = event
    if (opCount > maxOps)
      throw new RefusedEvent('too-large', `The commit changes ${opCount} records; ${maxOps} are allowed.`)
    return readCommit(event, await verify(event, keyOf))
  }
  return async (event) => {
    try {
      return await read(event)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const requested = request(event, message)
      if (!(error instanceof IdentityError)) {
        const reason = error instanceof RefusedEvent ? error.reason : 'bad-proof'
        return [doubt(source, event, reason, message), requested]
      }
      return error.shouldRetry() ? [requested] : [doubt(source, event, 'bad-signature', message), requested]
    }
  }

  /** The changes of a verified commit; throws a `RepoError` for a record that its tree does not prove. */
  async function readCommit(event: CommitEvent, verified: SignedRepo): Promise<readonly Change[]> {
    const { did, rev, ops } = event
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
      if (block === null) changes.push(request(event, `${collection}/${rkey} came without its record.`))
      else changes.push(readBlock(reader, place, block, source))
    }
    return changes
  }
}

class RefusedEvent extends Error {
  readonly reason: RejectionReason

  constructor(reason: RejectionReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** The commit of an event, which its account signed; throws a `RepoError` if it is not the one that the event names. */
async function verify(event: RepoEvent, keyOf: KeyLookup): Promise<SignedRepo> {
  const { did } = event
  const signed = await openCar(event.blocks)
  const { fields, did: author, rev } = signed.commit
  if (event.kind === 'commit' && event.cid?.equals(signed.root) !== true)
    throw new RepoError('The commit is not the one that the event names.')
  if (author !== did) throw new RepoError(`The commit is one of ${author}, the event one of ${did}.`)
  if (rev !== event.rev) throw new RepoError(`The commit has the revision ${rev}, the event ${event.rev}.`)
  const signingKey = await keyOf(did)
  if (signingKey !== null && isSignedBy(fields, signingKey)) return signed
  // The account may have a new key.
  const newKey = await keyOf(did, { fresh: true })
  if (newKey !== null && newKey !== signingKey && isSignedBy(fields, newKey)) return signed
  throw new RefusedEvent('bad-signature', `The commit is not signed with the key of ${did}.`)
}

/** Rejects an unproven event, without a URI or a revision. */
function doubt(source: string, event: RepoEvent, reason: RejectionReason, message: string): Change {
  const { did, rev } = event
  const ops = event.kind === 'commit' ? event.ops.map(({ collection, rkey }) => `${collection}/${rkey}`) : []
  return refuse(source, reason, message, JSON.stringify({ did, rev, ops }).slice(0, keptOfEvent))
}

export function refuse(source: string, reason: RejectionReason, message: string, record: string): Change {
  return { kind: 'reject', source, uri: null, reason, message: cleanText(message), record }
}

/** The job queue limits how often a repository is fetched. Commits may add unknown accounts, sync events may not. */
function request({ kind, did }: RepoEvent, reason: string): Change {
  const only = kind === 'sync' ? ({ ifKnown: true } as const) : {}
  return { kind: 'repo-request', did, reason: cleanText(reason), ...only }
}
