/**
 * The read path: request, prepared document, plan, statement, bytes; with caches of documents, statements and answers.
 * It must not know HTTP, and it cannot write.
 */
import { setImmediate } from 'node:timers/promises'
import type { GraphQLSchema } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { PlanState, ReadDatabase, Statement, StoredAnswer } from '../../database/database.ts'
import type { Table } from '../../database/layout/tables.ts'
import { ServiceError } from '../../errors.ts'
import type { Model } from '../../schema/model/model.ts'
import { andThen, type MaybePromise, untilAborted } from '../../util/async/promises.ts'
import { buildPlan } from '../plan/build-plan.ts'
import { costOf, sizeOf } from '../price/cost.ts'
import { describeConstant, describePlan } from '../optimize/describe-plan.ts'
import { constantResponse, emitStatement } from '../emit/emit.ts'
import { insertSnippets } from './insert-snippets.ts'
import { emitList } from '../emit/lists/emit-list.ts'
import { createEmitter } from '../emit/emitter.ts'
import { beingRebuilt, errorAnswer } from './error-answer.ts'
import {
  assertAffordable,
  ExecutionReport,
  type Explanation,
  type GraphQLAnswer,
  type GraphQLRequest,
  type QueryEngine,
  type RequestLimits,
  unlimited,
} from './execute.ts'
import { optimize } from '../optimize/optimize.ts'
import type { PhysicalPlan } from '../plan/physical-plan.ts'
import { createExports, emitExport } from './export.ts'
import type { Plan, SnippetPlan } from '../plan/plan.ts'
import { coerceVariables, findOperation, prepare, type Prepared } from '../parse/prepare.ts'
import { withinPlanningBudget } from '../optimize/optimizer.ts'
import { OverloadedError } from '../../util/async/fair-semaphore.ts'

interface EngineOptions {
  readonly schema: GraphQLSchema
  readonly model: Model
  readonly tables: readonly Table[]
  readonly database: ReadDatabase
  /** Version of the program. */
  readonly version: string
  /** Memory of the answer cache, in bytes. */
  readonly answerCacheBytes?: number
}

/** The parts of a request that do not depend on the data. */
interface Question {
  readonly operationName: string | null
  readonly points: number
  readonly plan: Plan
}

interface PlannedStatement {
  readonly kind: 'statement'
  readonly statement: Statement
  readonly snippets: readonly SnippetPlan[]
  readonly version: number
  /** Whether other requests may wait while it runs. */
  isShort: boolean
}

/** A statement that answers one request, or the answer itself if it reads no data. */
type Compiled = (PlannedStatement | { readonly kind: 'constant'; readonly body: Uint8Array }) & {
  readonly operationName: string | null
  readonly points: number
  /** Whether the answer depends only on stored data. */
  readonly isTimeless: boolean
}

/** Size of the statement cache in characters of keys, SQL and constant answers; and the overhead of an entry. */
const cacheSize = 8_000_000
const cacheOverhead = 400
/**
 * Size of the document cache in characters; a parsed document takes up to 150 bytes for each, 30 MB in total. A short
 * document takes more, hence the overhead.
 */
const documentsSize = 200_000
const documentOverhead = 20
/** Bytes of an entry of the answer cache besides its key and body. */
const answerOverhead = 200
/** Milliseconds. Access paths depend on the amount of data, so they are chosen again after this time. */
const planLifetime = 60_000
/** Maximum number of planning rounds: statistics may lead to further ones, one round for each reference on a path. */
const rounds = 5
/** Maximum number of times that a change of the id order may invalidate the plan within one request. */
const attempts = 5
/** Maximum estimated rows of a short statement, in addition to those of its pages: some milliseconds at most. */
const shortScan = 2_000
/** Maximum size of what a short statement reads and prints, as cost.ts measures it: also some milliseconds. */
const shortSize = 3_000
/** Milliseconds. A statement that took less is short until it is planned again, whatever its estimate. */
const shortTime = 1

