/** The guide and the schema's parts, for the news and for lexicons of something else. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { buildSchema } from 'graphql'
import { libraryLexicons, libraryReferences } from '../../../test/support/records/lexicons.ts'
import { buildLexicons } from '../../lexicon/lexicons.ts'
import { loadLexicons } from '../../lexicon/load.ts'
import { buildModel } from '../../schema/model/build-model.ts'
import { buildGraphQLSchema } from '../../schema/graphql/graphql.ts'
import type { Model } from '../../schema/model/model.ts'
import { writeGuide } from '../words/guide.ts'
import { splitSchema } from '../graphql/schema-parts.ts'
import { outlineCorpus } from '../words/corpus-outline.ts'

test('of the news the articles are the theme, with their outlets and analyses', async () => {
  const outline = outlineCorpus(await newsModel())
  assert.deepEqual(
    [outline?.items, outline?.origin, outline?.analysis].map((party) => [
      party?.name,
      party?.reference,
      party?.title,
      party?.time,
    ]),
    [
      ['article', null, 'title', 'publishedAt'],
      ['source', 'source', 'displayName', 'createdAt'],
      ['enrichment', 'article', 'neutralHeadline', 'createdAt'],
    ],
  )
})

test('the guide works through five questions in the names of the lexicons', async () => {
  for (const model of [await newsModel(), libraryModel()]) {
    const guide = writeGuide(model)
    assert.equal(guide.match(/^## \d\. /gm)?.length, 5)
    for (const { nsid } of model.collections) assert.ok(guide.includes(nsid))
    for (const [, call = ''] of guide.matchAll(/^ {4}\w+ (.*)$/gm)) assert.ok(JSON.parse(call))
    assert.ok(guide.length < 6_000, String(guide.length))
  }
  assert.doesNotMatch(writeGuide(libraryModel()), /outlet|article|clickbait/)
})

test('lexicons with one collection alone have a guide too', () => {
  const model = modelOf([
    {
      lexicon: 1,
      id: 'test.example.thing',
      defs: {
        main: {
          type: 'record',
          key: 'any',
          record: { type: 'object', properties: { count: { type: 'integer' } } },
        },
      },
    },
  ])
  assert.match(writeGuide(model), /What are the ten newest thing records\?/)
})

test('the parts of the schema are the schema, each of a length that fits', async () => {
  for (const model of [await newsModel(), libraryModel()]) {
    const schema = buildGraphQLSchema(model)
    const parts = splitSchema(schema, model)
    const types = parts.flatMap(({ types: names }) => names)
    assert.equal(new Set(types).size, types.length)
    const again = buildSchema(parts.map(({ text }) => text).join('\n'))
    assert.deepEqual(Object.keys(again.getTypeMap()).toSorted(), Object.keys(schema.getTypeMap()).toSorted())
    for (const { name, types: names, text } of parts)
      assert.ok(names.length === 1 || text.length <= 10_100, name)
    assert.equal(new Set(parts.map(({ name }) => name)).size, parts.length)
  }
})

async function newsModel(): Promise<Model> {
  const result = await loadLexicons(fileURLToPath(new URL('../../../lexicons', import.meta.url)))
  assert.ok(result.ok)
  return buildModel(result.lexicons)
}

function libraryModel(): Model {
  return modelOf(libraryLexicons, libraryReferences)
}

function modelOf(
  documents: readonly { readonly id: string; readonly [member: string]: unknown }[],
  references: object = {},
): Model {
  const files = documents.map((document) => ({ file: `${document.id}.json`, document }))
  const result = buildLexicons(files, references)
  assert.ok(result.ok, JSON.stringify(result))
  return buildModel(result.lexicons)
}
