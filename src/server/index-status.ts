/** How far the index has come, as `/readyz` and `lexigraph status --json` print it. */
import type { IndexStatus } from '../database/database.ts'
import { formatInstant } from '../util/instant.ts'

/** Plain data for JSON; moments are RFC 3339 datetimes. */
export function describeStatus({ collections, sources, ...rest }: IndexStatus): object {
  return {
    collections: collections.map(({ newestIndexedAt, ...figures }) => ({
      ...figures,
      newestIndexedAt: momentOf(newestIndexedAt),
    })),
    sources: sources.map(({ lastEventAt, ...figures }) => ({
      ...figures,
      lastEventAt: momentOf(lastEventAt),
    })),
    ...rest,
  }
}

function momentOf(micros: bigint | null): string | null {
  return micros === null ? null : formatInstant(micros)
}
