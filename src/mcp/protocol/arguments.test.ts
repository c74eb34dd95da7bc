import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readArguments } from './arguments.ts'

const tool = {
  name: 'count',
  inputSchema: {
    type: 'object',
    properties: {
      collection: { type: 'string' },
      by: { type: 'array', items: { type: 'string' } },
      filters: { type: 'object' },
      limit: { type: 'integer', minimum: 1 },
      max_tokens: { type: 'integer', minimum: 200, maximum: 10_000 },
      detail: { type: 'string', enum: ['brief', 'full'] },
    },
    required: ['collection'],
    additionalProperties: false,
  },
}

async function read(given: unknown) {
  return readArguments(tool)['~standard'].validate(given)
}

const meant: readonly (readonly [given: unknown, read: unknown])[] = [
  [
    { collection: 'a', by: ['b'], filters: { c: 1 }, limit: 2, detail: 'full' },
    { collection: 'a', by: ['b'], filters: { c: 1 }, limit: 2, detail: 'full' },
  ],
  [{ collection: 'a', by: null, filters: null }, { collection: 'a' }],
  [
    { collection: 'a', by: 'b' },
    { collection: 'a', by: ['b'] },
  ],
  [
    { collection: 'a', by: '["b", "c"]' },
    { collection: 'a', by: ['b', 'c'] },
  ],
  [
    { collection: 'a', filters: '{"b": null}' },
    { collection: 'a', filters: { b: null } },
  ],
  [
    { collection: 'a', limit: '5' },
    { collection: 'a', limit: 5 },
  ],
  [{ collection: 7 }, { collection: '7' }],
  ...['groupBy', 'group_by'].map((name): [unknown, unknown] => [
    { collection: 'a', [name]: ['b'] },
    { collection: 'a', by: ['b'] },
  ]),
  [
    { collection: 'a', by: null, group_by: ['b'] },
    { collection: 'a', by: ['b'] },
  ],
  [
    { collection: 'a', maxTokens: 500 },
    { collection: 'a', max_tokens: 500 },
  ],
  // What looks like JSON is text where text is wanted.
  [{ collection: '{"a": 1}' }, { collection: '{"a": 1}' }],
]
for (const [given, expected] of meant)
  test(`${JSON.stringify(given)} is read as ${JSON.stringify(expected)}`, async () => {
    assert.deepEqual(await read(given), { value: expected })
  })

const wrong: readonly (readonly [given: unknown, says: RegExp])[] = [
  [
    { collection: 'a', filter: {} },
    /^count has no argument "filter"\. Did you mean "filters"\? It takes coll/,
  ],
  [{ collection: 'a', where: {}, filters: {} }, /^count has no argument "where"\. It takes coll/],
  [{ collection: 'a', groupBy: ['b'], group_by: ['c'] }, /^count has no argument "group_by"\. It takes/],
  [{ collection: 'a', constructor: 1 }, /no argument "constructor"/],
  [{ collection: 'a', detail: 'all' }, /^detail is one of brief, full\.$/],
  [{ collection: 'a', filters: '{"b":' }, /^filters must be object/],
  [{ collection: 'a', limit: 0 }, /^limit must be >= 1/],
  [{ collection: 'a', max_tokens: 50 }, /^max_tokens is an integer from 200 to 10000\.$/],
  [{ collection: 'a', max_tokens: 'many' }, /^max_tokens is an integer from 200 to 10000\.$/],
  [{}, /required property 'collection'/],
  ['a', /must be object/],
]
for (const [given, says] of wrong)
  test(`${JSON.stringify(given)} is refused by name`, async () => {
    const { issues } = await read(given)
    assert.match(issues?.[0]?.message ?? '', says)
  })

test('arguments that nest too deep are refused before anything recursive reads them', async () => {
  const nested = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
  assert.deepEqual(await read({ collection: 'a', filters: nested(254) }), {
    value: { collection: 'a', filters: JSON.parse(nested(254)) },
  })
  for (const filters of [nested(255), nested(125_000), JSON.parse(nested(125_000))])
    assert.deepEqual(await read({ collection: 'a', filters }), {
      issues: [{ message: 'The arguments nest more than 256 levels of brackets.' }],
    })
})

test('a condition on groups is refused with what there is instead', async () => {
  const { inputSchema } = tool
  const properties = { ...inputSchema.properties, min_count: { type: 'integer', minimum: 1 } }
  const grouping = readArguments({ name: 'aggregate', inputSchema: { ...inputSchema, properties } })
  const result = await grouping['~standard'].validate({ collection: 'a', having: { 'avg:b': { gt: 5 } } })
  assert.match(String(result.issues?.[0]?.message), /min_count .* having in run_graphql/)
})
