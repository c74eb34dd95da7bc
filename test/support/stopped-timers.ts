/**
 * Timers that stand still until a test advances them, so that no time limit of the program fires on a busy machine.
 * Those of `node:test` fail when one of them is cleared twice, as pg-pool does.
 */
import type { TestContext } from 'node:test'

export interface StoppedTimers {
  /** Lets so many milliseconds pass at once. */
  readonly advance: (milliseconds: number) => void
}

interface Waiting {
  readonly work: () => void
  readonly pause: number
  readonly repeats: boolean
  at: number
}

/** Until the test ends; what waits by then never comes. `until` waits on. */
export function stopTimers({ mock }: Pick<TestContext, 'mock'>): StoppedTimers {
  const waiting = new Map<object, Waiting>()
  const { clearTimeout, clearInterval } = globalThis
  let now = 0
  const starting =
    (repeats: boolean) =>
    (work: (...given: unknown[]) => void, pause = 0, ...given: unknown[]): object => {
      const its = { work: () => work(...given), pause, repeats, at: now + pause }
      const timer = {
        ref: () => timer,
        unref: () => timer,
        hasRef: () => true,
        refresh: () => {
          its.at = now + pause
          return timer
        },
      }
      waiting.set(timer, its)
      return timer
    }
  const stopping = (clear: (timer: never) => void) => (timer: object) => {
    if (!waiting.delete(timer)) clear(timer as never)
  }
  mock.method(globalThis, 'setTimeout', starting(false) as never)
  mock.method(globalThis, 'setInterval', starting(true) as never)
  mock.method(globalThis, 'clearTimeout', stopping(clearTimeout) as never)
  mock.method(globalThis, 'clearInterval', stopping(clearInterval) as never)
  return {
    advance(milliseconds) {
      const end = now + milliseconds
      for (;;) {
        const [next] = [...waiting].filter(([, { at }]) => at <= end).toSorted(([, a], [, b]) => a.at - b.at)
        if (next === undefined) break
        const [timer, its] = next
        now = its.at
        if (its.repeats) its.at += Math.max(1, its.pause)
        else waiting.delete(timer)
        its.work()
      }
      now = end
    },
  }
}
