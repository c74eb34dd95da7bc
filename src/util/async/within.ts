/** Bounded waiting that is fair to whoever has answered in time although this process was busy. */

/** Milliseconds by which a timer may be late in a process that runs. */
const usualDelay = 20

/**
 * Settles as the promise does, or fails with `late()` after so many milliseconds in which this process ran. A timer
 * that is late tells that it was held up; as long again is waited then, because what has arrived meanwhile may have to
 * be followed by more. Timers come before what has arrived, so that one more turn of the event loop is waited for.
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
