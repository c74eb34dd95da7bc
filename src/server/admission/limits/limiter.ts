/** The interface of request limits; the counts may be in this process, the primary process, or a database. */
import type { Caller } from '../caller.ts'

/** Result of an attempt to spend points. */
export interface Allowance {
  readonly granted: boolean
  /** Points left in the caller's current minute. */
  readonly remaining: number
  /** Whole seconds, at least 1, until all points are available again. */
  readonly resetSeconds: number
}

export interface Limiter {
  /** Null for a tier without a limit. A refused request costs nothing. Synchronous where possible. */
  spend(caller: Caller, points: number): Allowance | null | Promise<Allowance | null>
  /** Returns unused points of the minute that ends at `ends` (milliseconds since 1970). */
  refund(caller: Caller, points: number, ends: number): void
  /** Starts a long request; false when the caller has as many as its tier allows. */
  enter(caller: Caller): boolean | Promise<boolean>
  /** Ends a long request. */
  leave(caller: Caller): void
  /** Records a failed key of this address; returns the seconds until further keys are checked, or 0. */
  failKey(address: string): number | Promise<number>
  /** The same seconds, without recording a failure. */
  keyPause(address: string): number | Promise<number>
}
