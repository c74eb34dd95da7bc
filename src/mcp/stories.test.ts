/** Agents count stories instead of records. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAgent, engineEndpoint } from '../../test/support/service/agents.ts'
import { openTestService } from '../../test/support/service/service.ts'
import { buildRecord } from '../../test/support/records/records.ts'
import { understand } from '../../test/support/records/understand.ts'
import { recordLexicon } from '../../test/support/store/store.ts'

const nsid = 'org.example.report'
const lexicons = [
  recordLexicon(nsid, {
    title: { type: 'string', maxGraphemes: 300 },
    at: { type: 'string', format: 'datetime' },
    outlet: { type: 'string', maxLength: 100 },
  }),
]
const stories = { [nsid]: { title: 'title', time: 'at' } }

test('agents count stories, and find the largest by name', async () => {
  const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
  const given = [
    ['a', 1, 'zorax quilm vethu', 'x'],
    ['b', 2, 'zorax quilm vethu', 'y'],
    ['c', 3, 'zorax quilm vethu', 'y'],
    ['d', 4, 'jobbi wramp', 'y'],
  ] as const
  const records = await Promise.all(
    given.map(([rkey, hour, title, outlet]) =>
      buildRecord(nsid, { did, rkey, value: { title, at: `2026-02-02T0${hour}:00:00Z`, outlet } }),
    ),
  )
  await using service = await openTestService({ lexicons, stories, records })
  while (await service.opened.database.write.metadata.deriveStories(10));
  const { model } = understand(lexicons, {}, stories)
  const { call } = createAgent(model, engineEndpoint(service.engine))
  const collection = 'report'
  const ask = async (by: string, measure: string) =>
    (await call('aggregate', { collection, by: [by], measures: [measure], order: `-${measure}` }))['rows']
  assert.deepEqual(await ask('outlet', 'distinct:story'), [
    ['y', 3, 2],
    ['x', 1, 1],
  ])
  assert.deepEqual(await ask('story', 'distinct:outlet'), [
    ['zorax quilm vethu (a)', 3, 2],
    ['jobbi wramp (d)', 1, 1],
  ])
  const filters = { story: `at://${did}/${nsid}/a` }
  const { total } = await call('search_records', { collection, filters, fields: ['story.title'] })
  assert.equal(total, 3)
})
