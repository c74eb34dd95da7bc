/** A timeout that does not fail answers that arrived in time while this process was busy. */

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
