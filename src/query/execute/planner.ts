/** From a request to its statement: document, plans, SQL; with a cache of documents, and the state that plans are for. */
import { setImmediate } from 'node:timers/promises'
import type { GraphQLSchema } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { PlanState, ReadDatabase, Statement } from '../../database/database.ts'
import type { Table } from '../../database/layout/tables.ts'
import type { Model } from '../../schema/model/model.ts'
import { type MaybePromise, untilAborted } from '../../util/async/promises.ts'
import { constantResponse, emitFile, emitStatement } from '../emit/emit.ts'
import { createEmitter, type Emitter } from '../emit/emitter.ts'
import { emitList } from '../emit/lists/emit-list.ts'
import { emitRows } from '../emit/lists/emit-rows.ts'
import { optimize } from '../optimize/optimize.ts'
import { withinPlanningBudget } from '../optimize/optimizer.ts'
import { fileRows, type FileRows } from '../parse/file-rows.ts'
import {
  coerceInSteps,
  findOperation,
  longRequestLength,
  prepareInSteps,
  type Prepared,
  runAllSteps,
} from '../parse/prepare.ts'
import { buildPlan } from '../plan/build-plan.ts'
import type { PhysicalPlan } from '../plan/physical-plan.ts'
import type { FilePart, Plan, SnippetPlan } from '../plan/plan.ts'
import { costOf, sizeOf } from '../price/cost.ts'
import type { ExecutionReport, GraphQLRequest, RequestLimits } from './execute.ts'

export interface PlannerOptions {
  readonly schema: GraphQLSchema
  readonly model: Model
  readonly tables: readonly Table[]
  readonly database: ReadDatabase
  readonly version: string
}

/** A request, and what a file needs of its answer; null for a request of another answer. */
export interface PlannedRequest extends GraphQLRequest {
  readonly file?: FilePart | null
}

/** A request while it is answered. */
export interface Asked {
  readonly request: PlannedRequest
  readonly requestLimits: RequestLimits
  readonly report: ExecutionReport
}

/** The parts of a request that do not depend on the data. */
export interface Question {
  readonly operationName: string | null
  readonly points: number
  readonly plan: Plan
  /** Null unless the request asks for a file. */
  readonly file: FileRows | null
}

export interface PlannedStatement {
  readonly kind: 'statement'
  readonly statement: Statement
  readonly snippets: readonly SnippetPlan[]
  readonly version: number
  /** Whether other requests may wait while it runs. */
  isShort: boolean
}

/** A statement that answers one request, or the answer itself if it reads no data. */
export type Compiled = (PlannedStatement | { readonly kind: 'constant'; readonly body: Uint8Array }) & {
  readonly operationName: string | null
  readonly points: number
  /** Whether the answer depends only on stored data. */
  readonly isTimeless: boolean
}

export type Planner = ReturnType<typeof createPlanner>

/** Characters: a parsed document has up to 150 bytes for each, 30 MB in total; short ones have more, hence the overhead. */
const documentsSize = 200_000
const documentOverhead = 20
/** Maximum number of planning rounds: statistics may lead to further ones, one round for each reference on a path. */
const rounds = 5
/** Maximum estimated rows of a short statement, in addition to those of its pages: some milliseconds at most. */
const shortScan = 2_000
/** Maximum size of what a short statement reads and prints, as cost.ts measures it: also some milliseconds. */
const shortSize = 3_000

