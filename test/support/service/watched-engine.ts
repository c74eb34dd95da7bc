/** An engine over a store in memory, with what it asks of the store, and with statistics that a test may make up. */
import assert from 'node:assert/strict'
import type { ReadDatabase, Statistics } from '../../../src/database/database.ts'
import { buildTables } from '../../../src/database/layout/tables.ts'
import { createEngine } from '../../../src/query/execute/engine.ts'
import { buildModel } from '../../../src/schema/model/build-model.ts'
import { buildGraphQLSchema } from '../../../src/schema/graphql/graphql.ts'
import { libraryLexicons, libraryReferences } from '../records/lexicons.ts'
import { openTestStore } from '../store/store.ts'
import { understand } from '../records/understand.ts'

/** `assumed` replaces some of the statistics; no answer may depend on them. */
export async function openWatchedEngine(assumed: Partial<Statistics> = {}) {
  const given = { lexicons: libraryLexicons, references: libraryReferences }
  const store = await openTestStore({ path: ':memory:', ...given })
  const model = buildModel(understand(libraryLexicons, libraryReferences).set)
  const { read } = store.database
  const statistics = { ...read.statistics, ...assumed }
  /** What was asked: statistics by their kind, how often the state of plans, and statements by their kind. */
  const work = { statistics: [] as string[], states: 0, statements: [] as string[] }
  const watched: Pick<ReadDatabase, 'statistics' | 'readPlanState' | 'readAnswer'> = {
    statistics: new Proxy(statistics, {
      get: (target, name) => {
        if (name !== 'rows' && name in target) work.statistics.push(String(name))
        return Reflect.get(target, name)
      },
    }),
    readPlanState: () => {
      work.states += 1
      return read.readPlanState()
    },
    readAnswer: (statement, terms) => {
      work.statements.push(terms.kind)
      return read.readAnswer(statement, terms)
    },
  }
  const database = new Proxy(read, {
    get: (target, name) => {
      const member: unknown = Reflect.get(watched, name) ?? Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  const schema = buildGraphQLSchema(model)
  const engine = createEngine({ schema, model, tables: buildTables(model), database, version: '0.0.0' })
  return {
    engine,
    work,
    async ask(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<void> {
      const answer = await engine.execute({ query, variables })
      assert.ok(answer.kind === 'data', answer.kind === 'errors' ? answer.code : '')
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}
