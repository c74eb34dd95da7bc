import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getIntrospectionQuery, graphqlSync } from 'graphql'
import { unchargedLimits } from '../../../test/support/service/engine.ts'
import { libraryLexicons } from '../../../test/support/records/lexicons.ts'
import { createPlanner } from '../../../test/support/store/plans.ts'
import { openTestService } from '../../../test/support/service/service.ts'
import { ServiceError } from '../../errors.ts'

const planned = createPlanner(libraryLexicons)

function counted(text: string): number {
  const [root] = planned(text).roots
  if (root?.output.kind !== 'introspection') throw new Error('There is no introspection.')
  return root.output.fields
}

test('introspection is executed once it is paid for, and not before', async () => {
  await using service = await openTestService({ lexicons: libraryLexicons })
  const { engine, schema } = service.opened
  let readings = 0
  const type = schema.getType('OrgExampleLibraryBook')
  Object.defineProperty(type, 'description', {
    get() {
      readings += 1
      return 'A book.'
    },
  })
  const query = getIntrospectionQuery()
  const charged: number[] = []
  const refuse = (points: number): never => {
    charged.push(points)
    throw new ServiceError('RATE_LIMITED', 'Nothing is left.')
  }
  const costly = `{ orgExampleLibraryBook(first: 100) { nodes { uri } } __type(name: "OrgExampleLibraryBook") { description } }`
  const refusals = [
    await engine.execute({ query }, { ...unchargedLimits, charge: refuse }),
    await engine.execute({ query }, { ...unchargedLimits, charge: async (points) => refuse(points) }),
    await engine.execute({ query }, { ...unchargedLimits, points: 2 }),
    await engine.execute({ query: costly }, { ...unchargedLimits, charge: refuse }),
  ]
  assert.deepEqual(
    refusals.map((answer) => answer.kind === 'errors' && answer.code),
    ['RATE_LIMITED', 'RATE_LIMITED', 'QUERY_TOO_COMPLEX', 'RATE_LIMITED'],
  )
  assert.ok(Number(charged[0]) > 2)
  assert.equal(readings, 0)

  const first = await service.query(query)
  assert.equal(first.extensions.cost, charged[0])
  assert.equal(readings, 1)
  assert.deepEqual(await service.query(query), first)
  assert.equal(readings, 1)
  const expected = graphqlSync({ schema, source: query })
  assert.equal(JSON.stringify(first.data), JSON.stringify(expected.data))
})

test('each value of the answer counts, and so does an object that has none', () => {
  const types = counted('{ __schema { types { name } } }') - 2
  assert.equal(counted('{ __schema { types { name kind } } }'), 2 + 2 * types)
  assert.equal(counted('{ __schema { types { name @skip(if: true) } } }'), 2 + types)
  assert.equal(counted('{ __schema { queryType { name } mutationType { name } } }'), 4)
  assert.equal(counted('{ __type(name: "Nothing") { name } }'), 1)
})

test('who asks for too much of the schema is told so as soon as that is known', () => {
  const many = (count: number, text: string): string =>
    Array.from({ length: count }, (_, n) => `a${n}: ${text}`).join(' ')
  for (const selection of [many(700, 'types { name }'), `types { ${many(900, 'name')} }`])
    assert.throws(
      () => planned(`{ __schema { ${selection} } }`),
      ({ code, details }: ServiceError) =>
        code === 'QUERY_TOO_COMPLEX' && details['actual'] === Number(details['limit']) + 1,
    )
})

test('how large an introspection may be is found out once for a schema', async (t) => {
  // A copy, which no other test has made a schema of.
  await using service = await openTestService({ lexicons: [...libraryLexicons] })
  const { engine, schema } = service.opened
  const types = t.mock.method(schema, 'getTypeMap').mock
  const readings = async (name: string): Promise<number> => {
    types.resetCalls()
    await engine.execute({ query: `{ __type(name: "${name}") { name } }` })
    return types.callCount()
  }
  const first = await readings('Query')
  assert.ok((await readings('String')) < first)
})
