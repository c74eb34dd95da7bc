/** Pages of pairs, samples and series of the tool `aggregate`, compared with the reference evaluator, and what it refuses. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { openOn } from '../../test/support/service/news-agent.ts'
import { closeCorpora } from '../../test/golden/corpora.ts'
import type { Json } from '../../test/reference/shapes.ts'
import { onEveryDatabase } from '../../test/support/store/databases.ts'

after(closeCorpora)

const article = 'tech.service.news.article'
const enrichment = 'tech.service.news.enrichment'

onEveryDatabase('the same list twice gives the pairs of its values, page by page', async (database) => {
  const { agent, reference } = await openOn(database)
  const counts = new Map<string, number>()
  for (const { collection, value } of reference.records) {
    const topics: string[] = [...new Set<string>(collection === enrichment ? (value.topics ?? []) : [])]
    for (const one of topics)
      for (const other of topics)
        if (one < other) counts.set(`${one} ${other}`, (counts.get(`${one} ${other}`) ?? 0) + 1)
  }
  const asked = { collection: 'enrichment', by: ['topics', 'topics'] }
  const first = await agent.call('aggregate', { ...asked, limit: 5 })
  const second = await agent.call('aggregate', { ...asked, limit: 5, after: first.after })
  assert.deepEqual(first.columns, ['topics', 'topics', 'count'])
  const rows: Json[][] = [...first.rows, ...second.rows]
  assert.equal(new Set(rows.map(([one, other]) => `${one} ${other}`)).size, rows.length)
  for (const [one, other, count] of rows)
    assert.equal(count, counts.get(`${one} ${other}`), `${one} ${other}`)
  assert.deepEqual(
    rows.map(([, , count]) => count),
    [...counts.values()].toSorted((a, b) => b - a).slice(0, rows.length),
  )
})

onEveryDatabase('pairs refuse what only groups have', async (database) => {
  const { agent } = await openOn(database)
  await assert.rejects(
    agent.call('aggregate', {
      collection: 'enrichment',
      by: ['topics', 'topics'],
      measures: ['avg:impactLevel'],
    }),
    /Pairs have counts alone: leave measures out, or name "topics" in by once\./,
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

onEveryDatabase(
  'what is wrong with top, samples, measures and zones is said in the words of the tool',
  async (database) => {
    const { agent } = await openOn(database)
    const refused = (args: Json, message: RegExp) =>
      assert.rejects(agent.call('aggregate', { collection: 'article', ...args }), message)
    await refused({ top: { by: 'source' } }, /top and samples are of groups: name their paths in by\./)
    await refused(
      { by: ['language'], top: {} },
      /top takes an object such as \{"by": "language", "limit": 3\}/,
    )
    await refused(
      { by: ['language'], top: { by: 'languag' } },
      /article has no field "languag"\. Did you mean "language"\?/,
    )
    await refused({ measures: ['p101:wordCount'] }, /"p101:wordCount" is not a measure\./)
    await refused({ by: ['publishedAt:day'], time_zone: 'Europe/Berln' }, /Europe\/Berlin/)
  },
)

onEveryDatabase('a series has the times without records and the changes of its counts', async (database) => {
  const { agent, reference } = await openOn(database)
  const { columns, rows } = await agent.call('aggregate', {
    collection: 'article',
    by: ['publishedAt:day'],
    filters: { language: 'ja' },
    since: '2026-11-01',
    until: '2026-11-07',
    fill: true,
    change: true,
  })
  const days = Array.from({ length: 7 }, (_, index) => `2026-11-0${index + 1}`)
  const dayOf = (text: string) => new Date(text).toISOString().slice(0, 10)
  const japanese = reference.records.filter(
    ({ collection, value }) => collection === article && value.language === 'ja' && 'publishedAt' in value,
  )
  const counts = days.map((day) => japanese.filter(({ value }) => dayOf(value.publishedAt) === day).length)
  assert.ok(counts.includes(0))
  assert.deepEqual(columns, ['publishedAt:day', 'count', 'change'])
  assert.deepEqual(
    rows,
    days.map((day, at) => [day, counts[at], at === 0 ? null : Number(counts[at]) - Number(counts[at - 1])]),
  )
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

onEveryDatabase('series and ranges of what has none are refused', async (database) => {
  const { agent } = await openOn(database)
  const refused = (collection: string, given: object, says: RegExp) =>
    assert.rejects(agent.call('aggregate', { collection, ...given }), says)
  await refused('article', { fill: true }, /fill is for one time in by, such as \["publishedAt:day"\]/)
  await refused('article', { by: ['language'], change: true }, /change is for one time in by/)
  await refused('article', { by: ['publishedAt:weekday'], fill: true }, /fill is for one time in by/)
  const day = { by: ['publishedAt:day'] }
  await refused(
    'article',
    { ...day, change: true, unusual: {}, filters: { language: 'fr' } },
    /exclude each other/,
  )
  await refused('article', { ...day, fill: true }, /fill needs a time to begin with: add since, such as/)
  await refused('article', { ...day, fill: true, until: '2026-11' }, /fill needs a time to begin with/)
  await refused('article', { by: ['language:5'] }, /only integers have ranges/)
  await refused('article', { by: ['publishedAt:5'] }, /only integers have ranges|:hour/)
  await refused('enrichment', { by: ['clickbaitScore:5', 'impactLevel'] }, /ranges of one size/)
  await refused('enrichment', { by: ['clickbaitScore:0'] }, /interval/)
})
