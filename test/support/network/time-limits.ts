/** Time limits of requests that do not pass in this process, so that a machine that stalls is not taken for a failure. */
import { mock } from 'node:test'

const users = new Set<object>()
let lifted: { readonly mock: { readonly restore: () => void } } | null = null

/** Lifts all limits that are set by `AbortSignal.timeout`, until every user has disposed of the result. */
export function liftTimeLimits(): Disposable {
  const user = {}
  users.add(user)
  lifted ??= mock.method(AbortSignal, 'timeout', () => new AbortController().signal)
  return {
    [Symbol.dispose]: () => {
      users.delete(user)
      if (users.size > 0) return
      lifted?.mock.restore()
      lifted = null
    },
  }
}
