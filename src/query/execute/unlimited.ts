/** What an operator may ask for, of whom nobody keeps count. */
import type { LongTurn, Terms } from './execute.ts'
import { limits } from '../parse/limits.ts'

/** Whatever is possible at all. */
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
