/** The playground's first query, over each set of lexicons: it is answered, with records if there are any. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { schemas as networkDocuments } from '@atproto/api'
import { parse, validate } from 'graphql'
import { buildDemoCorpus } from '../demo/corpus.ts'
import { exampleQuery } from '../src/cli/service/example-query.ts'
import { buildLexicons } from '../src/lexicon/lexicons.ts'
import { buildModel } from '../src/schema/model/build-model.ts'
import { buildGraphQLSchema } from '../src/schema/graphql/graphql.ts'
import type { Model } from '../src/schema/model/model.ts'
import { newsLexicons, siteLexicons, stressLexicons } from './golden/corpora.ts'
import type { Json, References } from './reference/shapes.ts'
import { onEveryDatabase } from './support/store/databases.ts'
import { databases, type Engine } from './support/store/postgres.ts'
import type { StoredLine } from './support/service/engine.ts'
import { collections, libraryLexicons, libraryReferences } from './support/records/lexicons.ts'
import { networkRecords } from './support/records/network-records.ts'
import { buildRecord } from './support/records/records.ts'
import { openTestService, type TestServiceGiven } from './support/service/service.ts'

const siteFolder = new URL('schemas/site-standard/', import.meta.url)

interface Given {
  readonly documents: readonly Json[]
  readonly references: References
  readonly records: () => Promise<NonNullable<TestServiceGiven['records']>>
}

const sets: Readonly<Record<string, Given>> = {
  news: { ...newsLexicons, records: async () => [...buildDemoCorpus()] },
  stress: {
    ...stressLexicons,
    records: async () => linesOf(new URL('schemas/stress/records.jsonl', import.meta.url)),
  },
  'site-standard': { ...siteLexicons, records: async () => linesOf(new URL('records.jsonl', siteFolder)) },
  social: { documents: networkDocuments as readonly Json[], references: {}, records: networkRecords },
  library: {
    documents: libraryLexicons,
    references: libraryReferences,
    // Of its four collections only the third has records.
    records: async () => [await buildRecord(collections.publisher, { value: { name: 'A' } })],
  },
}

for (const [name, { documents, references, records }] of Object.entries(sets)) {
  const holds = async (database: Engine) => {
    await using service = await openTestService({
      lexicons: documents,
      references,
      records: await records(),
      database,
    })
    const status = await service.opened.database.read.readStatus()
    const answer = await service.data(exampleQuery(modelOf(documents, references), status))
    const [list] = Object.values<Json>(answer)
    assert.ok(list.totalCount > 0)
    assert.ok(list.nodes.length > 0)
  }
  // Laying out hundreds of tables takes PostgreSQL seconds, and the query is the same.
  const engines: readonly Engine[] = name === 'library' || name === 'news' ? databases : ['sqlite']
  onEveryDatabase(`the first query over ${name} finds records`, holds, engines)

  test(`the first query over ${name} is valid, whichever collections have records`, () => {
    const model = modelOf(documents, references)
    const schema = buildGraphQLSchema(model)
    for (const status of [null, { collections: [] }, ...model.collections.map(filled)])
      assert.deepEqual(validate(schema, parse(exampleQuery(model, status))), [])
  })
}

test('a service without a collection has a first query too', () => {
  const empty: Model = { ...modelOf(libraryLexicons, libraryReferences), collections: [] }
  assert.match(exampleQuery(empty, null), /\{ __typename \}/)
})

function filled({ nsid: name }: { readonly nsid: string }) {
  return { collections: [{ name, records: 1 }] }
}

function modelOf(documents: readonly Json[], references: References): Model {
  const files = documents.map((document) => ({ file: `${document.id}.json`, document }))
  const result = buildLexicons(files, references)
  assert.ok(result.ok)
  return buildModel(result.lexicons)
}

function linesOf(url: URL): StoredLine[] {
  return readFileSync(url, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}
