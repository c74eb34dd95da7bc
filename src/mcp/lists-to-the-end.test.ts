/** Every list that is cut goes on to its end: nothing twice, and nothing missing of what the reference evaluator has. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openOn } from '../../test/support/service/news-agent.ts'
import { closeCorpora } from '../../test/golden/corpora.ts'
import { checkedCalls } from '../../test/mcp/checked-calls.ts'
import type { Json } from '../../test/reference/shapes.ts'
import { type Call, demoDay, readPages } from '../../test/support/service/agents.ts'
import { onOneDatabase } from '../../test/support/store/databases.ts'

after(closeCorpora)

const article = 'tech.service.news.article'

/** All answers of a call that has several pages. */
async function walk(call: Call, tool: string, args: Json): Promise<readonly Json[]> {
  const answers = await readPages(call, tool, args)
  assert.ok(answers.length > 1, `${tool} ${JSON.stringify(args)} has one page`)
  return answers
}

const negative = { sentiment: 'negative' }
const month = { since: '2026-10-01', until: '2026-11-09', fill: true, change: true }
const english = { language: 'en' }
const searched = { search: 'the OR near', filters: english, limit: 20, max_tokens: 600 }
const sorted = { detail: 'full', filters: negative, limit: 50, max_tokens: 4_000, sort: 'impactLevel' }
const isFree = { isAccessibleForFree: true }
const short = { limit: 9, max_tokens: 400 }
const calls: readonly (readonly [what: string, call: string, args: Json])[] = [
  ['records', 'search_records article', { filters: english, limit: 50, max_tokens: 2_000 }],
  ['records in an order', 'search_records enrichment', sorted],
  ['records that a search finds', 'search_records article', searched],
  ['groups by their numbers', 'aggregate article', { by: ['country', 'language'], ...short }],
  ['groups by their keys', 'aggregate article', { by: ['publishedAt:day'], order: 'key', ...short }],
  ['groups by a measure', 'aggregate article', { by: ['section'], order: '-max:publishedAt', ...short }],
  ['groups by the least', 'aggregate article', { by: ['source'], order: 'min:publishedAt', ...short }],
  ['groups of at least two', 'aggregate article', { by: ['section', 'country'], min_count: 2, ...short }],
  ['groups by a share', 'aggregate article', { by: ['section'], share: isFree, order: '-share', limit: 8 }],
  [
    'unusual groups',
    'aggregate enrichment',
    { by: ['topics'], filters: negative, unusual: {}, min_count: 1, limit: 6 },
  ],
  [
    'periods of a series, those without records too, with changes',
    'aggregate article',
    { by: ['publishedAt:day'], filters: { language: 'ja' }, ...month, limit: 7 },
  ],
  ['pairs', 'aggregate enrichment', { by: ['topics', 'topics'], limit: 6 }],
]
for (const [what, call, args] of calls)
  onOneDatabase(`pages have all ${what}`, async (database) => {
    const { agent, reference } = await openOn(database)
    const [tool = '', collection] = call.split(' ')
    await walk(checkedCalls(agent.call, reference, demoDay), tool, { collection, ...args })
  })

onOneDatabase('pages have all values of a field', async (database) => {
  const { agent, reference } = await openOn(database)
  for (const [field, group, tokens] of [
    ['section', 'section', 300],
    ['source.displayName', 'source_displayName', 250],
    ['title', 'title', 1_000],
  ] as const) {
    const answers = await walk(agent.call, 'describe', {
      collection: 'article',
      field,
      max_tokens: tokens,
    })
    const shown = answers.flatMap((answer) => Object.entries<number>(answer['values']))
    const { groups } = reference.aggregate(article, { groupBy: [group], limit: 1_000 })
    const expected = new Map(groups.map(({ keys, members }) => [keys[0] ?? '(missing)', members.length]))
    assert.equal(shown.length, expected.size, field)
    for (const [value, count] of shown) assert.equal(count, expected.get(value), value)
  }
})

test('pages have all collections', async () => {
  const { agent } = await openOn('sqlite')
  const answers = await walk(agent.call, 'describe', { max_tokens: 200 })
  assert.deepEqual(
    answers.flatMap(({ collections }) => collections.map(({ collection }: Json) => collection)),
    ['article', 'enrichment', 'source'],
  )
})

onOneDatabase('the call that an answer names lists all records that refer to one', async (database) => {
  const { agent, reference } = await openOn(database)
  const counts = Map.groupBy(
    reference.records.filter(({ collection }) => collection === article),
    ({ value }): string => value.source?.uri,
  )
  const [uri = '', articles = []] = [...counts].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? []
  const { hint, referredToBy } = await agent.call('get_record', { uri })
  assert.equal(referredToBy.article.total, articles.length)
  const [, call = ''] = /search_records (\{.*?\}\})/.exec(hint) ?? []
  const answers = await walk(agent.call, 'search_records', JSON.parse(call))
  assert.deepEqual(
    new Set(answers.flatMap(({ records }) => records.map((record: Json) => record['uri']))),
    new Set(articles.map((one) => one.uri)),
  )
})

test('a cursor of another list is refused in words', async () => {
  const { agent } = await openOn('sqlite')
  const { after: cursor } = await agent.call('aggregate', {
    collection: 'article',
    by: ['section'],
    limit: 2,
  })
  for (const [tool, args] of [
    ['aggregate', { collection: 'article', by: ['language'], after: cursor }],
    ['aggregate', { collection: 'enrichment', by: ['topics', 'topics'], after: cursor }],
    ['aggregate', { collection: 'article', by: ['section'], after: 'rows:2' }],
    ['describe', { collection: 'article', field: 'title', after: 'x' }],
  ] as const)
    assert.match(await agent.refusal(tool, args), /repeat all arguments of the call that gave it/)
})
