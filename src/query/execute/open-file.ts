/** The parts of executing a file that differ from other operations: its totals, its price, its statements, its permit. */
import type { ReadDatabase } from '../../database/database.ts'
import type { FileStream } from '../../database/files/file-source.ts'
import { ServiceError } from '../../errors.ts'
import type { FileForm, FileSpec } from '../../files/file-spec.ts'
import { writeFile } from '../../files/write-file.ts'
import type { MaybePromise } from '../../util/async/promises.ts'
import type { FileRows } from '../parse/file-rows.ts'
import type { Plan } from '../plan/plan.ts'
import { exportCostOf } from '../price/cost-export.ts'
import { beingRebuilt } from './error-answer.ts'
import {
  assertAffordable,
  type ExecutionReport,
  type FileHead,
  type GraphQLRequest,
  type QueryEngine,
  type RequestLimits,
} from './execute.ts'
import type { PlannedRequest, Planner, Question } from './planner.ts'

interface FileParts extends Pick<Planner, 'planFile'> {
  readonly database: Pick<ReadDatabase, 'openFile'>
  readonly questionOf: (request: PlannedRequest, requestLimits: RequestLimits) => MaybePromise<Question>
  /** Charges the question of the request and answers it. */
  readonly answer: (
    request: PlannedRequest,
    requestLimits: RequestLimits,
    report: ExecutionReport,
    question?: Question,
  ) => MaybePromise<Uint8Array>
  /** Plans were made for a state of the database that has passed. */
  readonly forgetPlans: () => void
  /** How often a file is planned before that is given up. */
  readonly attempts: number
}

/** An answer of which everything that a file does not have was left out, and totals were added. */
interface FileAnswer {
  readonly totalCount: number
  readonly groups: readonly unknown[]
  readonly groupCount: number
  readonly groupsPageInfo: { readonly hasNextPage: boolean }
}

export function createFiles({
  database,
  questionOf,
  planFile,
  answer,
  forgetPlans,
  attempts,
}: FileParts): Pick<QueryEngine, 'openFile' | 'describeFile'> {
  const askFor = async (
    request: GraphQLRequest,
    part: 'rows' | 'total',
    requestLimits: RequestLimits,
    report: ExecutionReport,
    question?: Question,
  ): Promise<FileAnswer> => {
    report.body = await answer({ ...request, file: part }, requestLimits, report, question)
    const { data } = JSON.parse(Buffer.from(report.body).toString()) as { data: Record<string, FileAnswer> }
    return Object.values(data)[0] as FileAnswer
  }
  const prepare = async (request: GraphQLRequest, requestLimits: RequestLimits) => {
    const question = await questionOf({ ...request, file: 'rows' }, requestLimits)
    if (question.file === null) throw new Error('A file was asked for.')
    return { question, file: question.file }
  }
  /** Groups are few: they are one answer, which is written in this process. */
  const findGroups = async (
    request: GraphQLRequest,
    requestLimits: RequestLimits,
    report: ExecutionReport,
    { question, file }: Awaited<ReturnType<typeof prepare>>,
  ): Promise<Pick<FileAnswer, 'groups'> & { readonly head: FileHead }> => {
    const found = await askFor(request, 'rows', requestLimits, report, question)
    const { groups, groupCount: total, groupsPageInfo } = found
    const isTruncated = groupsPageInfo.hasNextPage
    const head = {
      name: `${file.nsid}.aggregate`,
      rows: groups.length,
      total,
      isTruncated,
      cost: report.points,
    }
    return { groups, head }
  }
  const openRows = async (
    plan: Plan,
    spec: FileSpec,
    requestLimits: RequestLimits,
    report: ExecutionReport,
    signal: AbortSignal,
  ): Promise<FileStream> => {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const statements = await planFile(plan, requestLimits, signal)
      report.from = 'long'
      report.statement = statements.rows
      const stream = await database.openFile(statements, spec, signal)
      if (stream !== null) return stream
      forgetPlans()
    }
    throw beingRebuilt()
  }
  return {
    async describeFile(request, requestLimits, report) {
      const prepared = await prepare(request, requestLimits)
      const { question, file } = prepared
      if (file.kind === 'groups') return (await findGroups(request, requestLimits, report, prepared)).head
      const { totalCount } = await askFor(request, 'total', requestLimits, report)
      return headOfList(file, question.plan, totalCount)
    },
    async openFile(request, form, requestLimits, report) {
      const prepared = await prepare(request, requestLimits)
      const { question, file } = prepared
      const spec = specOf(request, form, file)
      if (file.kind === 'groups') {
        const { groups, head } = await findGroups(request, requestLimits, report, prepared)
        return {
          head,
          bytes: writeFile(spec, [groups.map((group) => JSON.stringify(group))], () => undefined),
          written: () => groups.length,
          signal: new AbortController().signal,
          [Symbol.asyncDispose]: async () => undefined,
        }
      }
      const { plan, operationName } = question
      const cost = exportCostOf(plan)
      report.operationName = operationName
      const most = cost.pointsFor(cost.limit)
      report.points = most
      assertFileAffordable(cost.search, most, requestLimits)
      const permit = await (requestLimits.startFile ?? requestLimits.startLong)()
      try {
        await requestLimits.charge(most)
        const stream = await openRows(plan, spec, requestLimits, report, permit.signal)
        // The number of rows is known now, and the others are not paid for.
        const head = headOfList(file, plan, stream.total)
        report.points = head.cost
        requestLimits.giveBack?.(most - head.cost)
        return {
          head,
          bytes: stream.bytes,
          written: stream.rows,
          signal: permit.signal,
          async [Symbol.asyncDispose]() {
            permit[Symbol.dispose]()
            await stream[Symbol.asyncDispose]()
          },
        }
      } catch (error) {
        permit[Symbol.dispose]()
        permit.signal.throwIfAborted()
        throw error
      }
    },
  }
}

function headOfList({ nsid }: FileRows, plan: Plan, total: number): FileHead {
  const { limit, pointsFor } = exportCostOf(plan)
  const rows = Math.min(total, limit)
  return { name: nsid, rows, total, isTruncated: total > limit, cost: pointsFor(rows) }
}

function specOf(
  { query, variables, operationName }: GraphQLRequest,
  form: FileForm,
  { columns }: FileRows,
): FileSpec {
  return { ...form, columns, query: JSON.stringify({ query, variables, operationName }) }
}

/** Finding the rows must be affordable as one operation; all rows, within a minute. */
function assertFileAffordable(
  search: number,
  points: number,
  { points: most, filePoints = Number.POSITIVE_INFINITY }: RequestLimits,
): void {
  assertAffordable(search, most)
  if (points <= filePoints) return
  throw new ServiceError(
    'QUERY_TOO_COMPLEX',
    `The file costs ${points} points, and you have ${filePoints} in a minute. Ask for fewer rows by \`first\`, or for fewer fields.`,
    { limit: filePoints, actual: points },
  )
}
