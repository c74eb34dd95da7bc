/**
 * Compares the stored records of an account with its repository, record by record. Comparing revisions is not enough:
 * a wrong revision outranks all versions that could replace it.
 */
import { type Change, uriOf } from '../database/changes.ts'
import type { Writer } from '../database/database.ts'
import type { RepoRecord } from '../database/metadata/metadata-store.ts'
import { formatCid } from '../lexicon/records/cid.ts'

export type RepoComparison = ReturnType<typeof compareRepo>

interface RepoDifferences {
  /** Deletions of stored records that the repository does not have and that are not newer than the repository. */
  readonly extra: readonly Extract<Change, { kind: 'delete' }>[]
  /** URIs of stored records that differ from the repository, including `extra`. */
  readonly uris: readonly string[]
}

export function compareRepo(
  { metadata }: Pick<Writer, 'metadata'>,
  did: string,
  collections: readonly string[],
) {
  /** CIDs by URI. */
  const held = new Map<string, string>()
  let rev = ''
  return {
    /** Adds a chunk of the repository's records. */
    add: (changes: readonly Change[]): void => {
      for (const change of changes) {
        if (change.kind === 'put') held.set(uriOf(change), formatCid(change.cid))
        else if (change.kind === 'repo-end') rev = change.rev
      }
    },
    /** Reads the stored records; to be called after the whole repository was added. */
    compare: async (): Promise<RepoDifferences> => {
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
