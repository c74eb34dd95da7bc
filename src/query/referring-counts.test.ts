/** Counts of the records that refer to a record: how they are read, and that hidden records do not count. */
import assert from 'node:assert/strict'
import type { Json } from '../../test/reference/shapes.ts'
import { onEveryDatabase } from '../../test/support/store/databases.ts'
import { buildRecord } from '../../test/support/records/records.ts'
import { openTestService } from '../../test/support/service/service.ts'
import { recordLexicon } from '../../test/support/store/store.ts'

const [thing, note] = ['org.example.thing', 'org.example.note']
const given = {
  lexicons: [
    recordLexicon(thing, { kind: { type: 'string', knownValues: ['a'] } }),
    recordLexicon(note, { of: { type: 'string', format: 'at-uri' } }),
  ],
  references: { [`${note}#of`]: [thing] },
}
const count = 'orgExampleNoteViaOf_count'
const byCount = `sortBy: [{field: ${count}, direction: DESC}]`

/** Two notes of another account refer to the first thing, one of the things' own account to the second. */
async function buildThings() {
  const [own, other] = ['did:plc:own', 'did:plc:other']
  const refer = (did: string, rkey: string, to: string) =>
    buildRecord(note, { did, rkey, value: { of: `at://${own}/${thing}/${to}` } })
  return Promise.all([
    ...['one', 'two', 'none'].map((rkey) => buildRecord(thing, { did: own, rkey, value: { kind: 'a' } })),
    refer(other, 'n1', 'one'),
    refer(other, 'n2', 'one'),
    refer(own, 'n3', 'two'),
  ])
}

const query = `{
  list: orgExampleThing(${byCount}) { nodes { rkey } }
  many: orgExampleThing(where: {orgExampleNoteViaOf: {count: {gte: 2}}}) { totalCount }
  none: orgExampleThing(where: {orgExampleNoteViaOf: {count: {eq: 0}}}) { totalCount }
  groups: orgExampleThingAggregate(groupBy: [kind]) { groups { nodes(first: 1, ${byCount}) { rkey } } }
}`

onEveryDatabase('records of hidden accounts do not count among those that refer', async (database) => {
  for (const hidden of [[], ['did:plc:other']]) {
    await using service = await openTestService({
      ...given,
      records: await buildThings(),
      hidden,
      database,
    })
    const { list, many, none, groups } = (await service.data(query)) as Json
    const order = hidden.length === 0 ? ['one', 'two', 'none'] : ['two', 'one', 'none']
    assert.deepEqual(
      list.nodes.map(({ rkey }: Json) => rkey),
      order,
    )
    assert.equal(many.totalCount, hidden.length === 0 ? 1 : 0)
    assert.equal(none.totalCount, hidden.length === 0 ? 1 : 2)
    assert.equal(groups.groups[0].nodes[0].rkey, order[0])
  }
})

onEveryDatabase('a page of the records with the most is read along their counts', async (database) => {
  await using service = await openTestService({ ...given, records: await buildThings(), database })
  const plan = (await service.engine.explain({ query: `{ orgExampleThing(${byCount}) { nodes { rkey } } }` }))
    .plan
  assert.match(String(plan), /through materialized counts org\.example\.note\/\.of:base:count/)
})
