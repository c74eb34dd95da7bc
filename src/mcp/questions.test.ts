/** Twelve questions of a journalist, each answered by few calls within few tokens, over the demo corpus. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parse } from 'graphql'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { closeCorpora } from '../../test/golden/corpora.ts'
import type { Json } from '../../test/reference/shapes.ts'
import type { PlainRecord } from '../../test/reference/dataset.ts'
import { wholeUris } from '../../test/support/service/agents.ts'
import { articleOf, articles, enrichments, open, reference } from '../../test/support/service/news-agent.ts'
import { budgets } from './words/budget.ts'

after(closeCorpora)

/** Calls of one conversation, with what they may take together. */
function conversation() {
  const agent = open()
  let [calls, tokens] = [0, 0]
  return async (name: keyof typeof budgets, args: Json): Promise<Json> => {
    const text = await agent.text(name, args)
    const size = countTokens(text)
    assert.ok(size <= budgets[name], `${name} has ${size} tokens`)
    calls += 1
    tokens += size
    assert.ok(calls <= 4 && tokens <= 6000, `${calls} calls, ${tokens} tokens`)
    parse((await agent.call(name, { ...args, cite: true })).query)
    return wholeUris(JSON.parse(text))
  }
}

function outlet(article: PlainRecord | undefined): string | null {
  return (article && reference.resolve(article.value.source.uri)?.value.displayName) ?? null
}

function analysed(enrichment: PlainRecord): PlainRecord | undefined {
  return articleOf.get(enrichment.value.article.uri)
}

function weekOf(instant: string): string {
  const day = new Date(instant)
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7))
  return day.toISOString().slice(0, 10)
}

function countBy<T>(records: readonly T[], keyOf: (record: T) => unknown): Map<string, T[]> {
  return Map.groupBy(records, (record) => JSON.stringify(keyOf(record)))
}

test('1. the share of negative coverage of a topic, by outlet and week', async () => {
  const call = conversation()
  const rows: Json[][] = []
  let after: string | undefined
  do {
    const answer = await call('aggregate', {
      collection: 'enrichment',
      by: ['article.source', 'article.publishedAt:week'],
      filters: { topics: 'climate' },
      share: { sentiment: 'negative' },
      limit: 100,
      ...(after !== undefined && { after }),
    })
    assert.deepEqual(answer.columns.slice(2), ['count', 'matching', 'share'])
    rows.push(...answer.rows)
    after = answer.after
  } while (after !== undefined)
  const about = enrichments.filter(({ value }) => value.topics?.includes('climate'))
  const expected = countBy(about, (enrichment) => {
    const article = analysed(enrichment)
    const published = article?.value.publishedAt
    return [outlet(article), published === undefined ? null : weekOf(published)]
  })
  assert.equal(rows.length, expected.size)
  for (const [name, week, count, matching, share] of rows) {
    const members = expected.get(JSON.stringify([name, week])) ?? []
    const negative = members.filter(({ value }) => value.sentiment === 'negative')
    assert.deepEqual([count, matching], [members.length, negative.length])
    assert.ok(Math.abs((share as unknown as number) - negative.length / members.length) < 0.001)
  }
})

test('2. the outlets that ran a story first, with their headlines', async () => {
  const call = conversation()
  const found = await call('search_records', {
    collection: 'enrichment',
    filters: { topics: 'climate' },
    fields: ['storyId', 'neutralHeadline'],
    limit: 1,
  })
  const { storyId } = found.records[0]
  const { records } = await call('search_records', {
    collection: 'article',
    filters: { 'enrichment.storyId': storyId },
    sort: 'publishedAt',
    fields: ['title', 'source', 'publishedAt'],
    limit: 5,
  })
  const told = enrichments.filter(({ value }) => value.storyId === storyId).map(analysed)
  const expected = [...new Set(told)]
    .filter((article) => article !== undefined)
    .toSorted((a, b) => Date.parse(a.value.publishedAt) - Date.parse(b.value.publishedAt))
  assert.deepEqual(
    records.map(({ title, source }: Json) => [title, source]),
    expected.slice(0, 5).map((article) => [article.value.title, outlet(article)]),
  )
})

