/** A clock that stands still until a test moves it by `mock.timers.tick`. */
import { mock, type TestContext } from 'node:test'

/** Stops timers and every clock of this process for one test. A tick beyond a timer shows as a process that was held up. */
export function stopClock(t: TestContext): void {
  mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 1_800_000_000_000 })
  t.after(() => mock.timers.reset())
  t.mock.method(performance, 'now', () => Date.now())
}
