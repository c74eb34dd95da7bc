/**
 * Points counted in PostgreSQL, for all nodes that share the database. While the database does not answer, or its user
 * may only read, this node counts for itself and notifies the operator once.
 */
import { RateLimiterPostgres } from 'rate-limiter-flexible'
import type { RateStore } from '../../../database/postgres/rate-store.ts'
import { ContinuedPoints, Fallback } from './continued-points.ts'
import { counting, createPointStore, type PointStore } from './counts.ts'

/** Milliseconds between removals of expired rows, and their retention, because the clocks of nodes differ. */
const cleaning = 60_000

export function createPostgresPoints(
  store: Pick<RateStore, 'query' | 'removeEnded'>,
  onNotice: (sentence: string) => void,
): PointStore & Disposable {
  const counter = new RateLimiterPostgres({
    ...counting,
    storeClient: store,
    storeType: 'client',
    schemaName: 'lexigraph',
    tableName: 'rate_limit',
    tableCreated: true,
    // The library would retain expired rows for an hour.
    clearExpiredByTimeout: false,
  })
  const fallback = new Fallback((failure) =>
    onNotice(
      failure === null
        ? 'Points of callers are counted in the database again.'
        : `Points of callers are counted by this node alone, because the database does not take them: ${failure.message}`,
    ),
  )
  const clean = (): unknown => store.removeEnded(Date.now() - cleaning).catch(() => undefined)
  const cleaner = setInterval(clean, cleaning).unref()
  const points = new ContinuedPoints(createPointStore(counter), fallback)
  return Object.assign(points, { [Symbol.dispose]: () => clearInterval(cleaner) })
}