test('3. everything of today with an impact of eight or more', async () => {
  const call = conversation()
  const { total, records } = await call('search_records', {
    collection: 'enrichment',
    filters: { impactLevel: { gte: 8 } },
    since: 'today',
    sort: '-impactLevel',
    fields: ['article', 'article.source', 'impactLevel'],
  })
  const expected = enrichments.filter(
    ({ value }) => value.impactLevel >= 8 && value.createdAt.startsWith('2026-11-15'),
  )
  assert.ok(expected.length > 0)
  assert.equal(total, expected.length)
  assert.deepEqual(new Set(records.map(({ uri }: Json) => uri)), new Set(expected.map(({ uri }) => uri)))
})

test('4. the outlets with the most clickbait, of at least twenty articles, and their worst headlines this month', async () => {
  const call = conversation()
  const { rows } = await call('aggregate', {
    collection: 'enrichment',
    by: ['article.source'],
    order: '-avg:clickbaitScore',
    min_count: 20,
    limit: 3,
  })
  const mean = (members: readonly PlainRecord[]) =>
    members.reduce((sum, { value }) => sum + value.clickbaitScore, 0) / members.length
  const groups = [...Map.groupBy(enrichments, (enrichment) => outlet(analysed(enrichment)))]
  const expected = groups
    .filter(([, members]) => members.length >= 20)
    .toSorted(([, a], [, b]) => mean(b) - mean(a))
  const shown = rows.map(([name, count, average]: Json[]) => [name, count, average])
  assert.deepEqual(
    shown,
    expected
      .slice(0, 3)
      .map(([name, members]) => [name, members.length, Math.round(mean(members) * 1000) / 1000]),
  )
  const worst = shown[0]?.[0]
  const { records } = await call('search_records', {
    collection: 'enrichment',
    filters: { 'article.source': worst, 'article.publishedAt': 'this month' },
    sort: '-clickbaitScore',
    fields: ['article', 'clickbaitScore'],
    limit: 5,
  })
  const scores = enrichments
    .filter((enrichment) => {
      const article = analysed(enrichment)
      return outlet(article) === worst && new Date(article?.value.publishedAt ?? 0) >= new Date('2026-11-01')
    })
    .map(({ value }) => value.clickbaitScore)
    .toSorted((a, b) => b - a)
  assert.deepEqual(
    records.map(({ clickbaitScore }: Json) => clickbaitScore),
    scores.slice(0, 5),
  )
})

test('5. the tone on a topic by the orientation of the outlets', async () => {
  const call = conversation()
  const answer = await call('aggregate', {
    collection: 'enrichment',
    by: ['article.source.politicalOrientation', 'emotionalTone'],
    filters: { topics: 'climate' },
    limit: 100,
  })
  const about = enrichments.filter(({ value }) => value.topics?.includes('climate'))
  const expected = countBy(about, (enrichment) => [
    reference.resolve(analysed(enrichment)?.value.source.uri ?? '')?.value.politicalOrientation ?? null,
    enrichment.value.emotionalTone ?? null,
  ])
  assert.equal(answer.groups, expected.size)
  assert.equal(answer.cut, undefined)
  for (const [orientation, tone, count] of answer.rows)
    assert.equal(count, expected.get(JSON.stringify([orientation, tone]))?.length)
})

test('6. headline, outlet and summary of the newest ten', async () => {
  const call = conversation()
  const { records } = await call('search_records', {
    collection: 'article',
    fields: ['title', 'source', 'enrichment.summary'],
  })
  const expected = articles
    .filter(({ value }) => value.publishedAt !== undefined)
    .toSorted((a, b) => Date.parse(b.value.publishedAt) - Date.parse(a.value.publishedAt))
    .slice(0, 10)
  assert.deepEqual(
    records.map(({ uri, title, source }: Json) => [uri, title, source]),
    expected.map((article) => [article.uri, article.value.title, outlet(article)]),
  )
  for (const record of records) {
    const summaries = enrichments
      .filter(({ value }) => value.article.uri === record.uri && value.summary !== undefined)
      .map(({ value }) => value.summary)
    assert.deepEqual(new Set(record['enrichment.summary'] ?? []), new Set(summaries))
  }
})

