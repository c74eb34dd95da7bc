/**
 * Whether what is stored of an account is what its repository has, record by record: revisions alone would not tell,
 * since one that is wrong outranks all that could replace it.
 */
import type { Change, RepoEnd } from '../database/changes.ts'
import type { Writer } from '../database/database.ts'
import { uriOf } from '../database/decide.ts'
import { formatCid } from '../lexicon/cid.ts'

export interface Comparison {
  /** Told of all that the repository has, in chunks. */
  readonly add: (changes: readonly Change[]) => void
  /** What is stored and the repository does not have, though nothing newer is known of it; it is to be deleted. */
  readonly extra: () => Promise<readonly Extract<Change, { kind: 'delete' }>[]>
  /** URIs of records that are stored in another version than the repository has. */
  readonly differing: () => Promise<readonly string[]>
}

/**
 * Takes records of the account out that are damaged, and what gives those that take their place the times that they had.
 * Nothing is lost: the repository is at hand.
 */
export async function takeOutDamaged(
  database: Pick<Writer, 'ledger' | 'applyBatch'>,
  { did, rev }: Pick<RepoEnd, 'did' | 'rev'>,
  collections: readonly string[],
  damaged: ReadonlySet<string>,
): Promise<(changes: readonly Change[]) => readonly Change[]> {
  const stored = await database.ledger.readStoredRecords(did, collections)
  const found = stored.filter((record) => damaged.has(uriOf({ did, ...record })))
  if (found.length === 0) return (changes) => changes
  const times = new Map(found.map((record) => [uriOf({ did, ...record }), record.indexedAt]))
  await database.applyBatch(
    found.map(({ collection, rkey }) => ({ kind: 'delete', did, collection, rkey, rev })),
  )
  return (changes) =>
    changes.map((change) => {
      const indexedAt = change.kind === 'put' ? times.get(uriOf(change)) : undefined
      return change.kind === 'put' && indexedAt !== undefined ? { ...change, indexedAt } : change
    })
}

export function compareRepo(
  { ledger }: Pick<Writer, 'ledger'>,
  did: string,
  collections: readonly string[],
): Comparison {
  /** CIDs by URI. */
  const held = new Map<string, string>()
  let rev = ''
  return {
    add: (changes) => {
      for (const change of changes) {
        if (change.kind === 'put') held.set(uriOf(change), formatCid(change.cid))
        else if (change.kind === 'repo-end') rev = change.rev
      }
    },
    extra: async () => {
      const stored = await ledger.readStoredRecords(did, collections)
      return stored
        .filter((record) => !held.has(uriOf({ did, ...record })) && (record.rev ?? '') <= rev)
        .map(({ collection, rkey }) => ({ kind: 'delete', did, collection, rkey, rev }))
    },
    differing: async () => {
      const stored = await ledger.readStoredRecords(did, collections)
      return stored.flatMap((record) => {
        const uri = uriOf({ did, ...record })
        const { cid } = record
        const text = cid instanceof Uint8Array ? formatCid(cid) : String(cid)
        return held.get(uri) === text ? [] : [uri]
      })
    },
  }
}
