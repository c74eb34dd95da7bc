/** The limiter of one process that counts for itself. */
import { createCounts } from '../../src/server/limits/counts.ts'
import { createLimiter } from '../../src/server/limits/create-limiter.ts'
import type { Limiter } from '../../src/server/limits/limiter.ts'
import { createMemoryPoints } from '../../src/server/limits/point-store.ts'

export function createMemoryLimiter(): Limiter {
  return createLimiter(createCounts(createMemoryPoints()))
}