test('7. what happened in a field this week', async () => {
  const call = conversation()
  const filters = { category: 'environment' }
  const { count, rows } = await call('aggregate', {
    collection: 'enrichment',
    filters,
    since: 'this week',
    by: ['eventType'],
  })
  const expected = enrichments.filter(
    ({ value }) => value.category === 'environment' && new Date(value.createdAt) >= new Date('2026-11-09'),
  )
  assert.equal(count, expected.length)
  for (const [type, number] of rows)
    assert.equal(number, expected.filter(({ value }) => (value.eventType ?? null) === type).length)
  const { total } = await call('search_records', {
    collection: 'enrichment',
    filters,
    since: 'this week',
    sort: '-impactLevel',
    fields: ['article', 'article.source', 'summary', 'impactLevel'],
  })
  assert.equal(total, expected.length)
})

test('8. whether a claim is reported by at least three independent outlets', async () => {
  const call = conversation()
  const claim = 'Rescue teams reached every settlement'
  const { rows, columns } = await call('aggregate', {
    collection: 'enrichment',
    filters: { 'claims.text': claim, 'article.duplicateOf': null },
    measures: ['distinct:article.source'],
  })
  assert.deepEqual(columns, ['count', 'distinct:article.source'])
  const expected = enrichments.filter((enrichment) => {
    const claims = (enrichment.value.claims ?? []) as readonly Json[]
    const article = analysed(enrichment)
    return (
      claims.some(({ text }) => text.includes(claim)) && article && article.value.duplicateOf === undefined
    )
  })
  const outlets = new Set(expected.map((enrichment) => analysed(enrichment)?.value.source.uri))
  assert.ok(outlets.size >= 3)
  assert.deepEqual(rows, [[expected.length, outlets.size]])
})

test('9. the articles without any enrichment', async () => {
  const call = conversation()
  const { total } = await call('search_records', {
    collection: 'article',
    filters: { enrichment: 'none' },
    fields: ['title', 'source'],
  })
  const has = new Set(enrichments.map(({ value }) => value.article.uri))
  assert.equal(total, articles.filter(({ uri }) => !has.has(uri)).length)
})

test('10. the outlets that stopped publishing', async () => {
  const call = conversation()
  const { rows } = await call('aggregate', {
    collection: 'article',
    by: ['source'],
    order: 'max:publishedAt',
    limit: 5,
  })
  const newest = [...Map.groupBy(articles, outlet)]
    .map(([name, members]) => [
      name,
      Math.max(
        ...members.map(({ value }) => Date.parse(value.publishedAt)).filter((time) => !Number.isNaN(time)),
      ),
    ])
    .toSorted(([, a], [, b]) => Number(a) - Number(b))
  assert.deepEqual(
    rows.map(([name, , time]: Json[]) => [name, Date.parse(String(time))]),
    newest.slice(0, 5),
  )
})

test('11. the enrichments of an outdated version', async () => {
  const call = conversation()
  const { total, records } = await call('search_records', {
    collection: 'enrichment',
    filters: { 'article.isCurrent': false },
    fields: ['article'],
  })
  const expected = enrichments.filter((enrichment) => {
    const article = analysed(enrichment)
    return article !== undefined && article.cid !== enrichment.value.article.cid
  })
  assert.equal(total, expected.length)
  assert.deepEqual(new Set(records.map(({ uri }: Json) => uri)), new Set(expected.map(({ uri }) => uri)))
})

test('12. the articles by language, with a filter', async () => {
  const call = conversation()
  const { count, rows } = await call('aggregate', {
    collection: 'article',
    by: ['language'],
    filters: { 'source.mediaType': ['print-native', 'news-agency'], isAccessibleForFree: true },
  })
  const expected = articles.filter((article) => {
    const type = reference.resolve(article.value.source.uri)?.value.mediaType
    return ['print-native', 'news-agency'].includes(type) && article.value.isAccessibleForFree === true
  })
  assert.equal(count, expected.length)
  const groups = countBy(expected, ({ value }) => value.language ?? null)
  assert.deepEqual(
    new Map(rows.map(([language, number]: Json[]) => [JSON.stringify(language), number])),
    new Map([...groups].map(([language, members]) => [language, members.length])),
  )
})
