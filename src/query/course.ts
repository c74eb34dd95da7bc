/** What becomes of a request on its way, and the report of it for whoever watches the service. */
import type { Statement } from '../database/database.ts'
import { countRows } from './answer-rows.ts'
import type { AnswerReport } from './execute.ts'

/** Filled in on the way, for the report. */
export interface Course {
  operationName: string | null
  points: number
  from: AnswerReport['from']
  statementTime: number
  statement: Statement | null
  isTimeless: boolean
}

export function newCourse(): Course {
  return {
    operationName: null,
    points: 0,
    from: null,
    statementTime: 0,
    statement: null,
    isTimeless: true,
  }
}

/** Counting the rows of a longer answer would hold others up. */
const countedBytes = 262_144

/** An accessor would be part of the object's shape, and that would keep the bytes until all memory is looked through. */
export function reportOf(course: Course, body: Uint8Array | null): AnswerReport {
  return {
    ...course,
    rows: () => (body === null ? 0 : body.length > countedBytes ? null : countRows(body)),
  }
}
