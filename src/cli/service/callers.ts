/** What is kept of callers: their points, in this process or in PostgreSQL for all nodes, and the usage of keys. */
import { addKeyUsage, fileIdentity, isInMemory, isPostgres } from '../../database/open.ts'
import type { Counts, PointStore } from '../../server/admission/limits/counts.ts'
import { createCounts, MemoryPoints } from '../../server/admission/limits/counts.ts'
import { dayAt, UsageMeter } from '../../server/observe/usage.ts'
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

/** Milliseconds between writes; a killed process loses what it has not written. */
const interval = 60_000

/**
 * For a process that answers by itself, and for the primary of workers. Disposal writes the rest. A failed write is
 * repeated later, and the operator is notified once.
 */
export function storeUsage(config: Config): AsyncDisposable & { readonly meter: UsageMeter } {
  const meter = new UsageMeter(Date.now)
  const identity = fileIdentity(config.database)
  let isTold = false
  let writing: Promise<void> = Promise.resolve()
  const write = async (): Promise<void> => {
    const usage = meter.take()
    if (usage.length === 0 || isInMemory(config.database)) return
    try {
      await addKeyUsage(config.database, usage, dayAt(Date.now()), identity)
      isTold = false
    } catch (error) {
      meter.add(usage)
      if (!isTold)
        notify(config, `What callers with keys use is not kept for now: ${(error as Error).message}`)
      isTold = true
    }
  }
  const writeNext = (): Promise<void> => (writing = writing.then(write))
  const timer = setInterval(writeNext, interval).unref()
  return {
    meter,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await writeNext()
    },
  }
}
