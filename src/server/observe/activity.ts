/**
 * What the operations page shows besides metrics: the documents that are asked most, and operations that were slow.
 * Documents are known by their hash; there is nothing of records or callers. Everything is bounded.
 */
import { LRUCache } from 'lru-cache'
import { documentHash } from './log-line.ts'
import type { Answered } from './observer.ts'

export interface DocumentActivity {
  readonly document: string
  readonly requests: number
  /** Of those, not answered with data. */
  readonly failures: number
  /** Sum, and the longest, in milliseconds. */
  readonly duration: number
  readonly longest: number
  readonly points: number
}

export interface SlowOperation {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly document: string
  /** Milliseconds. */
  readonly duration: number
  /** The document without the contents of strings; null if it does not parse. */
  readonly query: string | null
  readonly sql: string | null
  readonly plan: readonly string[] | null
}

/** Plain data that processes can send to each other. */
export interface Activity {
  readonly documents: readonly DocumentActivity[]
  /** The latest first. */
  readonly slow: readonly SlowOperation[]
}

export interface ActivityLog {
  answered(request: Answered): void
  addSlow(operation: SlowOperation): void
  read(): Activity
}

/** Documents that are counted; those that were not asked for longest are dropped. */
const mostDocuments = 500
/** Documents with the most requests, and with the longest duration, that are told. */
const mostTold = 20
const mostSlow = 10

export function createActivityLog(): ActivityLog {
  const documents = new LRUCache<string, DocumentActivity>({ max: mostDocuments })
  let slow: readonly SlowOperation[] = []
  return {
    answered({ request, outcome, duration, report }) {
      if (request === null) return
      const document = documentHash(request.query)
      const one: DocumentActivity = {
        document,
        requests: 1,
        failures: outcome === 'ok' ? 0 : 1,
        duration,
        longest: duration,
        points: report?.points ?? 0,
      }
      const before = documents.get(document)
      documents.set(document, before === undefined ? one : sumOf(before, one))
    },
    addSlow(operation) {
      slow = [operation, ...slow].slice(0, mostSlow)
    },
    read: () => shortened({ documents: [...documents.values()], slow }),
  }
}

/** Adds up the activity of several processes. */
export function sumActivities(activities: readonly Activity[]): Activity {
  const documents = new Map<string, DocumentActivity>()
  for (const each of activities.flatMap((activity) => activity.documents)) {
    const before = documents.get(each.document)
    documents.set(each.document, before === undefined ? each : sumOf(before, each))
  }
  const slow = activities.flatMap((activity) => activity.slow).toSorted((one, other) => other.at - one.at)
  return shortened({ documents: [...documents.values()], slow })
}

function shortened({ documents, slow }: Activity): Activity {
  const most = (of: (document: DocumentActivity) => number) =>
    documents.toSorted((one, other) => of(other) - of(one)).slice(0, mostTold)
  const told = new Set([...most(({ requests }) => requests), ...most(({ duration }) => duration)])
  return { documents: [...told], slow: slow.slice(0, mostSlow) }
}

function sumOf(one: DocumentActivity, other: DocumentActivity): DocumentActivity {
  return {
    document: one.document,
    requests: one.requests + other.requests,
    failures: one.failures + other.failures,
    duration: one.duration + other.duration,
    longest: Math.max(one.longest, other.longest),
    points: one.points + other.points,
  }
}
