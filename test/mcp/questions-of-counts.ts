/** Questions that are answered by counting and measuring: how much, how often, how loud. */
import assert from 'node:assert/strict'
import { parseInstant } from '../reference/values.ts'
import type { Json } from '../reference/shapes.ts'
import { article, assertSameRows, enrichment, known, type Question, source } from './news.ts'
import { average, matching, type Measure, rowsOf, share } from './tables.ts'

export const questionsOfCounts: readonly Question[] = [
  {
    asks: 'Which share of the coverage of climate is negative, per outlet and week, since 26 October?',
    async answer({ call }, news) {
      await call('describe', { collection: 'enrichment' })
      const { values } = await call('describe', { collection: 'enrichment', field: 'topics' })
      assert.ok(values.climate > 0)
      const { rows, cut } = await call('aggregate', {
        collection: 'enrichment',
        by: ['article.source', 'article.publishedAt:week'],
        filters: { topics: 'climate', 'article.publishedAt': { gte: '2026-10-26' } },
        share: { sentiment: 'negative' },
        limit: 100,
      })
      assert.equal(cut, undefined)
      const where = { topics: { has: 'climate' }, article: { publishedAt: { gte: '2026-10-26T00:00:00Z' } } }
      const groupBy = ['article_source', 'article_publishedAt_week']
      const negative = { sentiment: { eq: 'negative' } }
      const given = { where, groupBy, limit: 1_000 }
      const expected = rowsOf(news, enrichment, given, [matching(negative), share(negative)])
      assert.ok(expected.length > 15)
      assertSameRows(rows, expected)
    },
  },
  {
    asks: 'Which outlets of at least 20 articles bait the most this month, and which are their worst headlines?',
    async answer({ call }, news) {
      await call('describe', { collection: 'enrichment' })
      const { rows } = await call('aggregate', {
        collection: 'enrichment',
        by: ['article.source'],
        measures: ['avg:clickbaitScore', 'distinct:article'],
        filters: { 'article.publishedAt': '2026-11' },
        min_count: 20,
        order: '-avg:clickbaitScore',
      })
      const month = { article: { publishedAt: { gte: '2026-11-01T00:00:00Z', lt: '2026-12-01T00:00:00Z' } } }
      const given = { where: month, groupBy: ['article_source'], limit: 1_000 }
      const articles: Measure = (members) => new Set(members.map(({ value }) => value.article.uri)).size
      const expected = rowsOf(news, enrichment, given, [average('clickbaitScore'), articles])
        .filter((row) => Number(row[3]) >= 20)
        .toSorted((a, b) => Number(b[2]) - Number(a[2]))
      const loudest = rows.filter((row: Json) => row[3] >= 20)
      assert.ok(expected.length >= 3)
      assert.deepEqual(loudest, expected)

      const names = loudest.slice(0, 2).map(([name]: Json) => name)
      const { records } = await call('search_records', {
        collection: 'enrichment',
        filters: { 'article.source': names, 'article.publishedAt': '2026-11' },
        sort: '-clickbaitScore',
        fields: ['article.title', 'article.source', 'clickbaitScore'],
      })
      const worst = news.reference.sorted(enrichment, {
        where: { article: { ...month.article, source: { displayName: { in: names } } } },
        sortBy: [{ field: 'clickbaitScore', direction: 'DESC' }],
      })
      assert.deepEqual(
        records,
        worst.slice(0, 10).map((record) => ({
          uri: record.uri,
          'article.title': news.articleOf(record).value.title,
          'article.source': news.outletOf(record),
          clickbaitScore: record.value.clickbaitScore,
        })),
      )
    },
  },
  {
    asks: 'How does the tone of coverage of elections differ by the orientation of the outlets?',
    async answer({ call }, news) {
      await call('describe', { collection: 'enrichment' })
      const moods = await call('aggregate', {
        collection: 'enrichment',
        by: ['article.source.politicalOrientation'],
        measures: ['avg:sentimentScore'],
        filters: { topics: 'election' },
      })
      const tones = await call('aggregate', {
        collection: 'enrichment',
        by: ['article.source.politicalOrientation', 'emotionalTone'],
        filters: { topics: 'election' },
        order: 'key',
        limit: 100,
      })
      const where = { topics: { has: 'election' } }
      const orientation = 'article_source_politicalOrientation'
      const mean = [average('sentimentScore')]
      const groups = rowsOf(news, enrichment, { where, groupBy: [orientation], limit: 100 }, mean)
      assert.ok(groups.length >= 6)
      assertSameRows(moods.rows, groups)
      const given = { where, groupBy: [orientation, 'emotionalTone'], limit: 100 }
      assertSameRows(tones.rows, rowsOf(news, enrichment, given))
    },
  },
  {
    asks: 'What happened in politics in the week from 9 November?',
    async answer({ call }, news) {
      const { values } = await call('describe', { collection: 'enrichment', field: 'category' })
      const category = known(Object.keys(values).find((value) => value.startsWith('politics')))
      const week = { since: '2026-11-09', until: '2026-11-15' }
      const events = await call('aggregate', {
        collection: 'enrichment',
        by: ['eventType'],
        filters: { category },
        ...week,
      })
      const where = {
        category: { eq: category },
        createdAt: { gte: '2026-11-09T00:00:00Z', lt: '2026-11-16T00:00:00Z' },
      }
      const groups = rowsOf(news, enrichment, { where, groupBy: ['eventType'], limit: 100 })
      assert.ok(groups.length >= 4)
      assertSameRows(events.rows, groups)
      const { total, records } = await call('search_records', {
        collection: 'enrichment',
        filters: { category },
        ...week,
        sort: '-impactLevel',
        fields: ['impactLevel', 'neutralHeadline', 'article.source'],
        limit: 12,
      })
      const weightiest = news.reference.sorted(enrichment, {
        where,
        sortBy: [{ field: 'impactLevel', direction: 'DESC' }],
      })
      assert.equal(total, weightiest.length)
      assert.deepEqual(
        records,
        weightiest.slice(0, 12).map((record) => ({
          uri: record.uri,
          impactLevel: record.value.impactLevel,
          neutralHeadline: record.value.neutralHeadline,
          'article.source': news.outletOf(record),
        })),
      )
    },
  },
  {
    asks: 'Which outlets have stopped publishing: nothing since the beginning of November?',
    async answer({ call }, news) {
      const { rows } = await call('aggregate', {
        collection: 'article',
        by: ['source'],
        measures: ['max:publishedAt'],
        order: 'max:publishedAt',
        limit: 10,
      })
      const november = parseInstant('2026-11-01T00:00:00Z')
      const newestOf: Measure = (members) => news.reference.extreme(members, 'publishedAt', 'MAX')
      const expected = rowsOf(news, article, { groupBy: ['source'], limit: 1_000 }, [newestOf])
        .filter(([, , newest]) => (newest as bigint) < november)
        .toSorted(([, , a], [, , b]) => ((a as bigint) < (b as bigint) ? -1 : 1))
      assert.ok(expected.length > 2 && expected.length < 10)
      assert.deepEqual(
        rows
          .map(([name, count, newest]: Json) => [name, count, parseInstant(newest)])
          .filter(([, , newest]: Json) => newest < november),
        expected,
      )

      const { records } = await call('search_records', { collection: 'source', filters: { active: false } })
      const inactive = news.reference.sorted(source, { where: { active: { eq: false } } })
      assert.deepEqual(
        records.map(({ displayName }: Json) => displayName),
        inactive.map(({ value }) => value.displayName),
      )
    },
  },
  {
    asks: 'How many articles of news agencies are there in each language?',
    async answer({ call }, news) {
      const { values } = await call('describe', { collection: 'source' })
      assert.ok(values.mediaType['news-agency'] > 0)
      const { count, rows } = await call('aggregate', {
        collection: 'article',
        by: ['language'],
        filters: { 'source.mediaType': 'news-agency' },
      })
      const where = { source: { mediaType: { eq: 'news-agency' } } }
      assert.equal(count, news.reference.count(article, where))
      assertSameRows(rows, rowsOf(news, article, { where, groupBy: ['language'], limit: 100 }))
    },
  },
]
