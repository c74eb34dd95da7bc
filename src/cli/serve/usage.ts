/** Keeps what callers with keys have used, for a process that answers by itself or for one above its workers. */
import { addKeyUsage, isInMemory } from '../../database/open.ts'
import { dayAt, UsageMeter } from '../../server/observe/usage.ts'
import { notify } from '../command.ts'
import type { Config } from '../settings/settings.ts'

/** Milliseconds: what a process that is killed does not keep. */
const interval = 60_000

export interface StoredUsage extends AsyncDisposable {
  readonly meter: UsageMeter
}

/** Disposing of it keeps what was counted last. What cannot be kept now is kept later, and the operator is told once. */
export function storeUsage(config: Config): StoredUsage {
  const meter = new UsageMeter(Date.now)
  let isTold = false
  let writing: Promise<void> = Promise.resolve()
  const write = async (): Promise<void> => {
    const usage = meter.take()
    if (usage.length === 0 || isInMemory(config.database)) return
    try {
      await addKeyUsage(config.database, usage, dayAt(Date.now()))
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
