/** The limiter of one process that counts for itself. */
import { createCounts } from '../../src/server/admission/limits/counts.ts'
import { createLimiter } from '../../src/server/admission/limits/create-limiter.ts'
import type { Limiter } from '../../src/server/admission/limits/limiter.ts'
import { createMemoryPoints } from '../../src/server/admission/limits/point-store.ts'

export function createMemoryLimiter(): Limiter {
  return createLimiter(createCounts(createMemoryPoints()))
}
