/** What of a caller's limits is left, whoever counts: this process, the one above its workers, or a database. */
import type { Caller } from '../caller.ts'

/** What became of a wish to spend points. */
export interface Allowance {
  readonly granted: boolean
  /** Points left in this minute of the caller's. */
  readonly remaining: number
  /** Seconds, a whole number from 1, until all points are there again. */
  readonly resetSeconds: number
}

export interface Limiter {
  /** Of a tier without a limit nothing is counted: null. What is refused costs nothing. At once where that is possible. */
  spend(caller: Caller, points: number): Allowance | null | Promise<Allowance | null>
  /** Points that nothing was done for, of the minute that ends then (milliseconds since 1970). */
  refund(caller: Caller, points: number, ends: number): void
  /** One more request that may take long; false when the caller has as many as its tier allows. */
  enter(caller: Caller): boolean | Promise<boolean>
  /** It has ended. */
  leave(caller: Caller): void
  /** A key that did not hold was tried from this address; how many seconds to wait before more are looked at, or 0. */
  failKey(address: string): number | Promise<number>
  /** The same, when nothing was tried. */
  keyPause(address: string): number | Promise<number>
}
