/** Checks that the database answers, once for all concurrent callers, and reads a status that may be a second old. */
import type { IndexStatus, ReadDatabase } from '../../database/database.ts'

/** Milliseconds: counting keeps a core busy, so frequent requests must not repeat it. */
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
    // Also fails after a rebuild for other lexicons: the database answers then, but this process cannot use it.
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
