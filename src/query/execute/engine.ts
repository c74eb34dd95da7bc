/**
 * The read path: request, statement, bytes; with caches of statements and answers. planner.ts makes the statements.
 * It must not know HTTP, and it cannot write.
 */
import { LRUCache } from 'lru-cache'
import type { StoredAnswer } from '../../database/database.ts'
import { ServiceError } from '../../errors.ts'
import { OverloadedError } from '../../util/async/fair-semaphore.ts'
import { andThen, type MaybePromise } from '../../util/async/promises.ts'
import { constantResponse } from '../emit/emit.ts'
import { describeConstant, describePlan } from '../optimize/describe-plan.ts'
import { longRequestLength } from '../parse/prepare.ts'
import { beingRebuilt, errorAnswer } from './error-answer.ts'
import {
  assertAffordable,
  ExecutionReport,
  type Explanation,
  type GraphQLAnswer,
  type QueryEngine,
  type RequestLimits,
  unlimited,
} from './execute.ts'
import { insertSnippets } from './insert-snippets.ts'
import { createFiles } from './open-file.ts'
import {
  type Compiled,
  createPlanner,
  inTurns,
  type PlannedRequest,
  type PlannerOptions,
  type Question,
  within,
} from './planner.ts'

interface EngineOptions extends PlannerOptions {
  /** Memory of the answer cache, in bytes. */
  readonly answerCacheBytes?: number
}

/** Size of the statement cache in characters of keys, SQL and constant answers; and the overhead of an entry. */
const cacheSize = 8_000_000
const cacheOverhead = 400
/** Bytes of an entry of the answer cache besides its key and body. */
const answerOverhead = 200
/** Milliseconds. Access paths depend on the amount of data, so they are chosen again after this time. */
const planLifetime = 60_000
/** Maximum number of times that a change of the id order may invalidate the plan within one request. */
const attempts = 5
/** Milliseconds. A statement that took less is short until it is planned again, whatever its estimate. */
const shortTime = 1

export function createEngine(options: EngineOptions): QueryEngine {
  const { database, answerCacheBytes = 0 } = options
  const planner = createPlanner(options)
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

  const forgetPlans = (): void => {
    compiled.clear()
    planner.forgetState()
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
    const body = await inTurns(insertSnippets(stored.body, found.snippets), requestLimits)
    return { ...stored, body, isOwn: true }
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
    request: PlannedRequest,
    requestLimits: RequestLimits,
    report: ExecutionReport,
    question?: Question,
  ): MaybePromise<Uint8Array> => {
    const key = cacheKey(request, requestLimits)
    const found = compiled.get(key)
    const body = found === undefined ? null : atHand(found, key)
    if (found === undefined || body === null) return workOut(request, requestLimits, report, key, question)
    return andThen(charge(found, requestLimits, report), () => {
      report.isTimeless = found.isTimeless
      report.from = found.kind === 'constant' ? 'constant' : 'memory'
      return body
    })
  }

  const questionOf = (
    request: PlannedRequest,
    requestLimits: RequestLimits,
    key: string,
  ): MaybePromise<Question> => {
    const length = key.length - (planner.isPrepared(request.query) ? request.query.length : 0)
    return length < longRequestLength
      ? planner.questionOf(request, requestLimits)
      : planner.questionInTurns(request, requestLimits)
  }

  const workOut = async (
    request: PlannedRequest,
    requestLimits: RequestLimits,
    report: ExecutionReport,
    key: string,
    given?: Question,
  ): Promise<Uint8Array> => {
    using timeout = database.isRemote ? requestLimits.startShort() : null
    const signal = timeout?.signal
    let isCharged = false
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      let found = compiled.get(key)
      if (found === undefined) {
        const asked = given ?? questionOf(request, requestLimits, key)
        const question = asked instanceof Promise ? await asked : asked
        if (!isCharged) await charge(question, requestLimits, report)
        found = await within(planner.compile(question, requestLimits, signal), signal)
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

  return {
    ...createFiles({
      ...planner,
      questionOf: (request, given) => questionOf(request, given, cacheKey(request, given)),
      database,
      answer,
      forgetPlans,
      attempts,
    }),
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
    price: (request) => planner.questionOf(request, unlimited).points,
    async explain(request): Promise<Explanation> {
      const question = planner.questionOf(request, unlimited)
      const { plan, points } = question
      assertAffordable(points, unlimited.points)
      if (constantResponse(plan, points) !== null)
        return { sql: null, values: [], steps: [], plan: plan.roots.map(describeConstant), cost: points }
      const { physical, planned } = await planner.planStatement(question, unlimited)
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

/** The page size is part of the key because its maximum differs between callers. */
function cacheKey(
  { query, variables, operationName, file }: PlannedRequest,
  { pageSize }: RequestLimits,
): string {
  const given = variables === undefined || variables === null ? '' : JSON.stringify(variables)
  const name = operationName ?? ''
  // The lengths make the key unambiguous: two different requests cannot concatenate to the same key.
  return `${file ?? ''}${pageSize} ${name.length} ${given.length} ${name}${given}${query}`
}
