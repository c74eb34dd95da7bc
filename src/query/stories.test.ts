/** Stories are references as others are: through every part of a query. */
import assert from 'node:assert/strict'
import type { Json } from '../../test/reference/shapes.ts'
import { buildRecord } from '../../test/support/records/records.ts'
import { openTestService } from '../../test/support/service/service.ts'
import { onEveryDatabase } from '../../test/support/store/databases.ts'
import { recordLexicon } from '../../test/support/store/store.ts'

const nsid = 'org.example.report'
const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const lexicons = [
  recordLexicon(nsid, {
    title: { type: 'string', maxGraphemes: 300 },
    at: { type: 'string', format: 'datetime' },
    outlet: { type: 'string', maxLength: 100 },
    story: { type: 'string', maxLength: 100 },
  }),
]
const stories = { [nsid]: { title: 'title', time: 'at' } }
const query = `{
  list: orgExampleReport(sortBy: [{field: rkey}]) { nodes { rkey story story_ story_Resolved { ... on OrgExampleReport { rkey } }
    orgExampleReportViaStory_ { totalCount } } }
  firsts: orgExampleReport(sortBy: [{field: rkey}], distinctOn: [story_]) { totalCount nodes { rkey } }
  largest: orgExampleReport(first: 1, sortBy: [{field: orgExampleReportViaStory__count, direction: DESC}]) { nodes { rkey } }
  ofZorax: orgExampleReport(sortBy: [{field: rkey}], where: {story_: {outlet: {eq: "x"}}}) { nodes { rkey } }
  without: orgExampleReport(where: {story_: {isNull: true}}) { nodes { rkey } }
  groups: orgExampleReportAggregate(groupBy: [story_]) { groups { story_ count outlets: countDistinct(field: outlet) } }
  facets: orgExampleReport(first: 1) { facets(fields: [story_]) { values { count } } }
  indexStatus { collections { storiesComplete } }
}`

onEveryDatabase('a story is filtered, grouped, followed and counted as references are', async (database) => {
  const report = (rkey: string, hour: number, title: string, outlet: string, more: Json = {}) =>
    buildRecord(nsid, {
      did,
      rkey,
      value: { title, at: `2026-02-02T${String(hour).padStart(2, '0')}:00:00Z`, outlet, ...more },
    })
  const records = await Promise.all([
    report('a', 1, 'zorax quilm vethu', 'x'),
    report('b', 2, 'zorax quilm vethu', 'y', { story: 'the publisher’s own' }),
    report('c', 3, 'zorax quilm vethu', 'y'),
    report('d', 4, 'jobbi wramp', 'y'),
    buildRecord(nsid, { did, rkey: 'e', value: { title: 'zorax quilm vethu' } }),
  ])
  await using service = await openTestService({ lexicons, stories, database })
  await service.store(records)
  const ask = (): Promise<Json> => service.data(query)
  const uri = (rkey: string): string => `at://${did}/${nsid}/${rkey}`
  const before = await ask()
  assert.deepEqual(before.indexStatus.collections, [{ storiesComplete: false }])
  assert.equal(before.without.nodes.length, 5)
  while (await service.opened.database.write.metadata.deriveStories(2));
  const answer = await ask()
  const member = (rkey: string, first: string | null, count: number, story: string | null = null) => ({
    rkey,
    story,
    story_: first === null ? null : uri(first),
    story_Resolved: first === null ? null : { rkey: first },
    orgExampleReportViaStory_: { totalCount: count },
  })
  assert.deepEqual(answer, {
    list: {
      nodes: [
        member('a', 'a', 3),
        member('b', 'a', 0, 'the publisher’s own'),
        member('c', 'a', 0),
        member('d', 'd', 1),
        member('e', null, 0),
      ],
    },
    firsts: { totalCount: 3, nodes: [{ rkey: 'a' }, { rkey: 'd' }, { rkey: 'e' }] },
    largest: { nodes: [{ rkey: 'a' }] },
    ofZorax: { nodes: [{ rkey: 'a' }, { rkey: 'b' }, { rkey: 'c' }] },
    without: { nodes: [{ rkey: 'e' }] },
    groups: {
      groups: [
        { story_: uri('a'), count: 3, outlets: 2 },
        { story_: null, count: 1, outlets: 0 },
        { story_: uri('d'), count: 1, outlets: 1 },
      ],
    },
    facets: answer.facets,
    indexStatus: { collections: [{ storiesComplete: true }] },
  })
})
