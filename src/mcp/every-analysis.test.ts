/** Every kind of analysis is one call of a tool: a table of calls, compared with the reference evaluator. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { openOn } from '../../test/support/service/news-agent.ts'
import { closeCorpora } from '../../test/golden/corpora.ts'
import * as tables from '../../test/mcp/tables.ts'
import type { Json } from '../../test/reference/shapes.ts'
import { onEveryDatabase } from '../../test/support/store/databases.ts'

after(closeCorpora)

const article = 'tech.service.news.article'
const enrichment = 'tech.service.news.enrichment'
const negative = { sentiment: { eq: 'negative' } }

interface Analysis {
  readonly of: string
  readonly args: Json
  readonly given: tables.GroupedArguments
  /** The columns after the count. */
  readonly measures?: Readonly<Record<string, tables.Measure>>
}

const byKey = { orderBy: 'KEY_ASC' } as const
const analyses: readonly Analysis[] = [
  {
    of: 'shares',
    args: { collection: 'enrichment', by: ['category'], share: { sentiment: 'negative' } },
    given: { groupBy: ['category'] },
    measures: { matching: tables.matching(negative), share: tables.share(negative) },
  },
  {
    of: 'medians, percentiles and deviations',
    args: {
      collection: 'enrichment',
      by: ['category'],
      measures: ['median:impactLevel', 'p90:clickbaitScore', 'stddev:sentimentScore'],
      order: '-p90:clickbaitScore',
    },
    given: {
      groupBy: ['category'],
      rankBy: { measure: 'PERCENTILE', field: 'clickbaitScore', p: 0.9, direction: 'DESC' },
    },
    measures: {
      'median:impactLevel': tables.median('impactLevel'),
      'p90:clickbaitScore': tables.percentile('clickbaitScore', 0.9),
      'stddev:sentimentScore': tables.deviation('sentimentScore'),
    },
  },
  {
    of: 'the top of each group',
    args: { collection: 'article', by: ['articleType'], top: { by: 'language', limit: 2 } },
    given: { groupBy: ['articleType'] },
    measures: {
      'top language': ([one], judge) => {
        const type = one?.value.articleType
        const where = { articleType: type === undefined ? { isNull: true } : { eq: type } }
        const inner = tables.rowsOf(judge, article, { where, groupBy: ['language'], limit: 2 })
        return Object.fromEntries(inner.map(([language, count]) => [language ?? '(missing)', count]))
      },
    },
  },
  {
    of: 'hours of the day',
    args: { collection: 'article', by: ['publishedAt:hourOfDay'] },
    given: { groupBy: ['publishedAt_hourOfDay'], ...byKey },
  },
  {
    of: 'weekdays in a time zone',
    args: { collection: 'article', by: ['publishedAt:weekday'], time_zone: 'America/New_York' },
    given: { groupBy: ['publishedAt_weekday'], timeZone: 'America/New_York', ...byKey },
  },
  {
    of: 'weeks in a time zone',
    args: { collection: 'article', by: ['publishedAt:week'], time_zone: 'Asia/Kathmandu' },
    given: { groupBy: ['publishedAt_week'], timeZone: 'Asia/Kathmandu', ...byKey },
  },
  {
    of: 'elements inside lists, such as entities',
    args: { collection: 'enrichment', by: ['entities.name'], filters: { 'entities.type': 'person' } },
    given: { where: { entities: { some: { type: { eq: 'person' } } } }, groupBy: ['entities_name'] },
  },
  {
    of: 'ranges of integers',
    args: { collection: 'enrichment', by: ['clickbaitScore:5', 'language'], order: 'key' },
    given: { groupBy: ['clickbaitScore', 'language'], interval: 5, ...byKey },
  },
]

for (const { of, args, given, measures = {} } of analyses)
  onEveryDatabase(`one call of aggregate gives ${of}`, async (database) => {
    const { agent, reference } = await openOn(database)
    const answer = await agent.call('aggregate', { ...args, limit: 60, max_tokens: 10_000 })
    const nsid = args.collection === 'article' ? article : enrichment
    const rows = tables.rowsOf({ reference }, nsid, { limit: 500, ...given }, Object.values(measures))
    assert.deepEqual(answer.columns, [...args.by, 'count', ...Object.keys(measures)])
    assert.ok(answer.rows.length > 3)
    assert.deepEqual(answer.rows, rows.slice(0, 60))
  })

onEveryDatabase('one call of aggregate gives changes from week to week', async (database) => {
  const { agent, reference } = await openOn(database)
  const filters = { publishedAt: { ne: null } }
  const args = { collection: 'article', by: ['publishedAt:week'], filters, change: true, limit: 60 }
  const given = {
    where: { publishedAt: { isNull: false } },
    groupBy: ['publishedAt_week'],
    limit: 60,
    ...byKey,
  }
  const rows = tables.rowsOf({ reference }, article, given)
  const changes = rows.map(([, count], at) => (at === 0 ? null : Number(count) - Number(rows[at - 1]?.[1])))
  assert.deepEqual(
    (await agent.call('aggregate', args)).rows,
    rows.map((row, at) => [...row, changes[at]]),
  )
})

onEveryDatabase('one call of aggregate gives pairs under a condition', async (database) => {
  const { agent, reference } = await openOn(database)
  const asked = { collection: 'enrichment', by: ['topics', 'topics'], filters: { sentiment: 'negative' } }
  const { members } = reference.aggregate(enrichment, { where: negative })
  const pairs = reference.pairs(enrichment, members, { field: 'topics', limit: 60 })
  const { columns, rows } = await agent.call('aggregate', { ...asked, limit: 60, max_tokens: 10_000 })
  assert.deepEqual(columns, ['topics', 'topics', 'count'])
  assert.deepEqual(
    rows,
    pairs.map(({ values, count }) => [...values, count]),
  )
})

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
