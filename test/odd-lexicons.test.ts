/** Lexicons, names and requests that are allowed and odd: each once went wrong, or would with a careless change. */
import assert from 'node:assert/strict'
import { validateSchema } from 'graphql'
import { encodeCursor } from '../src/util/cursor.ts'
import { onEveryDatabase as test } from './support/store/databases.ts'
import type { StoredLine } from './support/service/engine.ts'
import type { Engine } from './support/store/postgres.ts'
import type { Json } from './reference/shapes.ts'
import { openTestService, type TestService } from './support/service/service.ts'

const did = 'did:plc:oddlexicons2222222222222'
const nsid = 'org.example.odd'

function lexicon(id: string, properties: Json, defs: Json = {}): Json {
  return {
    lexicon: 1,
    id,
    defs: { main: { type: 'record', key: 'any', record: { type: 'object', properties } }, ...defs },
  }
}

function line(rkey: string, value: Json): StoredLine {
  return {
    uri: `at://${did}/${nsid}/${rkey}`,
    indexedAt: '2026-11-01T00:00:00.000Z',
    value: { $type: nsid, ...value },
  }
}

function open(
  database: Engine,
  properties: Json,
  records: readonly StoredLine[],
  defs: Json = {},
): Promise<TestService> {
  return openTestService({ lexicons: [lexicon(nsid, properties, defs)], records, database })
}

const closedUnion = {
  properties: { shape: { type: 'union', closed: true, refs: ['#round'] } },
  defs: { round: { type: 'object', properties: { radius: { type: 'integer' } } } },
}

test('a set whose only unions are closed answers them, however the type is spelled', async (database) => {
  const spelled = (type: string): Json => ({ shape: { $type: type, radius: 3 } })
  await using service = await open(
    database,
    closedUnion.properties,
    [line('a', spelled(`${nsid}#round`))],
    closedUnion.defs,
  )
  const data = await service.data(
    '{ orgExampleOdd { nodes { shape { __typename ... on OrgExampleOddRound { radius } } } } }',
  )
  assert.deepEqual(data.orgExampleOdd.nodes, [{ shape: { __typename: 'OrgExampleOddRound', radius: 3 } }])
})

test('properties with quotes and backslashes are read and filtered', async (database) => {
  const properties = { 'a"b': { type: 'string' }, 'c\\d': { type: 'integer' } }
  await using service = await open(database, properties, [line('a', { 'a"b': 'quoted', 'c\\d': 7 })])
  const data = await service.data(
    '{ orgExampleOdd(where: {c_d: {eq: 7}, a_b: {eq: "quoted"}}) { nodes { a_b c_d } } }',
  )
  assert.deepEqual(data.orgExampleOdd.nodes, [{ a_b: 'quoted', c_d: 7 }])
})

test('properties named like literals are sorted and grouped by', async (database) => {
  await using service = await open(database, { true: { type: 'integer' } }, [
    line('a', { true: 1 }),
    line('b', { true: 2 }),
  ])
  const data = await service.data(
    '{ orgExampleOdd(sortBy: [{field: true_, direction: DESC}]) { nodes { true_ } } orgExampleOddAggregate(groupBy: [true_]) { groupCount } }',
  )
  assert.deepEqual(data, {
    orgExampleOdd: { nodes: [{ true_: 2 }, { true_: 1 }] },
    orgExampleOddAggregate: { groupCount: 2 },
  })
})

test('properties named like members of every object are absent from variables that do not name them', async (database) => {
  const properties = {
    constructor: { type: 'string' },
    toString: { type: 'integer' },
    n: { type: 'integer' },
  }
  await using service = await open(database, properties, [
    line('a', { constructor: 'x', toString: 1, n: 2 }),
    line('b', { n: 2 }),
  ])
  const count = 'query ($where: OrgExampleOddWhereInput) { orgExampleOdd(where: $where) { totalCount } }'
  for (const [where, expected] of [
    [{ n: { eq: 2 } }, 2],
    [{ n: { eq: 2 }, constructor: { eq: 'x' } }, 1],
  ] as const) {
    const data = await service.data(count, { where })
    assert.equal(data.orgExampleOdd.totalCount, expected)
  }
})

test('no name in the schema is one that GraphQL reserves, whatever properties are called', async (database) => {
  const moment = { type: 'string', format: 'datetime' }
  const names = ['_', '__', '', '-', '__a', '_a', 'é']
  const properties = Object.fromEntries(names.map((name) => [name, moment]))
  const at = '2026-11-01T12:00:00.000Z'
  await using service = await open(
    database,
    { ...properties, inner: { type: 'ref', ref: '#inner' } },
    [line('a', { _: at })],
    {
      inner: { type: 'object', properties },
    },
  )
  assert.deepEqual(validateSchema(service.opened.schema), [])
  const data = await service.data(
    '{ orgExampleOdd(sortBy: [{field: field_}]) { nodes { field_ field__ } } orgExampleOddAggregate(groupBy: [field__day]) { groupCount } }',
  )
  assert.deepEqual(data, {
    orgExampleOdd: { nodes: [{ field_: at, field__: null }] },
    orgExampleOddAggregate: { groupCount: 1 },
  })
})

