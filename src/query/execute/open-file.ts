/** The parts of executing a file that differ from other operations: its totals, its price, its statements, its permit. */
import type { ReadDatabase } from '../../database/database.ts'
import type { FileStream } from '../../database/files/file-source.ts'
import { ServiceError } from '../../errors.ts'
import type { FileSpec } from '../../files/file-spec.ts'
import { writeFile } from '../../files/write-file.ts'
import type { MaybePromise } from '../../util/async/promises.ts'
import type { FileRows } from '../parse/file-rows.ts'
import type { FilePart } from '../plan/plan.ts'
import { fileCostOf } from '../price/cost.ts'
import type { FileHead, OpenedFile, QueryEngine } from './execute.ts'
import { assertAffordable } from './execute.ts'
import type { Asked, Planner, Question } from './planner.ts'

export interface FileParts extends Pick<Planner, 'planFile'> {
  readonly database: Pick<ReadDatabase, 'openFile'>
  readonly questionOf: (asked: Asked) => MaybePromise<Question>
  /** Charges the question of the request and answers it. */
  readonly answer: (asked: Asked, question?: Question) => MaybePromise<Uint8Array>
  /** Calls `read` again where it returns null, because plans were made for a state of the database that has passed. */
  readonly retried: <Result>(read: () => Promise<Result | null>) => Promise<Result>
}

/** An answer of which everything that a file does not have was left out, and totals were added. */
interface FileAnswer {
  readonly totalCount: number
  readonly groups: readonly unknown[]
  readonly groupCount: number
  readonly groupsPageInfo: { readonly hasNextPage: boolean }
}

interface AskedFile extends Asked {
  readonly question: Question
  readonly file: FileRows
}

export function createFiles(parts: FileParts): Pick<QueryEngine, 'openFile' | 'describeFile'> {
  const { database, questionOf, planFile, answer, retried } = parts
  const ask = async (asked: Asked): Promise<AskedFile> => {
    const question = await questionOf(partOf(asked, 'rows'))
    if (question.file === null) throw new Error('A file was asked for.')
    return { ...asked, question, file: question.file }
  }
  const read = async (asked: AskedFile, part: FilePart, question?: Question): Promise<FileAnswer> => {
    const { report } = asked
    report.body = await answer(partOf(asked, part), question)
    const { data } = JSON.parse(Buffer.from(report.body).toString()) as { data: Record<string, FileAnswer> }
    return Object.values(data)[0] as FileAnswer
  }
  /** Groups are few: they are one answer, which is written in this process. */
  const readGroups = async (
    asked: AskedFile,
  ): Promise<{ readonly groups: readonly unknown[]; readonly head: FileHead }> => {
    const { groups, groupCount: total, groupsPageInfo } = await read(asked, 'rows', asked.question)
    const [rows, isTruncated, cost] = [groups.length, groupsPageInfo.hasNextPage, asked.report.points]
    return { groups, head: { name: asked.file.name, rows, total, isTruncated, cost } }
  }
  const readList = (
    { question: { plan }, requestLimits, report }: AskedFile,
    spec: FileSpec,
    signal: AbortSignal,
  ): Promise<FileStream> =>
    retried(async () => {
      const statements = await planFile(plan, requestLimits, signal)
      report.from = 'long'
      report.statement = statements.rows
      return database.openFile(statements, spec, signal)
    })
  return {
    async describeFile(request, requestLimits, report) {
      const asked = await ask({ request, requestLimits, report })
      if (asked.file.kind === 'groups') return (await readGroups(asked)).head
      return headOfList(asked, (await read(asked, 'total')).totalCount)
    },
    async openFile(request, form, requestLimits, report) {
      const asked = await ask({ request, requestLimits, report })
      const { query, variables, operationName } = request
      const text = JSON.stringify({ query, variables, operationName })
      const spec: FileSpec = { ...form, columns: asked.file.columns, query: text }
      if (asked.file.kind !== 'groups') return openList(asked, (signal) => readList(asked, spec, signal))
      const { groups, head } = await readGroups(asked)
      return {
        head,
        total: head.total,
        bytes: writeFile(spec, [groups.map((group) => JSON.stringify(group))], () => undefined),
        rows: () => head.rows,
        signal: new AbortController().signal,
        [Symbol.asyncDispose]: async () => undefined,
      }
    },
  }
}

function partOf({ request, requestLimits, report }: Asked, file: FilePart): Asked {
  return { request: { ...request, file }, requestLimits, report }
}

/** Pays for a list and opens it, with a permit for as long as it is read. */
async function openList(
  asked: AskedFile,
  open: (signal: AbortSignal) => Promise<FileStream>,
): Promise<OpenedFile> {
  const { question, requestLimits, report } = asked
  const cost = fileCostOf(question.plan)
  report.operationName = question.operationName
  const most = cost.pointsFor(cost.limit)
  report.points = most
  // Finding the rows must be affordable as one operation; all rows, within a minute.
  assertAffordable(cost.search, requestLimits.points)
  const { filePoints = Number.POSITIVE_INFINITY } = requestLimits
  if (most > filePoints)
    throw new ServiceError(
      'QUERY_TOO_COMPLEX',
      `The file costs ${most} points, and you have ${filePoints} in a minute. Write a query that has fewer rows, by \`first\`, or fewer fields.`,
      { limit: filePoints, actual: most },
    )
  const permit = await (requestLimits.startFile ?? requestLimits.startLong)()
  try {
    await requestLimits.charge(most)
    const stream = await open(permit.signal)
    // The number of rows is known now, and the others are not paid for.
    const head = headOfList(asked, stream.total)
    report.points = head.cost
    requestLimits.giveBack?.(most - head.cost)
    return {
      ...stream,
      head,
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
}

function headOfList({ file: { name }, question: { plan } }: AskedFile, total: number): FileHead {
  const { limit, pointsFor } = fileCostOf(plan)
  const rows = Math.min(total, limit)
  return { name, rows, total, isTruncated: total > limit, cost: pointsFor(rows) }
}
