/** The parts of executing an export that differ from other operations: its price, its statements, its permit. */
import type { ColumnValue, ReadDatabase, Statement } from '../../database/database.ts'
import type { FileStatements, FileStream } from '../../database/files/file-source.ts'
import { ServiceError } from '../../errors.ts'
import type { FileSpec } from '../../files/file-spec.ts'
import type { Sql } from '../../sql/sql.ts'
import type { Emitter } from '../emit/emitter.ts'
import { emitExportCount, emitExportRows } from '../emit/lists/emit-export.ts'
import { describePlan } from '../optimize/describe-plan.ts'
import { assertWithin } from '../parse/limits.ts'
import type { PhysicalPlan } from '../plan/physical-plan.ts'
import type { Plan } from '../plan/plan.ts'
import { exportCostOf } from '../price/cost-export.ts'
import { beingRebuilt } from './error-answer.ts'
import {
  assertAffordable,
  type ExecutionReport,
  type GraphQLRequest,
  type LongQueryPermit,
  type OpenedExport,
  type QueryEngine,
  type RequestLimits,
} from './execute.ts'

interface ExportParts {
  readonly database: Pick<ReadDatabase, 'openFile' | 'explain'>
  readonly questionOf: (
    request: GraphQLRequest,
    requestLimits: RequestLimits,
  ) => { readonly plan: Plan; readonly operationName: string | null }
  readonly planExport: (
    plan: Plan,
    requestLimits: RequestLimits,
    signal: AbortSignal,
  ) => Promise<FileStatements & { readonly physical: PhysicalPlan }>
  /** Plans were made for a state of the database that has passed. */
  readonly forgetPlans: () => void
  /** How often an export is planned before that is given up. */
  readonly attempts: number
}

export function createExports({
  database,
  questionOf,
  planExport,
  forgetPlans,
  attempts,
}: ExportParts): Pick<QueryEngine, 'openExport' | 'priceExport' | 'explainExport'> {
  const open = async (
    plan: Plan,
    spec: FileSpec,
    requestLimits: RequestLimits,
    report: ExecutionReport,
    signal: AbortSignal,
  ): Promise<FileStream> => {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const { physical: _, ...statements } = await planExport(plan, requestLimits, signal)
      report.from = 'long'
      report.statement = statements.rows
      const stream = await database.openFile(statements, spec, signal)
      if (stream !== null) return stream
      forgetPlans()
    }
    throw beingRebuilt()
  }
  const priceOf = (plan: Plan, total: number): number => {
    const cost = exportCostOf(plan)
    return cost.pointsFor(Math.min(total, cost.limit))
  }
  return {
    priceExport: (request, requestLimits, total) => priceOf(questionOf(request, requestLimits).plan, total),
    async explainExport(request, requestLimits, total) {
      const { plan } = questionOf(request, requestLimits)
      const { rows, physical } = await planExport(plan, requestLimits, new AbortController().signal)
      return {
        sql: rows.text,
        values: rows.values,
        steps: await database.explain(rows),
        plan: describePlan(physical),
        cost: priceOf(plan, total),
      }
    },
    async openExport(request, spec, requestLimits, report) {
      const { plan, operationName } = questionOf(request, requestLimits)
      const cost = exportCostOf(plan)
      report.operationName = operationName
      const most = cost.pointsFor(cost.limit)
      report.points = most
      assertExportAffordable(cost.search, most, requestLimits)
      await requestLimits.charge(most)
      const permit = await requestLimits.startLong()
      try {
        const stream = await open(plan, spec, requestLimits, report, permit.signal)
        // The number of rows is known now, and the others are not paid for.
        report.points = cost.pointsFor(Math.min(stream.total, cost.limit))
        requestLimits.giveBack?.(most - report.points)
        return holdPermit(stream, permit, cost.limit)
      } catch (error) {
        permit[Symbol.dispose]()
        permit.signal.throwIfAborted()
        throw error
      }
    },
  }
}

/** Finding the rows must be affordable as one operation; all rows, within a minute. */
function assertExportAffordable(
  search: number,
  points: number,
  { points: most, exportPoints = Number.POSITIVE_INFINITY }: RequestLimits,
): void {
  assertAffordable(search, most)
  if (points <= exportPoints) return
  throw new ServiceError(
    'QUERY_TOO_COMPLEX',
    `The export costs ${points} points, and you have ${exportPoints} in a minute. Ask for fewer rows by \`limit\`, or for fewer \`fields\`.`,
    { limit: exportPoints, actual: points },
  )
}

export function emitExport(emitter: Emitter, plan: PhysicalPlan): Omit<FileStatements, 'version'> {
  const [root] = plan.roots
  if (root?.output.kind !== 'list') throw new Error('An export is one list.')
  const { list } = root.output
  const statement = (text: Sql): Statement => {
    assertWithin(
      'parameters',
      text.values.length - plan.sourceValues,
      'The operation compares with too many values',
    )
    return { text: emitter.dialect.text(text), values: text.values as readonly ColumnValue[] }
  }
  return { count: statement(emitExportCount(emitter, list)), rows: statement(emitExportRows(emitter, list)) }
}

/** The permit ends with the export. */
function holdPermit(stream: FileStream, permit: LongQueryPermit, limit: number): OpenedExport {
  return {
    total: stream.total,
    bytes: stream.bytes,
    rows: stream.rows,
    limit,
    signal: permit.signal,
    async [Symbol.asyncDispose]() {
      permit[Symbol.dispose]()
      await stream[Symbol.asyncDispose]()
    },
  }
}