export function createEngine(options: EngineOptions): QueryEngine {
  const { schema, model, tables, database, version, answerCacheBytes = 0 } = options
  const documents = new LRUCache<string, Prepared>({
    maxSize: documentsSize,
    sizeCalculation: (_, text) => text.length + documentOverhead,
    memoMethod: (text) => prepare(schema, text),
  })
  const compiled = new LRUCache<string, Compiled>({
    maxSize: cacheSize,
    ttl: planLifetime,
    sizeCalculation: (value, key) =>
      key.length +
      cacheOverhead +
      (value.kind === 'constant' ? value.body.length : value.statement.text.length),
  })
  /** Answers with the version of the data from which they were read. */
  const answers =
    answerCacheBytes === 0
      ? null
      : new LRUCache<string, { readonly body: Uint8Array; readonly version: number }>({
          maxSize: answerCacheBytes,
          sizeCalculation: ({ body }, key) => body.length + 2 * key.length + answerOverhead,
        })
  let state: PlanState | null = null

  const forgetPlans = (): void => {
    compiled.clear()
    state = null
  }

  const questionOf = (
    { query, variables, operationName }: GraphQLRequest,
    requestLimits: RequestLimits,
  ): Question => {
    const document = documents.memo(query)
    const operation = findOperation(document, operationName || null)
    const raw = variables ?? {}
    const coerced = coerceVariables(schema, operation, raw)
    const selection = { schema, fragments: document.fragments, variables: coerced }
    const context = { version, model, tables, maxPageSize: requestLimits.pageSize, selection }
    const plan = buildPlan(context, operation, raw)
    return { operationName: operation.name?.value ?? null, points: costOf(plan), plan }
  }

  const choosePlan = async (
    plan: Plan,
    requestLimits: RequestLimits,
    signal?: AbortSignal,
  ): Promise<{ readonly physical: PhysicalPlan; readonly known: PlanState }> => {
    state ??= await database.readPlanState()
    const known = state
    const { dialect } = database
    for (let round = 1; ; round += 1) {
      const statistics = database.statistics === null ? null : withinPlanningBudget(database.statistics)
      const physical = reportingTime(requestLimits, () =>
        optimize({ dialect, statistics, state: known, tables }, plan),
      )
      // Missing statistics were guessed, and have been loaded now. A plan from guesses gives the same answer.
      if (round < rounds && (await database.statistics?.complete?.(signal)) === true) continue
      return { physical, known }
    }
  }

  const planStatement = async (
    { plan, points }: Question,
    requestLimits: RequestLimits,
    signal?: AbortSignal,
  ): Promise<{ readonly physical: PhysicalPlan; readonly planned: PlannedStatement }> => {
    const { physical, known } = await choosePlan(plan, requestLimits, signal)
    const statement = reportingTime(requestLimits, () =>
      emitStatement(
        createEmitter({ dialect: database.dialect, state: known, tables }, emitList),
        physical,
        points,
      ),
    )
    // `written` measures planning, which is over when the statement runs.
    const size = sizeOf({ ...plan, written: 0 }) - physical.savedSize
    const isShort = physical.estimatedRows <= shortScan && size <= shortSize
    const { snippets } = plan
    return {
      physical,
      planned: { kind: 'statement', statement, snippets, version: known.version, isShort },
    }
  }

  const compile = async (
    question: Question,
    requestLimits: RequestLimits,
    signal?: AbortSignal,
  ): Promise<Compiled> => {
    const { operationName, points, plan } = question
    const isTimeless = plan.roots.every(({ output }) => output.kind !== 'status')
    const constant = reportingTime(requestLimits, () => constantResponse(plan, points))
    if (constant !== null)
      return { kind: 'constant', body: Buffer.from(constant), operationName, points, isTimeless }
    const { planned } = await planStatement(question, requestLimits, signal)
    return { ...planned, operationName, points, isTimeless }
  }

  /** Runs the statement, and completes what it returns. */
  const run = async (
    found: Extract<Compiled, { kind: 'statement' }>,
    requestLimits: RequestLimits,
    report: ExecutionReport,
    signal?: AbortSignal,
  ): Promise<StoredAnswer> => {
    const stored = await read(found, requestLimits, report, signal)
    if (found.snippets.length === 0) return stored
    const steps = insertSnippets(stored.body, found.snippets)
    for (;;) {
      const { value: body, done } = reportingTime(requestLimits, () => steps.next())
      if (done === true) return { ...stored, body, isOwn: true }
      await setImmediate()
    }
  }

  const read = async (
    found: Extract<Compiled, { kind: 'statement' }>,
    requestLimits: RequestLimits,
    report: ExecutionReport,
    signal?: AbortSignal,
  ): Promise<StoredAnswer> => {
    const { statement } = found
    report.statement = statement
    const started = performance.now()
    try {
      if (found.isShort) {
        report.from = 'short'
        return await database.readAnswer(statement, { kind: 'short', ...(signal && { signal }) })
      }
      report.from = 'long'
      using permit = await requestLimits.startLong()
      permit.signal.throwIfAborted()
      const { signal: ending, caller, deadline } = permit
      const request = { signal: ending, caller, deadline, cost: found.points }
      return await database.readAnswer(statement, { kind: 'long', ...request })
    } catch (error) {
      if (error instanceof OverloadedError) requestLimits.refund()
      throw error
    } finally {
      report.statementTime = performance.now() - started
    }
  }

  const storedAnswer = (key: string, version: number | null): Uint8Array | null => {
    const stored = answers?.get(key)
    return stored !== undefined && stored.version === version ? stored.body : null
  }

  /** The answer, if no statement has to run for it. */
  const atHand = (found: Compiled, key: string): Uint8Array | null => {
    if (found.kind === 'constant') return found.body
    return found.isTimeless && answers?.has(key) ? storedAnswer(key, database.dataVersion()) : null
  }

  const answer = (
    request: GraphQLRequest,
    requestLimits: RequestLimits,
    report: ExecutionReport,
  ): MaybePromise<Uint8Array> => {
    const key = cacheKey(request, requestLimits)
    const found = compiled.get(key)
    const body = found === undefined ? null : atHand(found, key)
    if (found === undefined || body === null) return workOut(request, requestLimits, report, key)
    return andThen(charge(found, requestLimits, report), () => {
      report.isTimeless = found.isTimeless
      report.from = found.kind === 'constant' ? 'constant' : 'memory'
      return body
    })
  }

  const workOut = async (
    request: GraphQLRequest,
    requestLimits: RequestLimits,
    report: ExecutionReport,
    key: string,
  ): Promise<Uint8Array> => {
    using timeout = database.isRemote ? requestLimits.startShort() : null
    const signal = timeout?.signal
    let isCharged = false
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      let found = compiled.get(key)
      if (found === undefined) {
        const question = questionOf(request, requestLimits)
        if (!isCharged) await charge(question, requestLimits, report)
        found = await within(compile(question, requestLimits, signal), signal)
        compiled.set(key, found)
      } else if (!isCharged) await charge(found, requestLimits, report)
      isCharged = true
      report.isTimeless = found.isTimeless
      if (found.kind === 'constant') {
        report.from = 'constant'
        return found.body
      }
      const before = answers !== null && found.isTimeless ? database.dataVersion() : null
      const same = before === null ? null : storedAnswer(key, before)
      if (same !== null) {
        report.from = 'memory'
        return same
      }
      const { version } = found
      const answered = await run(found, requestLimits, report, signal).catch(async (error: unknown) => {
        if (error instanceof ServiceError) throw error
        // A statement also fails if the tables or indexes for which it was planned are gone.
        const now = await within(database.readPlanState(), signal).catch(() => null)
        if (now === null || now.version === version) throw error
        return null
      })
      if (answered?.version === version) {
        if (report.statementTime < shortTime) found.isShort = true
        // Nothing was written from before the statement began until now, so the answer is of exactly this version.
        if (before !== null && database.dataVersion() === before)
          answers?.set(key, { body: answered.body, version: before })
        else report.isOwn = answered.isOwn
        return answered.body
      }
      // The order of ids changed after planning, so the statement may no longer be exact.
      forgetPlans()
    }
    throw beingRebuilt()
  }

  const planExport = async (plan: Plan, requestLimits: RequestLimits, signal: AbortSignal) => {
    const { physical, known } = await within(choosePlan(plan, requestLimits), signal)
    const emitter = createEmitter({ dialect: database.dialect, state: known, tables }, emitList)
    const statements = reportingTime(requestLimits, () => emitExport(emitter, physical))
    return { ...statements, version: known.version }
  }

  return {
    ...createExports({ database, questionOf, planExport, forgetPlans, attempts }),
    execute(request, requestLimits = unlimited): MaybePromise<GraphQLAnswer> {
      const report = new ExecutionReport()
      const succeed = (body: Uint8Array): GraphQLAnswer => {
        report.body = body
        return { kind: 'data', body, isOwn: report.isOwn, report }
      }
      const fail = (error: unknown): GraphQLAnswer => errorAnswer(error, report)
      try {
        const body = answer(request, requestLimits, report)
        return body instanceof Promise ? body.then(succeed).catch(fail) : succeed(body)
      } catch (error) {
        return fail(error)
      }
    },
    async explain(request): Promise<Explanation> {
      const question = questionOf(request, unlimited)
      const { plan, points } = question
      assertAffordable(points, unlimited.points)
      if (constantResponse(plan, points) !== null)
        return { sql: null, values: [], steps: [], plan: plan.roots.map(describeConstant), cost: points }
      const { physical, planned } = await planStatement(question, unlimited)
      const { text, values } = planned.statement
      return {
        sql: text,
        values,
        steps: await database.explain(planned.statement),
        plan: describePlan(physical),
        cost: points,
      }
    },
  }
}

/** Called once for each request, before anything is read for it. */
function charge(
  { operationName, points }: Pick<Question, 'operationName' | 'points'>,
  requestLimits: RequestLimits,
  report: ExecutionReport,
): MaybePromise<void> {
  report.operationName = operationName
  report.points = points
  assertAffordable(points, requestLimits.points)
  return requestLimits.charge(points)
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

/** Calls of a local database have no signal. */
function within<Result>(promise: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  return signal === undefined ? promise : untilAborted(promise, signal)
}

/** The page size is part of the key because its maximum differs between callers. */
function cacheKey({ query, variables, operationName }: GraphQLRequest, { pageSize }: RequestLimits): string {
  const given = variables === undefined || variables === null ? '' : JSON.stringify(variables)
  const name = operationName ?? ''
  // The lengths make the key unambiguous: two different requests cannot concatenate to the same key.
  return `${pageSize} ${name.length} ${given.length} ${name}${given}${query}`
}
