/** What the engine keeps from one request to the next, by the work that it saves. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DateTime } from '../../schema/graphql/scalars.ts'
import { estimates } from '../../../test/support/service/engine.ts'
import { until } from '../../../test/support/until.ts'
import { openWatchedEngine } from '../../../test/support/service/watched-engine.ts'

const list = 'orgExampleLibraryBook'

test('a statement is planned once for all who ask the same', async () => {
  await using service = await openWatchedEngine()
  const query = `{ ${list}(where: {pages: {eq: 3}}) { nodes { uri } } }`
  await service.ask(query)
  const { length } = service.work.statistics
  assert.ok(length > 0)
  for (let time = 0; time < 3; time += 1) await service.ask(query)
  assert.equal(service.work.statistics.length, length)
  assert.equal(service.work.statements.length, 4)
})

test('the state that plans depend on is read once for all operations', async () => {
  await using service = await openWatchedEngine()
  for (const field of ['uri', 'rkey', 'title']) await service.ask(`{ ${list} { nodes { ${field} } } }`)
  assert.equal(service.work.states, 1)
})

test('a document is validated once, whatever its variables', async (t) => {
  await using service = await openWatchedEngine()
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
  await using service = await openWatchedEngine(estimates.common({}))
  const query = `{ ${list}(sortBy: [{field: did}]) { nodes { uri } } }`
  await service.ask(query)
  assert.deepEqual(service.work.statements, ['long'])
  // A busy machine may take longer than that at times.
  await until(async () => {
    await service.ask(query)
    return service.work.statements.at(-1) === 'short'
  })
})

test('an answer that reads nothing is given at once when it is asked for again', async () => {
  await using service = await openWatchedEngine()
  const request = { query: '{ __typename }' }
  await service.engine.execute(request)
  assert.ok(!(service.engine.execute(request) instanceof Promise))
})
