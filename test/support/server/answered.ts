/** Requests that have been answered, for tests of what watches them. */
import { ExecutionReport } from '../../../src/query/execute/execute.ts'
import type { Answered } from '../../../src/server/admission/request-context.ts'
import { defaultTiers } from '../../../src/server/admission/tiers.ts'

const [publicTier] = defaultTiers
if (publicTier === undefined) throw new Error('There is no tier.')

/** Of a caller without a key, whose address logs must not show. */
export const anonymous = { id: 'address:203.0.113.7', tier: publicTier, keyName: null }

export const report: NonNullable<Answered['report']> = {
  ...new ExecutionReport(),
  operationName: 'Newest',
  points: 3,
  from: 'short',
  statementTime: 1.234_56,
  rows: 20,
}

/** A page that was answered well, but for what is given. */
export function answered(given: Partial<Answered> = {}): Answered {
  return {
    requestId: 'request-1',
    caller: anonymous,
    request: { query: 'query Newest { notes { totalCount } }' },
    report,
    outcome: 'ok',
    limit: null,
    status: 200,
    bytes: 4_321,
    duration: 2.345_67,
    ...given,
  }
}
