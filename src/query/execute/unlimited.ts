/** The request limits of the operator, who is not charged. */
import type { LongTurn, Terms } from './execute.ts'
import { limits } from '../parse/limits.ts'

/** Only the absolute limits apply. */
export const unlimited: Terms = {
  pageSize: 1_000,
  points: limits.points,
  charge: () => undefined,
  worked: () => undefined,
  startShort: endlessTurn,
  startLong: endlessTurn,
  refund: () => undefined,
}

function endlessTurn(): LongTurn {
  return {
    signal: new AbortController().signal,
    caller: '',
    deadline: Number.POSITIVE_INFINITY,
    [Symbol.dispose]: () => undefined,
  }
}
