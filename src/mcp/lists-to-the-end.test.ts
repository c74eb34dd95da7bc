/** Every list that is cut goes on to its end: nothing twice, and nothing missing of what the reference evaluator has. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openOn } from '../../test/support/service/news-agent.ts'
import { closeCorpora } from '../../test/golden/corpora.ts'
import { type GroupedArguments, rowsOf } from '../../test/mcp/tables.ts'
import type { Reference } from '../../test/reference/reference.ts'
import type { Json } from '../../test/reference/shapes.ts'
import { type Agent } from '../../test/support/service/agents.ts'
import { onEveryDatabase } from '../../test/support/store/databases.ts'

after(closeCorpora)

const article = 'tech.service.news.article'
const enrichment = 'tech.service.news.enrichment'

/** All answers of a call that has several pages. */
async function walk(agent: Agent, tool: string, args: Json): Promise<readonly Json[]> {
  const answers = await agent.pages(tool, args)
  assert.ok(answers.length > 1, `${tool} ${JSON.stringify(args)} has one page`)
  return answers
}

async function readRows(agent: Agent, args: Json): Promise<Json[]> {
  return (await walk(agent, 'aggregate', args)).flatMap(({ rows }): Json[] => rows)
}

/** Keys and counts, in order. */
function groupsOf(reference: Reference, collection: string, given: GroupedArguments) {
  return rowsOf({ reference }, collection, { ...given, limit: 1_000 })
}

onEveryDatabase('pages have all records', async (database) => {
  const { agent, reference } = await openOn(database)
  for (const args of [
    { collection: 'article', limit: 50, max_tokens: 2_000 },
    { collection: 'enrichment', detail: 'full', limit: 50, max_tokens: 8_000, sort: 'impactLevel' },
    { collection: 'article', search: 'the OR de OR la', limit: 20, max_tokens: 600 },
  ]) {
    const answers = await walk(agent, 'search_records', args)
    const uris = answers.flatMap(({ records }): string[] => records.map(({ uri }: Json) => uri))
    const expected = reference.sorted(`tech.service.news.${args.collection}`, {
      ...(args.search && { search: args.search }),
    })
    assert.equal(uris.length, expected.length)
    assert.deepEqual(new Set(uris), new Set(expected.map(({ uri }) => uri)))
  }
})

const orders: readonly (readonly [what: string, args: Json, given: GroupedArguments])[] = [
  ['by their numbers', { by: ['country', 'language'] }, { groupBy: ['country', 'language'] }],
  [
    'by their keys',
    { by: ['publishedAt:day'], order: 'key' },
    { groupBy: ['publishedAt_day'], orderBy: 'KEY_ASC' },
  ],
  [
    'by a measure',
    { by: ['section'], order: '-max:publishedAt' },
    { groupBy: ['section'], rankBy: { measure: 'MAX', field: 'publishedAt', direction: 'DESC' } },
  ],
  [
    'of at least two',
    { by: ['section', 'country'], min_count: 2 },
    { groupBy: ['section', 'country'], minCount: 2 },
  ],
]
for (const [what, args, given] of orders)
  onEveryDatabase(`pages have all groups ${what}`, async (database) => {
    const { agent, reference } = await openOn(database)
    const rows = await readRows(agent, { collection: 'article', ...args, limit: 9, max_tokens: 400 })
    const shown = rows.map((row) => row.slice(0, given.groupBy.length + 1))
    assert.deepEqual(shown, groupsOf(reference, article, given))
  })

