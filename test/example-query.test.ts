/** The playground's first query, over each set of lexicons: it is answered, with records if there are any. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parse, validate } from 'graphql'
import { exampleQuery } from '../src/cli/service/example-query.ts'
import { buildGraphQLSchema } from '../src/schema/graphql/graphql.ts'
import type { Model } from '../src/schema/model/model.ts'
import {
  closeCorpora,
  corpusNamed,
  networkLexicons,
  newsLexicons,
  siteLexicons,
  stressLexicons,
} from './golden/corpora.ts'
import type { Json } from './reference/shapes.ts'
import { onOneDatabase } from './support/store/databases.ts'
import { databases } from './support/store/postgres.ts'
import { collections, libraryLexicons, libraryReferences } from './support/records/lexicons.ts'
import { buildRecord } from './support/records/records.ts'
import { modelOf } from './support/service/agents.ts'
import { openLibrary } from './support/service/library.ts'
import type { TestService } from './support/service/service.ts'

after(closeCorpora)

const library = modelOf(libraryLexicons, libraryReferences)
const sets = { demo: newsLexicons, stress: stressLexicons, site: siteLexicons, network: networkLexicons }
const models: Readonly<Record<string, Model>> = {
  library,
  ...Object.fromEntries(
    Object.entries(sets).map(([name, { documents, references }]) => [name, modelOf(documents, references)]),
  ),
}

for (const name of Object.keys(sets) as (keyof typeof sets)[])
  onOneDatabase(
    `the first query over ${name} finds records`,
    async (database) => findsRecords((await corpusNamed(name, database)).service, models[name]!),
    // Laying out hundreds of tables takes PostgreSQL seconds, and the query is the same.
    name === 'demo' ? databases : ['sqlite'],
  )

onOneDatabase('the first query is of a collection that has records', async (database) => {
  const publisher = await buildRecord(collections.publisher, { value: { name: 'A' } })
  await using service = await openLibrary(database, [publisher])
  await findsRecords(service, library)
})

for (const [name, model] of Object.entries(models))
  test(`the first query over ${name} is valid, whichever collections have records`, () => {
    const schema = buildGraphQLSchema(model)
    const filled = model.collections.map(({ nsid }) => ({ collections: [{ name: nsid, records: 1 }] }))
    for (const status of [null, { collections: [] }, ...filled])
      assert.deepEqual(validate(schema, parse(exampleQuery(model, status))), [])
  })

test('a service without a collection has a first query too', () => {
  assert.match(exampleQuery({ ...library, collections: [] }, null), /\{ __typename \}/)
})

async function findsRecords(service: TestService, model: Model): Promise<void> {
  const status = await service.opened.database.read.readStatus()
  const [list] = Object.values<Json>(await service.data(exampleQuery(model, status)))
  assert.ok(list.totalCount > 0)
  assert.ok(list.nodes.length > 0)
}
