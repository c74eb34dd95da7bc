/** The request limits of the operator, who is not charged. */
import type { LongQueryPermit, RequestLimits } from './execute.ts'
import { limits } from '../parse/limits.ts'

/** Only the absolute limits apply. */
export const unlimited: RequestLimits = {
  pageSize: 1_000,
  points: limits.points,
  charge: () => undefined,
  worked: () => undefined,
  startShort: endlessPermit,
  startLong: endlessPermit,
  refund: () => undefined,
}

function endlessPermit(): LongQueryPermit {
  return {
    signal: new AbortController().signal,
    caller: '',
    deadline: Number.POSITIVE_INFINITY,
    [Symbol.dispose]: () => undefined,
  }
}
