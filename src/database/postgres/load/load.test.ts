import assert from 'node:assert/strict'
import { recordLexicon, openTestStore, emptyDatabases } from '../../../../test/support/store/store.ts'
import { onUntimedPostgres } from '../../../../test/support/store/databases.ts'

const newUrl = emptyDatabases()
const report = 'org.example.report'
const lexicon = recordLexicon(report, {
  title: { type: 'string', maxGraphemes: 300 },
  summary: { type: 'string', maxGraphemes: 3000 },
  at: { type: 'string', format: 'datetime' },
})

onUntimedPostgres('a load leaves no room for rows that it has replaced', async () => {
  const stories = { [report]: { title: 'title', summary: 'summary', time: 'at' } }
  await using store = await openTestStore({ path: await newUrl('postgres'), lexicons: [lexicon], stories })
  const summary = Array.from({ length: 300 }, (_, n) => `zorax${n}`).join(' ')
  const records = Array.from({ length: 60 }, (_, n) => ({
    uri: `at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/${report}/r${n}`,
    value: { $type: report, title: `Title ${n}`, summary, at: '2026-02-02T00:00:00Z' },
  }))
  await store.load(records)
  const [found] = await store.rows(
    `select count(".story:key") as stories, count(distinct (ctid::text::point)[0]) as used,
       pg_relation_size('"${report}"') / current_setting('block_size')::integer as pages from "${report}"`,
  )
  assert.equal(Number(found?.['stories']), 60)
  assert.ok(Number(found?.['used']) > 10)
  assert.equal(found?.['pages'], found?.['used'])
})
