/** The limiter of one process that counts for itself. */
import { createCounts, MemoryPoints } from '../../../src/server/admission/limits/counts.ts'
import { createLimiter, type Limiter } from '../../../src/server/admission/limits/limiter.ts'

export function createMemoryLimiter(): Limiter {
  return createLimiter(createCounts(new MemoryPoints()))
}