test('two collections that want one root field are refused, naming both', async (database) => {
  const lexicons = [lexicon('org.example.odd', {}), lexicon('org.example.oddAggregate', {})]
  await assert.rejects(
    openTestService({ lexicons, database }),
    /orgExampleOddAggregate is needed twice.*org\.example\.odd.*org\.example\.oddAggregate/,
  )
})

test('a needle is found before the last character there is', async (database) => {
  const text = { text: { type: 'string', maxGraphemes: 50 } }
  await using service = await open(database, text, [line('a', { text: 'z\u{10FFFF}b' })])
  const data = await service.data('{ orgExampleOdd(where: {text: {contains: "z"}}) { totalCount } }')
  assert.equal(data.orgExampleOdd.totalCount, 1)
})

test('a well-sealed cursor that holds no position is refused', async (database) => {
  await using service = await open(database, { n: { type: 'integer' } }, [line('a', { n: 1 })])
  const longer = JSON.stringify(['1770000000000000', 'a', did, 'b'])
  for (const position of ['{}', 'null', '"ab"', 'no json', '[]', '[1,2,3]', '[null,null,null]', longer]) {
    const after = encodeCursor('orgExampleOdd indexedAt desc', position)
    const { code } = await service.refusal(
      'query ($after: String) { orgExampleOdd(after: $after) { totalCount } }',
      { after },
    )
    assert.equal(code, 'INVALID_CURSOR', position)
  }
})

test('a well-sealed cursor of what no record and no first page has is refused', async (database) => {
  const types = {
    n: { type: 'integer' },
    t: { type: 'string', maxLength: 100 },
    b: { type: 'boolean' },
    text: { type: 'string', maxGraphemes: 100 },
  }
  await using service = await open(database, types, [line('a', { n: 1, text: 'storm' })])
  const place = ['1770000000000000', 'a', 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa']
  const ranked = (...statistics: unknown[]) => [1, ...place, JSON.stringify(statistics)]
  const relevance = 'search: "storm", sortBy: [{field: RELEVANCE}]'
  const most = Number.MAX_SAFE_INTEGER
  for (const [order, given, position] of [
    ['indexedAt desc', '', [place[0], 'a\0', place[2]]],
    ['indexedAt desc', '', [place[0], 'a', '\ud83d']],
    ['n asc', 'sortBy: [{field: n}]', [1.5, 'a', place[2]]],
    ['n asc', 'sortBy: [{field: n}]', [1e300, 'a', place[2]]],
    ['b asc', 'sortBy: [{field: b}]', [most, 'a', place[2]]],
    ['t asc', 'sortBy: [{field: t}]', ['\0', 'a', place[2]]],
    ['RELEVANCE desc storm', relevance, ranked(1, 1, most, 1, null)],
    ['RELEVANCE desc storm', relevance, ranked(1, 1, 1, most, null)],
    ['RELEVANCE desc storm', relevance, ranked(1, 1, 1, 1, JSON.stringify([place[0], '\0', place[2]]))],
  ] as const) {
    const after = encodeCursor(`orgExampleOdd ${order}`, JSON.stringify(position))
    const { code } = await service.refusal(
      `query ($after: String) { orgExampleOdd(after: $after ${given}) { edges { score } } }`,
      { after },
    )
    assert.equal(code, 'INVALID_CURSOR', JSON.stringify(position))
  }
})

test('a null where a directive or an introspection wants a value is the caller’s fault', async (database) => {
  await using service = await open(database, { n: { type: 'integer' } }, [])
  const include = await service.refusal(
    'query ($x: Boolean = true) { orgExampleOdd { totalCount @include(if: $x) } }',
    { x: null },
  )
  assert.equal(include.code, 'BAD_USER_INPUT')
  const type = await service.refusal('query ($n: String = "Query") { __type(name: $n) { name } }', {
    n: null,
  })
  assert.equal(type.code, 'BAD_USER_INPUT')
})

test('introspection and groups are held to what they cost', async (database) => {
  await using service = await open(database, { of: { type: 'string', format: 'at-uri' } }, [])
  const many = Array.from({ length: 300 }, (_, at) => `a${at}: __schema { types { name } }`).join(' ')
  assert.equal((await service.refusal(`{ ${many} }`)).code, 'QUERY_TOO_COMPLEX')
  const inner =
    'ofResolved { ... on OrgExampleOdd { orgExampleOddViaOf(first: 100) { nodes { uri did cid rkey indexedAt changedAt collection actorHandle recordJson } } } }'
  const groups = `{ orgExampleOddAggregate(groupBy: [of], limit: 1000) { groups { ${inner} } } }`
  assert.equal((await service.refusal(groups)).code, 'QUERY_TOO_COMPLEX')
})

test('an empty operation name is none, asked first or second', async (database) => {
  await using service = await open(database, { n: { type: 'integer' } }, [])
  const query = '{ orgExampleOdd { totalCount } }'
  const named = await service.engine.execute({ query, operationName: '' })
  const bare = await service.engine.execute({ query })
  assert.equal(named.kind, 'data')
  assert.equal(bare.kind, 'data')
})
