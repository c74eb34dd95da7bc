/** Uses of promises: values that are mostly available at once, signals and timeouts. */
import { addAbortListener } from 'node:events'

/** For values that are mostly available at once: an `await` costs more than many a request. */
export type MaybePromise<Value> = Value | Promise<Value>

/** Applies `use` to the value, synchronously if it is not a promise; an error of `use` is then thrown synchronously. */
export function andThen<Value, Result>(
  value: MaybePromise<Value>,
  use: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(use) : use(value)
}

/** Calls `make` once for all callers; a call after a failure tries again. */
export function shared<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | null = null
  return () =>
    (made ??= make().catch((error) => {
      made = null
      throw error
    }))
}

/** Settles as the promise does, or fails with the signal's reason; a later result of the promise is ignored. */
export async function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = Promise.withResolvers<never>()
  using _listener = addAbortListener(signal, () => aborted.reject(signal.reason))
  return await Promise.race([promise, aborted.promise])
}

/** Milliseconds by which a timer is late without the process being blocked. */
const usualDelay = 20

/**
 * Settles as the promise does, or fails with `late()` after so many milliseconds in which this process ran. A late
 * timer shows that the process was blocked; it is extended by the delay, because data that arrived meanwhile may need
 * further exchanges. Timers run before I/O, so it waits for one more turn of the event loop before failing.
 */
export async function within<Result>(
  milliseconds: number,
  promise: Promise<Result>,
  late: () => Error,
): Promise<Result> {
  const failure = Promise.withResolvers<never>()
  let timer: NodeJS.Timeout | undefined
  let turn: NodeJS.Immediate | undefined
  const wait = (time: number): void => {
    const due = performance.now() + time
    timer = setTimeout(() => {
      const heldUp = performance.now() - due
      if (heldUp > usualDelay) wait(Math.min(heldUp, milliseconds))
      else turn = setImmediate(() => failure.reject(late()))
    }, time)
  }
  wait(milliseconds)
  try {
    return await Promise.race([promise, failure.promise])
  } finally {
    clearTimeout(timer)
    clearImmediate(turn)
  }
}
