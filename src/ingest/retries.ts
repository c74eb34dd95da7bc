/** Retry policies: exponential backoff for the network, and waiting without limit for the database. */
import { DatabaseBusyError } from '../database/database.ts'

/** Milliseconds between attempts while another process writes. */
const busyPause = 100

/** Milliseconds until the next attempt: doubles with each failure up to an hour, with random jitter of ±25 %. */
export function retryDelay(first: number, failures: number): number {
  return Math.min(first * 2 ** (failures - 1), 3_600_000) * (0.75 + Math.random() / 2)
}

/** Repeats the work while another process writes, without limit: no write may be lost. */
export async function whileBusy<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof DatabaseBusyError) || signal.aborted) throw error
      await new Promise((resolve) => setTimeout(resolve, busyPause))
    }
  }
}
