/**
 * The SDL of each lexicon set, kept so that a change of the dialect is seen in review;
 * `UPDATE_GOLDEN=1 npm test -- test/schemas` writes it again.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { schemas as networkDocuments } from '@atproto/api'
import { type GraphQLSchema, printSchema, validateSchema } from 'graphql'
import { buildGraphQLSchema } from '../src/schema/graphql/graphql.ts'
import { schemaText } from '../src/schema/schema-text.ts'
import { lexiconSets } from './golden/lexicon-sets.ts'
import type { Json } from './reference/shapes.ts'
import { modelOf } from './support/service/agents.ts'

const isUpdate = process.env['UPDATE_GOLDEN'] === '1'

/** That of the network is kept without descriptions. */
const sets = lexiconSets.filter(([name]) => name !== 'network')

for (const [name, ...lexicons] of sets) {
  test(`the schema of the ${name} lexicons is valid and as it was`, () => {
    const schema = buildGraphQLSchema(modelOf(...lexicons))
    assertSound(schema)
    compare(`${name}/schema.graphql`, schemaText(schema).text)
  })
}

test('the lexicons of the network give a valid schema, the same as before', () => {
  const model = modelOf(networkDocuments as readonly Json[], {})
  const schema = buildGraphQLSchema(model)
  assertSound(schema)
  // Descriptions carry the lexicons' own words, which are not ours to keep; the shape is.
  const shape = schemaText(schema).text.replaceAll(/^ *"""[^]*?"""\n/gm, '')
  compare('network/schema.graphql', shape)
  compare('network/notes.txt', `${model.notes.join('\n')}\n`)
})

test('the network gives every record collection its three root fields, and four for all of them', () => {
  const records = (networkDocuments as readonly Json[]).filter(({ defs }) => defs.main?.type === 'record')
  assert.ok(records.length >= 20)
  const schema = buildGraphQLSchema(modelOf(networkDocuments as readonly Json[], {}))
  assert.equal(Object.keys(schema.getQueryType()?.getFields() ?? {}).length, records.length * 3 + 4)
})

function assertSound(schema: GraphQLSchema): void {
  // The text differs from what the library prints by the marks of required properties alone.
  const marked = schemaText(schema).text.replaceAll(' @semanticNonNull\n', '\n')
  assert.equal(marked, `${printSchema(schema)}\n`)
  assert.deepEqual(validateSchema(schema), [])
  assert.equal(schema.getMutationType() ?? null, null)
  assert.equal(schema.getType('Mutation'), undefined)
}

function compare(path: string, actual: string): void {
  const file = new URL(`schemas/${path}`, import.meta.url)
  if (isUpdate) {
    mkdirSync(new URL('./', file), { recursive: true })
    return writeFileSync(file, actual)
  }
  assert.ok(
    existsSync(file),
    `${path} is missing: write it with \`UPDATE_GOLDEN=1 npm test -- test/schemas\`.`,
  )
  assert.equal(actual, readFileSync(file, 'utf8'))
}
