/** Selects where the points of callers are counted: in this process, or in PostgreSQL for all nodes. */
import { isPostgres } from '../../database/open.ts'
import type { Counts, PointStore } from '../../server/admission/limits/counts.ts'
import { createCounts, MemoryPoints } from '../../server/admission/limits/counts.ts'
import { notify } from '../command.ts'
import type { Config } from '../settings/settings.ts'

/** For a process that answers by itself, and for one that counts for its workers. */
export async function openCounts(config: Config): Promise<Counts & AsyncDisposable> {
  await using resources = new AsyncDisposableStack()
  const { database } = config
  let points: PointStore = new MemoryPoints()
  if (isPostgres(database)) {
    // Loaded here, so that services on a file do not load the driver.
    const { RateStore } = await import('../../database/postgres/rate-store.ts')
    const { createPostgresPoints } = await import('../../server/admission/limits/postgres-points.ts')
    const store = resources.use(new RateStore(database))
    points = resources.use(createPostgresPoints(store, (sentence) => notify(config, sentence)))
  }
  const opened = resources.move()
  return { ...createCounts(points), [Symbol.asyncDispose]: () => opened.disposeAsync() }
}
