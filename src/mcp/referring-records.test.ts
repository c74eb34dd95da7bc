/** Paths to records that refer: what answers show of them, and what refusals say instead. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createCatalogue } from '../ask/collections.ts'
import { reverseNames } from '../ask/paths.ts'
import { buildGraphQLSchema } from '../schema/graphql/graphql.ts'
import { loadCorpus } from '../../test/support/random/property.ts'
import { libraryLexicons, libraryReferences } from '../../test/support/records/lexicons.ts'
import { createAgent, engineEndpoint, modelOf } from '../../test/support/service/agents.ts'

const loaded = await loadCorpus(22)
after(() => loaded[Symbol.asyncDispose]())
const model = modelOf(libraryLexicons, libraryReferences)
const context = { catalogue: createCatalogue(model), schema: buildGraphQLSchema(model) }
const agent = createAgent(model, engineEndpoint(loaded.service.engine))

test('what a group by a number of referring records is refused with can be done', async () => {
  let grouped = 0
  for (const { collection, label } of context.catalogue.subjects)
    for (const name of reverseNames(collection, context).values()) {
      // A property of this name, which books have, is the value of each record that refers.
      if (name.startsWith('book')) continue
      const refusal = await agent.refusal('aggregate', { collection: label, by: [`${name}.count`] })
      const [, sort = ''] = /sorts \w+ by "(.+?)", and filters take/.exec(refusal) ?? assert.fail(refusal)
      const filters = { [sort.slice(1)]: { gte: 0 } }
      const { total } = await agent.call('search_records', { collection: label, sort, filters })
      assert.ok(total > 0, refusal)
      const [, other, own] = /; aggregate (\w+) by "(.+?)" counts them/.exec(refusal) ?? []
      if (other === undefined) continue
      const { columns } = await agent.call('aggregate', { collection: other, by: [own] })
      assert.deepEqual(columns, [own, 'count'])
      grouped += 1
    }
  assert.ok(grouped > 2)
})
