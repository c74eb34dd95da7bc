/** Every kind of search and analysis is one call of a tool: a table of calls, compared with the reference evaluator. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { openOn } from '../../test/support/service/news-agent.ts'
import { closeCorpora } from '../../test/golden/corpora.ts'
import { type AggregateArguments, type Reference } from '../../test/reference/reference.ts'
import type { Group } from '../../test/reference/groups/aggregate.ts'
import { printKey } from '../../test/reference/groups/group-fields.ts'
import type { Json } from '../../test/reference/shapes.ts'
import type { PlainRecord } from '../../test/reference/world.ts'
import { onEveryDatabase } from '../../test/support/store/databases.ts'

after(closeCorpora)

const article = 'tech.service.news.article'
const enrichment = 'tech.service.news.enrichment'

/** Numbers as the tools print them. */
const rounded = (value: number | null): number | null =>
  value === null ? null : Math.round(value * 1000) / 1000

interface Analysis {
  readonly of: string
  readonly args: Json
  /** The rows of the answer, after the names of its columns. */
  readonly expected: (reference: Reference) => readonly (readonly unknown[])[]
}

/** A row for each group: its keys, its count, and further values of it. */
function rowsOf(
  reference: Reference,
  collection: string,
  given: AggregateArguments,
  further: (group: Group) => readonly unknown[] = () => [],
): unknown[][] {
  const fields = reference.groupFields(collection, given)
  const keys = (given.groupBy ?? []).map((name) => fields.find((field) => field.name === name))
  return reference
    .aggregate(collection, { limit: 500, ...given })
    .groups.map((group) => [
      ...keys.map((field, at) => field && printKey(field, group.keys[at])),
      group.members.length,
      ...further(group),
    ])
}

const analyses: readonly Analysis[] = [
  {
    of: 'shares',
    args: { collection: 'enrichment', by: ['category'], share: { sentiment: 'negative' } },
    expected: (reference) => [
      ['category', 'count', 'matching', 'share'],
      ...rowsOf(reference, enrichment, { groupBy: ['category'] }, ({ members }) => {
        const negative = members.filter(({ value }) => value.sentiment === 'negative').length
        return [negative, rounded(negative / members.length)]
      }),
    ],
  },
  {
    of: 'changes from week to week',
    args: {
      collection: 'article',
      by: ['publishedAt:week'],
      filters: { publishedAt: { ne: null } },
      change: true,
    },
    expected: (reference) => {
      const where = { publishedAt: { isNull: false } }
      const rows = rowsOf(reference, article, { where, groupBy: ['publishedAt_week'], orderBy: 'KEY_ASC' })
      const counts = rows.map(([, count]) => Number(count))
      return [
        ['publishedAt:week', 'count', 'change'],
        ...rows.map((row, at) => [...row, at === 0 ? null : Number(counts[at]) - Number(counts[at - 1])]),
      ]
    },
  },
  {
    of: 'medians, percentiles and deviations',
    args: {
      collection: 'enrichment',
      by: ['category'],
      measures: ['median:impactLevel', 'p90:clickbaitScore', 'stddev:sentimentScore'],
      order: '-p90:clickbaitScore',
    },
    expected: (reference) => {
      const rankBy = { measure: 'PERCENTILE', field: 'clickbaitScore', p: 0.9, direction: 'DESC' } as const
      return [
        ['category', 'count', 'median:impactLevel', 'p90:clickbaitScore', 'stddev:sentimentScore'],
        ...rowsOf(reference, enrichment, { groupBy: ['category'], rankBy }, ({ members }) => [
          rounded(reference.median(members, 'impactLevel')),
          Number(reference.percentile(members, 'clickbaitScore', 0.9)),
          rounded(reference.deviation(members, 'sentimentScore')),
        ]),
      ]
    },
  },
  {
    of: 'the top of each group',
    args: { collection: 'article', by: ['articleType'], top: { by: 'language', limit: 2 } },
    expected: (reference) => [
      ['articleType', 'count', 'top language'],
      ...rowsOf(reference, article, { groupBy: ['articleType'] }, ({ keys: [type] }) => {
        const where = { articleType: type === undefined ? { isNull: true } : { eq: type } }
        const inner = rowsOf(reference, article, { where, groupBy: ['language'], limit: 2 })
        return [Object.fromEntries(inner.map(([language, count]) => [language ?? '(missing)', count]))]
      }),
    ],
  },
  {
    of: 'hours of the day',
    args: { collection: 'article', by: ['publishedAt:hourOfDay'] },
    expected: (reference) => [
      ['publishedAt:hourOfDay', 'count'],
      ...rowsOf(reference, article, { groupBy: ['publishedAt_hourOfDay'], orderBy: 'KEY_ASC' }),
    ],
  },
  {
    of: 'weekdays in a time zone',
    args: { collection: 'article', by: ['publishedAt:weekday'], time_zone: 'America/New_York' },
    expected: (reference) => {
      const timeZone = 'America/New_York'
      return [
        ['publishedAt:weekday', 'count'],
        ...rowsOf(reference, article, { groupBy: ['publishedAt_weekday'], orderBy: 'KEY_ASC', timeZone }),
      ]
    },
  },
  {
    of: 'weeks in a time zone',
    args: { collection: 'article', by: ['publishedAt:week'], time_zone: 'Asia/Kathmandu' },
    expected: (reference) => {
      const timeZone = 'Asia/Kathmandu'
      return [
        ['publishedAt:week', 'count'],
        ...rowsOf(reference, article, { groupBy: ['publishedAt_week'], orderBy: 'KEY_ASC', timeZone }),
      ]
    },
  },
  {
    of: 'elements inside lists, such as entities',
    args: { collection: 'enrichment', by: ['entities.name'], filters: { 'entities.type': 'person' } },
    expected: (reference) => [
      ['entities.name', 'count'],
      ...rowsOf(reference, enrichment, {
        where: { entities: { some: { type: { eq: 'person' } } } },
        groupBy: ['entities_name'],
      }),
    ],
  },
  {
    of: 'ranges of integers',
    args: { collection: 'enrichment', by: ['clickbaitScore:5', 'language'], order: 'key' },
    expected: (reference) => [
      ['clickbaitScore:5', 'language', 'count'],
      ...rowsOf(reference, enrichment, {
        groupBy: ['clickbaitScore', 'language'],
        interval: 5,
        orderBy: 'KEY_ASC',
      }),
    ],
  },
  {
    of: 'pairs',
    args: { collection: 'enrichment', by: ['topics', 'topics'], filters: { sentiment: 'negative' } },
    expected: (reference) => {
      const { members } = reference.aggregate(enrichment, { where: { sentiment: { eq: 'negative' } } })
      const pairs = reference.pairs(enrichment, members, { field: 'topics', limit: 500 })
      return [['topics', 'topics', 'count'], ...pairs.map(({ values, count }) => [...values, count])]
    },
  },
]

