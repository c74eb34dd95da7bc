/**
 * Points counted in PostgreSQL, for all nodes that share the database. While the database does not answer, or its user
 * may only read, this node counts for itself and notifies the operator once.
 */
import { type RateLimiterAbstract, RateLimiterPostgres } from 'rate-limiter-flexible'
import type { RateStore } from '../../../database/postgres/rate-store.ts'
import { continuePoints, createFallback } from './continued-points.ts'
import { type PointStore, secondsCounted } from './counts.ts'

/** Milliseconds between removals of expired rows, and their retention, because the clocks of nodes differ. */
const cleaning = 60_000

export function createPostgresPoints(
  store: Pick<RateStore, 'query' | 'removeEnded'>,
  onNotice: (sentence: string) => void,
): PointStore & Disposable {
  const counter = new RateLimiterPostgres({
    // The library only counts, because limits differ by tier and change.
    points: Number.MAX_SAFE_INTEGER,
    duration: secondsCounted,
    keyPrefix: '',
    storeClient: store,
    storeType: 'client',
    schemaName: 'lexigraph',
    tableName: 'rate_limit',
    tableCreated: true,
    // The library would retain expired rows for an hour.
    clearExpiredByTimeout: false,
  })
  const fallback = createFallback((failure) =>
    onNotice(
      failure === null
        ? 'Points of callers are counted in the database again.'
        : `Points of callers are counted by this node alone, because the database does not take them: ${failure.message}`,
    ),
  )
  const clean = (): unknown => store.removeEnded(Date.now() - cleaning).catch(() => undefined)
  const cleaner = setInterval(clean, cleaning).unref()
  const points = continuePoints(createPointStore(counter), fallback)
  return Object.assign(points, { [Symbol.dispose]: () => clearInterval(cleaner) })
}

/** Milliseconds before the end of a minute in which points are no longer returned. */
const lastMoment = 100

/**
 * A point store over a counter of the library. It adds `wished` in one atomic step and then subtracts the excess: a
 * concurrent request may be refused, but never gets too much.
 */
function createPointStore(counter: RateLimiterAbstract): PointStore {
  const takeOff = async (key: string, points: number): Promise<void> => {
    const { consumedPoints } = await counter.reward(key, points)
    // The next minute began meanwhile; it must not begin with extra points.
    if (consumedPoints < 0) await counter.delete(key)
  }
  const giveBack = (key: string, points: number, ends: number): void => {
    // Points that cannot be returned expire with their minute.
    if (Date.now() < ends - lastMoment) void takeOff(key, points).catch(() => undefined)
  }
  return {
    async take(key, limit, needed, wished) {
      const { consumedPoints, msBeforeNext } = await counter.penalty(key, wished)
      const ends = Date.now() + msBeforeNext
      const fitting = wished - Math.max(0, consumedPoints - limit)
      const granted = fitting >= needed ? fitting : 0
      if (granted < wished) giveBack(key, wished - granted, ends)
      const remaining = Math.max(0, limit - (consumedPoints - wished + granted))
      return { granted, remaining, ends }
    },
    giveBack,
  }
}
