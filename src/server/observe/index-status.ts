/** The state of the index as JSON, for `lexigraph status --json` and, without private details, for `/readyz`. */
import type { IndexStatus } from '../../database/database.ts'
import { formatInstant } from '../../util/instant.ts'

/** Omits files, addresses in private networks, and error details. */
export function describePublicStatus(status: IndexStatus): object {
  const sources = status.sources.map((source) => {
    const { detail: _, publicName: name, ...told } = describeSource(source)
    return { ...told, name }
  })
  return { ...describeStatus(status), sources }
}

/** Plain data for JSON, with RFC 3339 datetimes. Fields are listed one by one. */
export function describeStatus(status: IndexStatus): object {
  return {
    collections: status.collections.map(describeCollection),
    sources: status.sources.map(describeSource),
    rejections: status.rejections,
    keptRejections: status.keptRejections,
    repositories: { waiting: status.repositories.waiting, failed: status.repositories.failed },
    unfinishedPurges: status.unfinishedPurges,
  }
}

function describeCollection(collection: IndexStatus['collections'][number]): object {
  const { name, records, outcomes, rejections, served, newestIndexedAt } = collection
  return { name, records, outcomes, rejections, served, newestIndexedAt: momentOf(newestIndexedAt) }
}

function describeSource(source: IndexStatus['sources'][number]) {
  const { name, publicName, state, detail, cursor, lastEventAt, lagSeconds, eventsPerSecond } = source
  return {
    name,
    publicName,
    state,
    detail,
    cursor,
    lagSeconds,
    eventsPerSecond,
    lastEventAt: momentOf(lastEventAt),
  }
}

function momentOf(micros: bigint | null): string | null {
  return micros === null ? null : formatInstant(micros)
}
