/**
 * Limits the records of one account per minute, so that a flood does not delay other accounts. Excess records are
 * skipped, and the whole repository is fetched afterwards, so that nothing is lost.
 */
import type { Change } from '../database/changes.ts'

/** Returns the change itself, nothing, or a rejection and a request for the repository. */
export type FloodGuard = (change: Change) => readonly Change[]

const minute = 60_000_000n
/** Microseconds from a flood until the repository is fetched. */
const calm = 10n * minute

/** `limit`: records of one account per minute. `now`: microseconds. */
export function createFloodGuard(limit: number, now: () => bigint): FloodGuard {
  let started = 0n
  const counts = new Map<string, number>()
  return (change) => {
    const did = authorOf(change)
    if (did === null) return [change]
    const at = now()
    if (at - started >= minute || at < started) {
      started = at
      counts.clear()
    }
    const count = (counts.get(did) ?? 0) + 1
    counts.set(did, count)
    if (count <= limit) return [change]
    if (count > limit + 1) return []
    const message = `More than ${limit} records of ${did} came within a minute; the rest is passed over.`
    const record = JSON.stringify({ did, limit })
    return [
      { kind: 'reject', source: 'flood', uri: null, reason: 'flood', message, record },
      { kind: 'repo-request', did, reason: 'It sent too much at once.', dueAt: at + calm },
    ]
  }
}

function authorOf(change: Change): string | null {
  switch (change.kind) {
    case 'put':
    case 'delete':
      return change.did
    case 'reject':
      return change.uri?.split('/')[2] ?? null
    default:
      return null
  }
}
