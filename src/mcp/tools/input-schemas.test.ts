/**
 * The input schemas of all tools are written in what every client takes: function calling of OpenAI that is not strict,
 * function declarations of Gemini (a subset of OpenAPI 3.0), and tools of Anthropic. `Inspector --strict` and the
 * converters of client libraries read the same schemas in test/mcp/clients.long.test.ts.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lexiconSets } from '../../../test/golden/lexicon-sets.ts'
import type { Json } from '../../../test/reference/shapes.ts'
import { createAgent, modelOf } from '../../../test/support/service/agents.ts'

const types = ['string', 'integer', 'number', 'boolean', 'array', 'object']
const keywords = 'type description enum items properties required minimum maximum additionalProperties'.split(
  ' ',
)

/** True for a schema that keeps the rule. */
type Rule = readonly [rule: string, isKept: (schema: Json, isRoot: boolean) => boolean]

const rules: readonly Rule[] = [
  ['has one type, as a text (Gemini)', ({ type }) => types.includes(type)],
  [
    'has only keywords that OpenAPI 3.0 has too (Gemini)',
    (schema) => Object.keys(schema).every((keyword) => keywords.includes(keyword)),
  ],
  [
    'an enum has texts (Gemini)',
    ({ type, enum: values }) =>
      values === undefined ||
      (type === 'string' && values.length > 0 && values.every((value: unknown) => typeof value === 'string')),
  ],
  ['an array names its elements (OpenAI, Gemini)', ({ type, items }) => (type === 'array') === !!items],
  [
    'an object names its members, or says in words which it takes (OpenAI, Gemini)',
    ({ type, properties, description }, isRoot) =>
      type !== 'object' ||
      (properties === undefined
        ? !isRoot && description !== '' && !!description
        : Object.keys(properties).length > 0),
  ],
  [
    'only objects have members (Gemini)',
    ({ type, properties }) => type === 'object' || properties === undefined,
  ],
  [
    'members have names that every provider takes',
    ({ properties = {} }) => Object.keys(properties).every((name) => /^[A-Za-z_]\w{0,63}$/.test(name)),
  ],
  [
    'required members exist, and a list of none is left out (Gemini)',
    ({ properties = {}, required }) =>
      required === undefined || (required.length > 0 && required.every((name: string) => name in properties)),
  ],
  [
    'only the whole object is closed (Gemini drops that keyword)',
    ({ additionalProperties: more }, isRoot) => more === (isRoot ? false : undefined),
  ],
]

for (const [set, ...lexicons] of lexiconSets) {
  const model = modelOf(...lexicons)
  const endpoint = { ask: () => assert.fail('Nothing is asked.') }
  const { tools } = createAgent(model, endpoint, undefined, { chatgpt: true })

  test(`tools over the ${set} lexicons have schemas that every client takes`, () => {
    const broken = tools.flatMap(({ name, inputSchema }) => breaches(inputSchema, name, true))
    assert.deepEqual(broken, [])
  })

  test(`tools over the ${set} lexicons have names and descriptions of lengths that every client takes`, () => {
    for (const { name, description } of tools) {
      assert.match(
        name,
        /^[a-z]\w{0,40}$/,
        'Clients put the name of the server before it, and take 64 characters.',
      )
      assert.ok(description.length <= 1024, `${name}: ${description.length} characters`)
    }
  })
}

function breaches(schema: Json, path: string, isRoot: boolean): readonly string[] {
  const own = rules.filter(([, isKept]) => !isKept(schema, isRoot)).map(([rule]) => `${path}: ${rule}`)
  const { properties = {}, items } = schema
  const inside = Object.entries(properties as Json).flatMap(([name, one]) =>
    breaches(one, `${path}.${name}`, false),
  )
  return [...own, ...inside, ...(items === undefined ? [] : breaches(items, `${path}[]`, false))]
}
