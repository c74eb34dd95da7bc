/** Whether the database answers, asked once for all who wait for it, and how far the index has come, which may be a second old. */
import type { IndexStatus, ReadDatabase } from '../../database/database.ts'

/** Milliseconds: counting keeps a core busy, so that asking often must not repeat it. */
const statusLifetime = 1_000

export function createReadiness(
  database: Pick<ReadDatabase, 'readPlanState' | 'readStatus'>,
): () => Promise<IndexStatus> {
  let status: Promise<IndexStatus> | null = null
  let state: Promise<unknown> | null = null
  const forget = (): void => {
    status = null
  }
  return async () => {
    // A database that was rebuilt for other lexicons can be read, but not by this process.
    state ??= database.readPlanState().finally(() => {
      state = null
    })
    await state
    if (status === null) {
      status = database.readStatus()
      status.then(() => setTimeout(forget, statusLifetime).unref(), forget)
    }
    return status
  }
}
