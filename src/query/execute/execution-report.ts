/** Collects the facts about a request while it is executed, for logs and metrics. */
import type { Statement } from '../../database/database.ts'
import { countRows } from './answer-rows.ts'
import type { AnswerReport } from './execute.ts'

/** Bytes. Counting the rows of a longer answer would delay other requests. */
const countedBytes = 262_144

/** Filled in during execution. */
export class ExecutionReport implements AnswerReport {
  operationName: string | null = null
  points = 0
  from: AnswerReport['from'] = null
  statementTime = 0
  statement: Statement | null = null
  isTimeless = true
  /** The answer; null until there is one. */
  body: Uint8Array | null = null
  /** Whether nothing else refers to the body, so that it may be released. */
  isOwn = false

  /** Counted on demand. */
  get rows(): number | null {
    const { body } = this
    if (body === null) return 0
    return body.length > countedBytes ? null : countRows(body)
  }
}
