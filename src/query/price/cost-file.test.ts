import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../../../test/support/server/http-server.ts'
import { collections, libraryLexicons, libraryReferences } from '../../../test/support/records/lexicons.ts'
import type { Json } from '../../../test/reference/shapes.ts'
import { createMemoryLimiter } from '../../../test/support/server/memory-limiter.ts'
import { someCaller } from '../../../test/support/service/callers.ts'
import { buildRecord } from '../../../test/support/records/records.ts'
import type { TestService } from '../../../test/support/service/service.ts'
import { createPlanner } from '../../../test/support/store/plans.ts'
import { fileCostOf, sizeOf } from './cost.ts'
import { weights } from './cost-weights.ts'
import { openLibrary } from '../../../test/support/service/library.ts'

test('a file costs its search and a tenth of its rows, and what is not there is given back', async () => {
  const records = await Promise.all(
    Array.from({ length: 500 }, (_, index) =>
      buildRecord(collections.person, { rkey: `p${index}`, value: { name: `${index}` } }),
    ),
  )
  await using service = await openLibrary('sqlite', records)
  await using server = await serve(service, { pointsPerMinute: 100, fileRows: 10_000 })
  const left = async (fields: string, args = '') => {
    const query = `{ orgExampleLibraryPerson${args} { nodes { ${fields} } } }`
    const response = await server.get(`/api/graphql?format=csv&query=${encodeURIComponent(query)}`)
    const text = await response.text()
    const [, remaining] = /r=(\d+)/.exec(response.headers.get('ratelimit') ?? '') ?? []
    return { status: response.status, cost: Number(response.headers.get('x-cost')), remaining, text }
  }
  // Five fields are 12 each; the list is 20, its total 2,000, the nodes and the total 2, and a row 3: 2,085. A tenth of
  // 499 more rows is 150.
  const two = await left('name country')
  assert.deepEqual([two.status, two.cost, two.remaining], [200, 3, '97'])
  // Ten more fields are 120, and a tenth of 499 more rows of 13 is 649.
  const all = await left('name country role rating fortune active bornAt uri did rkey cid mentor')
  assert.deepEqual([all.status, all.cost, all.remaining], [200, 3, '94'])
  // A record behind a reference is 5 and its own row 1 more, in each row.
  const many = await left(
    'name country role rating fortune active bornAt uri did rkey cid mentorResolved { ... on OrgExampleLibraryPerson { name } }',
    '(first: 10000)',
  )
  assert.deepEqual([many.status, many.cost, many.remaining], [200, 4, '90'])
})

test('a file that costs more than a minute has is refused with both numbers', async () => {
  await using service = await openLibrary('sqlite')
  await using server = await serve(service, { pointsPerMinute: 10, fileRows: 1_000_000 })
  const response = await server.get(
    `/api/graphql?format=csv&query=${encodeURIComponent('{ orgExampleLibraryPerson { nodes { name } } }')}`,
  )
  assert.equal(response.status, 400)
  const { errors } = (await response.json()) as Json
  assert.deepEqual(errors[0].extensions, { code: 'QUERY_TOO_COMPLEX', limit: 10, actual: 203 })
  assert.match(errors[0].message, /fewer rows, by `first`/)
})

test('each row after the first costs a part of a row of a list', () => {
  const planned = createPlanner(libraryLexicons, libraryReferences)
  const list = (first: number) => planned(`{ orgExampleLibraryPerson(first: ${first}) { nodes { name } } }`)
  const [one = 0, two = 0] = [1, 2].map((first) => sizeOf(list(first)))
  const { pointsFor, limit } = fileCostOf(list(1_000))
  assert.equal(limit, 1_000)
  for (let rows = 1; rows <= 10_000; rows += 1) {
    const size = one + ((two - one) / weights.filed) * (rows - 1)
    assert.equal(pointsFor(rows), Math.ceil(size / weights.point), `${rows} rows`)
  }
})

/** A server for a caller whose tier has these limits. */
function serve({ engine, opened }: TestService, limits: Parameters<typeof someCaller>[0]) {
  return startServer({
    schema: opened.schema,
    engine,
    limiter: createMemoryLimiter(),
    authenticate: () => someCaller(limits),
  })
}
