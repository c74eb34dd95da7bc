/**
 * The read path: request to prepared document to plan to statement to bytes, with what was worked out
 * before kept at hand. It knows no HTTP, and it cannot write.
 */
import { type GraphQLSchema, getVariableValues } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { PlanState, ReadDatabase, Statement } from '../database/database.ts'
import type { Table } from '../database/tables.ts'
import { ServiceError } from '../errors.ts'
import type { Model } from '../schema/model.ts'
import { buildRecord } from './build-output.ts'
import { buildPlan } from './build-plan.ts'
import { describePlan } from './describe-plan.ts'
import { constantResponse, emitStatement } from './emit.ts'
import { emitList } from './emit-list.ts'
import { assertAffordable, costOf } from './cost.ts'
import { limits } from './limits.ts'
import { createEmitter } from './emitter.ts'
import { errorAnswer, noReport } from './error-answer.ts'
import type { Explanation, GraphQLAnswer, GraphQLRequest, QueryEngine } from './execute.ts'
import { withHint } from './hints.ts'
import { findOperation, type Prepared, prepare } from './prepare.ts'
import { RequestErrors } from './request-errors.ts'
import type { Plan } from './plan.ts'

export interface EngineOptions {
  readonly schema: GraphQLSchema
  readonly model: Model
  readonly tables: readonly Table[]
  readonly database: ReadDatabase
}

/** A statement that answers one request, or the answer itself when it reads no data. */
type Compiled =
  | { readonly kind: 'statement'; readonly statement: Statement; readonly version: number }
  | { readonly kind: 'constant'; readonly body: Uint8Array }

/** Characters of keys, SQL and constant answers that are kept. */
const cacheSize = 16_000_000
/** Characters of documents that are kept parsed, which takes up to 150 bytes for each. */
const documentsSize = 500_000
/** Roads are chosen by how much data there was; they are chosen anew after this many milliseconds. */
const planLifetime = 60_000
/** How often a statement is made: figures that are asked for may lead to others. */
const rounds = 3
/** How often a plan may be overtaken by a change of order within one request. */
const attempts = 5

export function createEngine(options: EngineOptions): QueryEngine {
  const { schema, model, tables, database } = options
  const maxPageSize = 100
  const documents = new LRUCache<string, Prepared>({
    maxSize: documentsSize,
    sizeCalculation: (_, text) => text.length + 1,
  })
  const compiled = new LRUCache<string, Compiled>({
    maxSize: cacheSize,
    ttl: planLifetime,
    sizeCalculation: (value, key) =>
      key.length + 1 + (value.kind === 'constant' ? value.body.length : value.statement.text.length),
  })
  let state: PlanState | null = null

  const prepared = (text: string): Prepared => {
    const known = documents.get(text)
    if (known !== undefined) return known
    const fresh = prepare(schema, text)
    documents.set(text, fresh)
    return fresh
  }

  const planOf = ({ query, variables, operationName }: GraphQLRequest): Plan => {
    const document = prepared(query)
    const operation = findOperation(document, operationName || null)
    const raw = variables ?? {}
    const coerced = getVariableValues(schema, operation.variableDefinitions ?? [], raw)
    if (coerced.errors !== undefined) throw new RequestErrors('BAD_USER_INPUT', coerced.errors.map(withHint))
    const selection = { schema, fragments: document.fragments, variables: coerced.variableValues }
    const plan = buildPlan({ model, tables, maxPageSize, selection, record: buildRecord }, operation, raw)
    assertAffordable(costOf(plan), limits.points)
    return plan
  }

  const currentState = async (): Promise<PlanState> => {
    state ??= await database.readPlanState()
    return state
  }

  const emit = async (plan: Plan): Promise<{ statement: Statement; version: number }> => {
    const known = await currentState()
    const { dialect, statistics } = database
    for (let round = 1; ; round += 1) {
      const emitter = createEmitter({ dialect, statistics, state: known, tables, list: emitList })
      const statement = emitStatement(emitter, plan)
      // Roads were chosen by guesses where figures were not at hand. What is guessed is exact too.
      if (round === rounds || (await statistics?.complete?.()) !== true)
        return { statement, version: known.version }
    }
  }

  const compile = async (request: GraphQLRequest): Promise<Compiled> => {
    const plan = planOf(request)
    const constant = constantResponse(plan)
    if (constant !== null) return { kind: 'constant', body: Buffer.from(constant) }
    return { kind: 'statement', ...(await emit(plan)) }
  }

  const answer = async (request: GraphQLRequest): Promise<Uint8Array> => {
    const key = cacheKey(request)
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      let plan = compiled.get(key)
      if (plan === undefined) {
        plan = await compile(request)
        compiled.set(key, plan)
      }
      if (plan.kind === 'constant') return plan.body
      const { version } = plan
      const answered = await database
        .readAnswer(plan.statement, { kind: 'short' })
        .catch(async (error: unknown) => {
          if (error instanceof ServiceError) throw error
          // A statement also fails when what it was made for is gone.
          const now = await database.readPlanState().catch(() => null)
          if (now === null || now.version === version) throw error
          return null
        })
      if (answered?.version === version) return answered.body
      // The order of ids changed under the plan: its statement may not be exact any more.
      compiled.clear()
      state = null
    }
    throw new ServiceError('UNAVAILABLE', 'The index is being rebuilt; try again in a few seconds.', {
      retryAfter: 5,
    })
  }

  return {
    async execute(request): Promise<GraphQLAnswer> {
      try {
        return { kind: 'data', body: await answer(request), report: noReport }
      } catch (error) {
        return errorAnswer(error)
      }
    },
    async explain(request): Promise<Explanation> {
      const plan = planOf(request)
      if (constantResponse(plan) !== null)
        return { sql: null, values: [], steps: [], plan: describePlan(plan), cost: 0 }
      const { statement } = await emit(plan)
      return {
        sql: statement.text,
        values: statement.values,
        steps: await database.explain(statement),
        plan: describePlan(plan),
        cost: 0,
      }
    },
  }
}

function cacheKey({ query, variables, operationName }: GraphQLRequest): string {
  const given = variables === undefined || variables === null ? '' : JSON.stringify(variables)
  return `${operationName ?? ''}\0${given}\0${query}`
}
