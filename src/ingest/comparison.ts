/**
 * Compares what is stored of an account with what its repository has, record by record: revisions alone would not tell,
 * since one that is wrong outranks all that could replace it.
 */
import type { Change } from '../database/changes.ts'
import type { Writer } from '../database/database.ts'
import { uriOf } from '../database/write/decide.ts'
import type { RepoRecord } from '../database/metadata/metadata-store.ts'
import { formatCid } from '../lexicon/records/cid.ts'

export interface RepoComparison {
  /** Told of all that the repository has, in chunks. */
  readonly add: (changes: readonly Change[]) => void
  /** Reads what is stored; to be called when the repository was told of as a whole. */
  readonly compare: () => Promise<RepoDifferences>
}

export interface RepoDifferences {
  /** What is stored and the repository does not have, though nothing newer is known of it; it is to be deleted. */
  readonly extra: readonly Extract<Change, { kind: 'delete' }>[]
  /** URIs of records that are stored in another version than the repository has, those of `extra` included. */
  readonly uris: readonly string[]
}

export function compareRepo(
  { metadata }: Pick<Writer, 'metadata'>,
  did: string,
  collections: readonly string[],
): RepoComparison {
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
    compare: async () => {
      const stored = await metadata.readRepoRecords(did, collections)
      const differing = stored.filter((record) => held.get(uriOf({ did, ...record })) !== cidOf(record))
      return {
        extra: differing
          .filter((record) => !held.has(uriOf({ did, ...record })) && (record.rev ?? '') <= rev)
          .map(({ collection, rkey }) => ({ kind: 'delete', did, collection, rkey, rev })),
        uris: differing.map((record) => uriOf({ did, ...record })),
      }
    },
  }
}

function cidOf({ cid }: RepoRecord): string {
  return cid instanceof Uint8Array ? formatCid(cid) : String(cid)
}
