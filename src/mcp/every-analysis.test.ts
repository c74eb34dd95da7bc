/** Every kind of analysis is one call of a tool: a table of calls, compared with the reference evaluator. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { openOn } from '../../test/support/service/news-agent.ts'
import { closeCorpora } from '../../test/golden/corpora.ts'
import { checkedCalls } from '../../test/mcp/checked-calls.ts'
import type { Json } from '../../test/reference/shapes.ts'
import { demoDay } from '../../test/support/service/agents.ts'
import { onOneDatabase } from '../../test/support/store/databases.ts'

after(closeCorpora)

const measures = ['median:impactLevel', 'p90:clickbaitScore', 'stddev:sentimentScore']
const durations = ['avg:article.publishedAt..createdAt', 'median:article.publishedAt..createdAt']
const counts = ['percent', 'avg:enrichment', 'max:enrichment']
const negative = { sentiment: 'negative' }
const analyses: readonly (readonly [of: string, args: Json, columns?: readonly string[]])[] = [
  ['shares', { collection: 'enrichment', by: ['category'], share: negative }, ['matching', 'share']],
  [
    'medians, percentiles and deviations',
    { collection: 'enrichment', by: ['category'], measures, order: '-p90:clickbaitScore' },
    measures,
  ],
  [
    'the largest groups in each group and its newest records',
    { collection: 'article', by: ['language'], top: { by: 'source', limit: 2 }, samples: 2 },
    ['top source', 'samples'],
  ],
  [
    'the largest groups of texts in each group',
    { collection: 'article', by: ['articleType'], top: { by: 'language', limit: 2 } },
    ['top language'],
  ],
  ['hours of the day', { collection: 'article', by: ['publishedAt:hourOfDay'] }],
  [
    'weekdays in a time zone',
    { collection: 'article', by: ['publishedAt:weekday'], time_zone: 'America/New_York' },
  ],
  ['weeks in a time zone', { collection: 'article', by: ['publishedAt:week'], time_zone: 'Asia/Kathmandu' }],
  [
    'changes from week to week',
    {
      collection: 'article',
      by: ['publishedAt:week'],
      since: '2026-09-21',
      until: '2026-11-08',
      change: true,
    },
    ['change'],
  ],
  [
    'changes within groups',
    {
      collection: 'article',
      by: ['language', 'publishedAt:week'],
      since: '2026-09-21',
      until: '2026-11-08',
      change: true,
      order: 'key',
    },
    ['change'],
  ],
  [
    'seconds between two times',
    { collection: 'enrichment', by: ['article.source'], measures: durations, order: durations[1] },
    durations,
  ],
  [
    'how many records refer, and percents of all records',
    { collection: 'article', by: ['language'], measures: counts, order: '-avg:enrichment' },
    counts,
  ],
  [
    'inner groups by a measure',
    { collection: 'article', by: ['source'], top: { by: 'language', order: '-avg:wordCount' } },
    ['top language by avg:wordCount'],
  ],
  [
    'elements inside lists, such as entities',
    { collection: 'enrichment', by: ['entities.name'], filters: { 'entities.type': 'person' } },
  ],
  ['ranges of integers', { collection: 'enrichment', by: ['clickbaitScore:5', 'language'], order: 'key' }],
  ['pairs under a condition', { collection: 'enrichment', by: ['topics', 'topics'], filters: negative }],
]

for (const [of, args, columns = []] of analyses)
  onOneDatabase(`one call of aggregate gives ${of}`, async (database) => {
    const { agent, reference } = await openOn(database)
    const call = checkedCalls(agent.call, reference, demoDay)
    const answer = await call('aggregate', { ...args, limit: 60, max_tokens: 10_000 })
    const paths = args.by.map((path: string, at: number) => (args.by.indexOf(path) < at ? `${path}_` : path))
    assert.deepEqual(answer.columns, [...paths, 'count', ...columns])
    assert.ok(answer.rows.length > 3)
  })

onOneDatabase('a series that says only when it begins ends today', async (database) => {
  const { agent } = await openOn(database)
  const asked = { collection: 'article', by: ['publishedAt:day'], filters: { language: 'ja' }, fill: true }
  for (const given of [
    { since: '2026-11-10' },
    { filters: { language: 'ja', publishedAt: { gte: '2026-11-10' } } },
  ]) {
    const { rows, hint } = await agent.call('aggregate', { ...asked, ...given })
    const days = rows.map(([day]: string[]) => day)
    assert.deepEqual(
      days,
      ['10', '11', '12', '13', '14', '15', '16'].map((day) => `2026-11-${day}`),
    )
    assert.match(hint, /fill ends "today", because there is no until\..*"today" is until \d{4}-\d\d-\d\d/)
  }
  const whole = await agent.call('aggregate', { ...asked, filters: { publishedAt: '2026-11-10' } })
  assert.equal(whole.rows.length, 1)
  assert.doesNotMatch(whole.hint ?? '', /fill ends/)
})
