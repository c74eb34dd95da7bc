/** What the engine keeps from one request to the next, by the work that it saves. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReadDatabase, Statistics } from '../../database/database.ts'
import { buildTables } from '../../database/layout/tables.ts'
import { buildModel } from '../../schema/model/build-model.ts'
import { buildGraphQLSchema } from '../../schema/graphql/graphql.ts'
import { DateTime } from '../../schema/graphql/scalars.ts'
import { beliefs } from '../../../test/support/engine.ts'
import { libraryLexicons, libraryReferences } from '../../../test/support/lexicons.ts'
import { openTestStore, understand } from '../../../test/support/store.ts'
import { until } from '../../../test/support/until.ts'
import { createEngine } from './engine.ts'

const list = 'orgExampleLibraryBook'

test('a statement is planned once for all who ask the same', async () => {
  await using service = await open()
  const query = `{ ${list}(where: {pages: {eq: 3}}) { nodes { uri } } }`
  await service.ask(query)
  const { looks } = service.work
  assert.ok(looks > 0)
  for (let time = 0; time < 3; time += 1) await service.ask(query)
  assert.equal(service.work.looks, looks)
  assert.equal(service.work.kinds.length, 4)
})

test('the state that plans depend on is read once for all operations', async () => {
  await using service = await open()
  for (const field of ['uri', 'rkey', 'title']) await service.ask(`{ ${list} { nodes { ${field} } } }`)
  assert.equal(service.work.states, 1)
})

test('a document is validated once, whatever its variables', async (t) => {
  await using service = await open()
  const scalar = DateTime as unknown as { coerceInputLiteral: (node: unknown) => unknown }
  const read = t.mock.method(scalar, 'coerceInputLiteral').mock
  const query = `query ($pages: Int) {
    ${list}(where: {publishedAt: {gt: "2026-01-01"}, pages: {gt: $pages}}) { nodes { uri } } }`
  const literalsRead: number[] = []
  for (const pages of [1, 2, 3]) {
    const before = read.callCount()
    await service.ask(query, { pages })
    literalsRead.push(read.callCount() - before)
  }
  const [first = 0, second = 0, third = 0] = literalsRead
  assert.ok(second < first, literalsRead.join())
  assert.equal(third, second)
})

test('a statement that turns out to take less than a millisecond no longer goes where long ones go', async () => {
  await using service = await open(beliefs.common)
  const query = `{ ${list}(sortBy: [{field: did}]) { nodes { uri } } }`
  await service.ask(query)
  assert.deepEqual(service.work.kinds, ['long'])
  // A busy machine may take longer than that at times.
  await until(async () => {
    await service.ask(query)
    return service.work.kinds.at(-1) === 'short'
  })
})

test('an answer that reads nothing is given at once when it is asked for again', async () => {
  await using service = await open()
  const request = { query: '{ __typename }' }
  await service.engine.execute(request)
  assert.ok(!(service.engine.execute(request) instanceof Promise))
})

/** An engine over an empty store, with what it asks of the store. */
async function open(believe: (statistics: Statistics | null) => Statistics | null = beliefs.true) {
  const lexicons = { lexicons: libraryLexicons, references: libraryReferences }
  const store = await openTestStore({ path: ':memory:', ...lexicons })
  const { set } = understand(libraryLexicons, libraryReferences)
  const model = buildModel(set)
  const work = { looks: 0, states: 0, kinds: [] as string[] }
  const { read } = store.database
  const statistics = believe(read.statistics)
  assert.ok(statistics !== null)
  const watched: Pick<ReadDatabase, 'statistics' | 'readPlanState' | 'readAnswer'> = {
    statistics: {
      ...statistics,
      countUpTo: (...given) => {
        work.looks += 1
        return statistics.countUpTo(...given)
      },
    },
    readPlanState: () => {
      work.states += 1
      return read.readPlanState()
    },
    readAnswer: (statement, terms) => {
      work.kinds.push(terms.kind)
      return read.readAnswer(statement, terms)
    },
  }
  const schema = buildGraphQLSchema(model)
  const database = new Proxy(read, {
    get: (target, name) => {
      const member: unknown = Reflect.get(watched, name) ?? Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
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