onEveryDatabase('pages have all groups by a share, and all unusual groups', async (database) => {
  const { agent, reference } = await openOn(database)
  const byShare = {
    collection: 'article',
    by: ['section'],
    share: { isAccessibleForFree: true },
    order: '-share',
    limit: 8,
  }
  const shares = await readRows(agent, byShare)
  assert.deepEqual(
    new Set(shares.map(([section, count]) => JSON.stringify([section, count]))),
    new Set(groupsOf(reference, article, { groupBy: ['section'] }).map((group) => JSON.stringify(group))),
  )
  assert.equal(shares.length, groupsOf(reference, article, { groupBy: ['section'] }).length)
  const filters = { sentiment: 'negative' }
  const unusual = { collection: 'enrichment', by: ['topics'], filters, unusual: {}, min_count: 1, limit: 6 }
  const scored = await readRows(agent, unusual)
  const expected = groupsOf(reference, enrichment, {
    groupBy: ['topics'],
    where: { sentiment: { eq: 'negative' } },
    significant: { against: {} },
    minCount: 1,
  })
  assert.deepEqual(
    scored.map((row) => row.slice(0, 2)),
    expected,
  )
})

onEveryDatabase(
  'pages have all periods of a series, those without records too, with changes',
  async (database) => {
    const { agent, reference } = await openOn(database)
    const range = { since: '2026-10-01', until: '2026-11-09', fill: true, change: true }
    const args = { collection: 'article', by: ['publishedAt:day'], filters: { language: 'ja' }, ...range }
    const rows = await readRows(agent, { ...args, limit: 7 })
    const days = Array.from({ length: 40 }, (_, at) => new Date(Date.UTC(2026, 9, 1 + at)))
    const counts = days.map((day) => {
      const next = new Date(day.getTime() + 86_400_000)
      const publishedAt = { gte: day.toISOString(), lt: next.toISOString() }
      return reference.count(article, { language: { eq: 'ja' }, publishedAt })
    })
    assert.ok(counts.includes(0))
    assert.deepEqual(
      rows,
      days.map((day, at) => {
        const [count = 0, before] = [counts[at], counts[at - 1]]
        return [day.toISOString().slice(0, 10), count, before === undefined ? null : count - before]
      }),
    )
  },
)

onEveryDatabase('pages have all pairs', async (database) => {
  const { agent, reference } = await openOn(database)
  const rows = await readRows(agent, { collection: 'enrichment', by: ['topics', 'topics'], limit: 6 })
  const members = reference.records.filter(({ collection }) => collection === enrichment)
  const pairs = reference.pairs(enrichment, members, { field: 'topics', limit: 1_000 })
  assert.deepEqual(
    rows,
    pairs.map(({ values, count }) => [...values, count]),
  )
})

onEveryDatabase('pages have all values of a field', async (database) => {
  const { agent, reference } = await openOn(database)
  for (const [field, group, tokens] of [
    ['section', 'section', 300],
    ['source.displayName', 'source_displayName', 250],
    ['title', 'title', 1_000],
  ] as const) {
    const answers = await walk(agent, 'describe', { collection: 'article', field, max_tokens: tokens })
    const shown = answers.flatMap((answer) => Object.entries<number>(answer['values']))
    const expected = new Map<string, number>()
    for (const [value, count] of groupsOf(reference, article, { groupBy: [group] }) as [
      string | null,
      number,
    ][]) {
      const name = value === null ? '(missing)' : value
      expected.set(name, count)
    }
    assert.equal(shown.length, expected.size, field)
    for (const [value, count] of shown) assert.equal(count, expected.get(value), value)
  }
})

test('pages have all collections', async () => {
  const { agent } = await openOn('sqlite')
  const answers = await walk(agent, 'describe', { max_tokens: 200 })
  assert.deepEqual(
    answers.flatMap(({ collections }) => collections.map(({ collection }: Json) => collection)),
    ['article', 'enrichment', 'source'],
  )
})

onEveryDatabase('the call that an answer names lists all records that refer to one', async (database) => {
  const { agent, reference } = await openOn(database)
  const counts = Map.groupBy(
    reference.records.filter(({ collection }) => collection === article),
    ({ value }): string => value.source?.uri,
  )
  const [uri = '', articles = []] = [...counts].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? []
  const { hint, referredToBy } = await agent.call('get_record', { uri })
  assert.equal(referredToBy.article.total, articles.length)
  const [, call = ''] = /search_records (\{.*?\}\})/.exec(hint) ?? []
  const answers = await walk(agent, 'search_records', JSON.parse(call))
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
