/** The read path: request, statement, bytes, with caches of the last two. It must not know HTTP, and it cannot write. */
import { LRUCache } from 'lru-cache'
import type { ReadDatabase } from '../../database/database.ts'
import { ServiceError } from '../../errors.ts'
import { andThen, type MaybePromise } from '../../util/async/promises.ts'
import { constantResponse } from '../emit/emit.ts'
import { describeConstant, describePlan } from '../optimize/describe-plan.ts'
import { createAnswers } from './answers.ts'
import { errorAnswer } from './error-answer.ts'
import type { Explanation, GraphQLAnswer, GraphQLRequest, QueryEngine } from './execute.ts'
import { assertAffordable, ExecutionReport, unlimited } from './execute.ts'
import { createFiles, type FileParts } from './open-file.ts'
import type { Asked, Compiled, Planner, PlannerOptions, Question } from './planner.ts'
import { createPlanner, within } from './planner.ts'

interface EngineOptions extends PlannerOptions {
  /** Memory of the answer cache, in bytes. */
  readonly answerCacheBytes?: number
}

/** Size of the statement cache in characters of keys, SQL and constant answers; and the overhead of an entry. */
const cacheSize = 8_000_000
const cacheOverhead = 400
/** Milliseconds. Access paths depend on the amount of data, so they are chosen again after this time. */
const planLifetime = 60_000
/** How often a change of the id order, after which statements may no longer be exact, may invalidate a request's plan. */
const attempts = 5

export function createEngine(options: EngineOptions): QueryEngine {
  const { database, answerCacheBytes = 0 } = options
  const planner = createPlanner(options)
  const answers = createAnswers(database, answerCacheBytes)
  const compiled = new LRUCache<string, Compiled>({
    maxSize: cacheSize,
    ttl: planLifetime,
    sizeCalculation: (value, key) =>
      key.length +
      cacheOverhead +
      (value.kind === 'constant' ? value.body.length : value.statement.text.length),
  })
  /** Tries again where plans were made for a state of the database that has passed, for which `read` returns null. */
  const retried = async <Result>(read: () => Promise<Result | null>): Promise<Result> => {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const result = await read()
      if (result !== null) return result
      compiled.clear()
      planner.forgetState()
    }
    const message = 'The index is being rebuilt; try again in a few seconds.'
    throw new ServiceError('UNAVAILABLE', message, { retryAfter: 5 })
  }

  const answer = (asked: Asked, question?: Question): MaybePromise<Uint8Array> => {
    const key = cacheKey(asked)
    const found = compiled.get(key)
    const body = found === undefined ? null : answers.atHand(found, key)
    if (found === undefined || body === null) return workOut(asked, key, question)
    return andThen(charge(found, asked), () => {
      asked.report.isTimeless = found.isTimeless
      asked.report.from = found.kind === 'constant' ? 'constant' : 'memory'
      return body
    })
  }

  const workOut = async (asked: Asked, key: string, given?: Question): Promise<Uint8Array> => {
    const { request, requestLimits } = asked
    using timeout = database.isRemote ? requestLimits.startShort() : null
    const signal = timeout?.signal
    let isCharged = false
    // Awaited, so that the timeout ends after it.
    return await retried(async () => {
      let found = compiled.get(key)
      if (found === undefined) {
        const prepared = given ?? planner.questionFor(request, requestLimits, key.length)
        const question = prepared instanceof Promise ? await prepared : prepared
        if (!isCharged) await charge(question, asked)
        found = await within(planner.compile(question, requestLimits, signal), signal)
        compiled.set(key, found)
      } else if (!isCharged) await charge(found, asked)
      isCharged = true
      return answers.read(found, key, asked, signal)
    })
  }

  const execute: QueryEngine['execute'] = (request, requestLimits = unlimited) => {
    const report = new ExecutionReport()
    const succeed = (body: Uint8Array): GraphQLAnswer => {
      report.body = body
      return { kind: 'data', body, isOwn: report.isOwn, report }
    }
    const fail = (error: unknown): GraphQLAnswer => errorAnswer(error, report)
    try {
      const body = answer({ request, requestLimits, report })
      return body instanceof Promise ? body.then(succeed).catch(fail) : succeed(body)
    } catch (error) {
      return fail(error)
    }
  }

  const questionOf: FileParts['questionOf'] = (asked) =>
    planner.questionFor(asked.request, asked.requestLimits, cacheKey(asked).length)
  return {
    ...createFiles({ ...planner, questionOf, database, answer, retried }),
    execute,
    price: (request) => planner.questionOf(request, unlimited).points,
    explain: (request) => explain(request, planner, database),
  }
}

async function explain(
  request: GraphQLRequest,
  planner: Planner,
  database: Pick<ReadDatabase, 'explain'>,
): Promise<Explanation> {
  const question = planner.questionOf(request, unlimited)
  const { plan, points } = question
  assertAffordable(points, unlimited.points)
  if (constantResponse(plan, points) !== null)
    return { sql: null, values: [], steps: [], plan: plan.roots.map(describeConstant), cost: points }
  const { physical, planned } = await planner.planStatement(question, unlimited)
  const { text, values } = planned.statement
  const steps = await database.explain(planned.statement)
  return { sql: text, values, steps, plan: describePlan(physical), cost: points }
}

/** Called once for each request, before anything is read for it. */
function charge(
  { operationName, points }: Pick<Question, 'operationName' | 'points'>,
  { requestLimits, report }: Asked,
): MaybePromise<void> {
  report.operationName = operationName
  report.points = points
  assertAffordable(points, requestLimits.points)
  return requestLimits.charge(points)
}

/** The page size is part of the key because its maximum differs between callers. */
function cacheKey({ request, requestLimits: { pageSize } }: Asked): string {
  const { query, variables, operationName, file } = request
  const given = variables === undefined || variables === null ? '' : JSON.stringify(variables)
  const name = operationName ?? ''
  // The lengths make the key unambiguous: two different requests cannot concatenate to the same key.
  return `${file ?? ''}${pageSize} ${name.length} ${given.length} ${name}${given}${query}`
}
