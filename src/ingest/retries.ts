/** How long what failed is waited with: for the network longer each time, for the database as long as it takes. */
import { DatabaseBusyError } from '../database/database.ts'

/** Milliseconds to wait while another process writes. */
const busyPause = 100

/** Milliseconds until the next attempt after so many that failed: twice as long each time, up to an hour. */
export function retryDelay(first: number, failures: number): number {
  return Math.min(first * 2 ** (failures - 1), 3_600_000) * (0.75 + Math.random() / 2)
}

/** Another process that writes is waited for, however long it takes: nothing may be left out. */
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