for (const { of, args, expected } of analyses)
  onEveryDatabase(`one call of aggregate gives ${of}`, async (database) => {
    const { agent, reference } = await openOn(database)
    const [columns, ...wanted] = expected(reference)
    const answer = await agent.call('aggregate', { ...args, limit: 60, max_tokens: 10_000 })
    assert.deepEqual(answer.columns, columns)
    assert.ok(answer.rows.length > 3)
    assert.deepEqual(answer.rows, wanted.slice(0, 60))
  })

onEveryDatabase(
  'one call of search_records finds words, the most relevant first, with snippets',
  async (database) => {
    const { agent, reference } = await openOn(database)
    const search = '(storm OR flood* OR "natural disaster") -lyon'
    const scores = reference.scores(enrichment, { search })
    const scoreOf = (record: PlainRecord) => scores.get(record) ?? 0
    const found = reference.sorted(enrichment, { search }).toSorted((a, b) => scoreOf(b) - scoreOf(a))
    const asked = { collection: 'enrichment', search, fields: ['category'], limit: 10 }
    const { total, order, prefix = '', records } = await agent.call('search_records', asked)
    assert.deepEqual([total, order], [found.length, 'relevance'])
    assert.deepEqual(
      records.map(({ uri }: Json) => `${prefix}${uri}`),
      found.slice(0, 10).map(({ uri }) => uri),
    )
    for (const { snippet } of records) assert.match(Object.values<string>(snippet).join(), /\*\*\S.*\*\*/)
  },
)

onEveryDatabase('each group shows its largest inner groups and its newest records', async (database) => {
  const { agent, reference } = await openOn(database)
  const { columns, rows } = await agent.call('aggregate', {
    collection: 'article',
    by: ['language'],
    filters: { language: ['en', 'fr'] },
    top: { by: 'source', limit: 2 },
    samples: 2,
  })
  assert.deepEqual(columns, ['language', 'count', 'top source', 'samples'])
  for (const [language, count, top, samples] of rows as Json[][]) {
    const where = { language: { eq: language } }
    const { groups } = reference.aggregate(article, { where, groupBy: ['source'], limit: 2 })
    const names = groups.map(({ keys: [uri] }) => reference.resolve(String(uri))?.value.displayName)
    assert.deepEqual(
      Object.entries(top),
      groups.map(({ members }, at) => [names[at], members.length]),
    )
    const sortBy = [{ field: 'publishedAt', direction: 'DESC' }] as const
    const newest = reference.list(article, { where, sortBy, first: 2 })
    assert.equal(count, newest.totalCount)
    assert.deepEqual(
      samples,
      newest.records.map(({ uri, value }) => ({ uri, title: value.title })),
    )
  }
})

onEveryDatabase('a series that says only when it begins ends today', async (database) => {
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
    assert.match(hint, /fill ends today, because there is no until\./)
  }
  const whole = await agent.call('aggregate', { ...asked, filters: { publishedAt: '2026-11-10' } })
  assert.equal(whole.rows.length, 1)
  assert.doesNotMatch(whole.hint ?? '', /fill ends/)
})