export function createPlanner(options: PlannerOptions) {
  const questions = createQuestions(options)
  const { database, tables } = options
  let state: PlanState | null = null

  // While the index is rebuilt, the database has no dialect yet.
  const emitterFor = (known: PlanState): Emitter =>
    createEmitter({ dialect: database.dialect, state: known, tables }, { list: emitList, inOrder: emitRows })

  const choosePlan = async (
    plan: Plan,
    requestLimits: RequestLimits,
    signal?: AbortSignal,
  ): Promise<{ readonly physical: PhysicalPlan; readonly known: PlanState }> => {
    state ??= await database.readPlanState()
    const known = state
    for (let round = 1; ; round += 1) {
      const statistics = withinPlanningBudget(database.statistics)
      const physical = reportingTime(requestLimits, () =>
        optimize({ dialect: database.dialect, statistics, state: known, tables }, plan),
      )
      // Missing statistics were guessed, and have been loaded now. A plan from guesses gives the same answer.
      if (round < rounds && (await database.statistics.complete?.(signal)) === true) continue
      return { physical, known }
    }
  }

  const planStatement = async (
    { plan, points }: Question,
    requestLimits: RequestLimits,
    signal?: AbortSignal,
  ): Promise<{ readonly physical: PhysicalPlan; readonly planned: PlannedStatement }> => {
    const { physical, known } = await choosePlan(plan, requestLimits, signal)
    const statement = reportingTime(requestLimits, () => emitStatement(emitterFor(known), physical, points))
    // `written` measures planning, which is over when the statement runs.
    const size = sizeOf({ ...plan, written: 0 }) - physical.savedSize
    const isShort = physical.estimatedRows <= shortScan && size <= shortSize
    const { snippets } = plan
    return {
      physical,
      planned: { kind: 'statement', statement, snippets, version: known.version, isShort },
    }
  }

  return {
    ...questions,
    planStatement,
    async compile(question: Question, requestLimits: RequestLimits, signal?: AbortSignal): Promise<Compiled> {
      const { operationName, points, plan } = question
      const isTimeless = plan.roots.every(({ output }) => output.kind !== 'status')
      const constant = reportingTime(requestLimits, () => constantResponse(plan, points))
      if (constant !== null)
        return { kind: 'constant', body: Buffer.from(constant), operationName, points, isTimeless }
      const { planned } = await planStatement(question, requestLimits, signal)
      return { ...planned, operationName, points, isTimeless }
    },
    async planFile(plan: Plan, requestLimits: RequestLimits, signal: AbortSignal) {
      const { physical, known } = await within(choosePlan(plan, requestLimits), signal)
      const statements = reportingTime(requestLimits, () => emitFile(emitterFor(known), physical))
      return { ...statements, version: known.version }
    },
    /** Plans were made for a state of the database that has passed. */
    forgetState(): void {
      state = null
    },
  }
}

/** Prepares the questions of requests, with the cache of parsed documents. */
function createQuestions({ schema, model, tables, version }: PlannerOptions) {
  const documents = new LRUCache<string, Prepared>({
    maxSize: documentsSize,
    sizeCalculation: (_, text) => text.length + documentOverhead,
  })

  function* inSteps(
    { query, variables, operationName, file: part = null }: PlannedRequest,
    requestLimits: RequestLimits,
  ): Generator<void, Question> {
    const known = documents.get(query)
    const document = known ?? (yield* prepareInSteps(schema, query))
    if (known === undefined) documents.set(query, document)
    const operation = findOperation(document, operationName || null)
    const raw = variables ?? {}
    yield
    const coerced = yield* coerceInSteps(schema, operation, raw)
    yield
    const selection = { schema, fragments: document.fragments, variables: coerced }
    const file = part === null ? null : fileRows(selection, operation)
    const context = { version, model, tables, maxPageSize: requestLimits.pageSize, file: part, selection }
    const plan = buildPlan(context, operation, raw)
    return { operationName: operation.name?.value ?? null, points: costOf(plan), plan, file }
  }

  const questionOf = (request: PlannedRequest, requestLimits: RequestLimits): Question =>
    runAllSteps(inSteps(request, requestLimits))

  /** One after the other, because the steps of several would follow each other in one turn. */
  let last: Promise<unknown> = Promise.resolve()
  return {
    questionOf,
    /** In several turns if the request has a great `length`, of which a known document does not count. */
    questionFor(
      request: PlannedRequest,
      requestLimits: RequestLimits,
      length: number,
    ): MaybePromise<Question> {
      const { query } = request
      if (length - (documents.has(query) ? query.length : 0) < longRequestLength)
        return questionOf(request, requestLimits)
      const own = last.then(() => inTurns(inSteps(request, requestLimits), requestLimits))
      last = Promise.allSettled([own])
      return own
    },
  }
}

/** Runs work for which the caller has paid, and reports how long it blocked the event loop. */
function reportingTime<Result>(requestLimits: RequestLimits, work: () => Result): Result {
  const started = performance.now()
  try {
    return work()
  } finally {
    requestLimits.worked(performance.now() - started)
  }
}

/** Runs all steps of such work, each in a turn of the event loop of its own. */
export async function inTurns<Result>(
  steps: Generator<void, Result>,
  requestLimits: RequestLimits,
): Promise<Result> {
  for (;;) {
    const { value, done } = reportingTime(requestLimits, () => steps.next())
    if (done === true) return value
    await setImmediate()
  }
}

/** Calls of a local database have no signal. */
export function within<Result>(promise: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  return signal === undefined ? promise : untilAborted(promise, signal)
}
