/** What becomes of a request on its way, which is the report of it for whoever watches the service. */
import type { Statement } from '../../database/database.ts'
import { countRows } from './answer-rows.ts'
import type { AnswerReport } from './execute.ts'

/** Counting the rows of a longer answer would hold others up. */
const countedBytes = 262_144

/** Filled in on the way. */
export class ExecutionReport implements AnswerReport {
  operationName: string | null = null
  points = 0
  from: AnswerReport['from'] = null
  statementTime = 0
  statement: Statement | null = null
  isTimeless = true
  /** The answer; null while there is none. */
  body: Uint8Array | null = null
  /** Whether nobody else has it. */
  isOwn = false

  /** Counted when somebody looks. */
  get rows(): number | null {
    const { body } = this
    if (body === null) return 0
    return body.length > countedBytes ? null : countRows(body)
  }
}
