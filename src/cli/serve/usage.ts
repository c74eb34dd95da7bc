/** Stores the usage of keys, for a process that answers by itself or for the primary of workers. */
import { addKeyUsage, fileIdentity, isInMemory } from '../../database/open.ts'
import { dayAt, UsageMeter } from '../../server/observe/usage.ts'
import { notify } from '../command.ts'
import type { Config } from '../settings/settings.ts'

/** Milliseconds between writes; a killed process loses what it has not written. */
const interval = 60_000

/** Disposal writes the rest. A failed write is repeated later, and the operator is notified once. */
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
