/** Questions that are answered by records: which they are, in which order, and what stands in them. */
import assert from 'node:assert/strict'
import type { Json } from '../reference/shapes.ts'
import { article, assertSameRows, enrichment, known, type Question, urisOf } from './news.ts'
import { rowsOf } from './tables.ts'

export const questionsOfRecords: readonly Question[] = [
  {
    asks: 'Which outlets ran the largest stories of November first, and with which headlines?',
    async answer({ call }, news) {
      await call('describe', { collection: 'enrichment' })
      const largest = await call('aggregate', {
        collection: 'enrichment',
        by: ['storyId'],
        measures: ['distinct:article.source'],
        order: '-distinct:article.source',
        filters: { storyId: { ne: null } },
        since: '2026-11-01',
        limit: 3,
      })
      const stories: string[] = largest.rows.map(([story]: Json) => story)
      const { groups } = news.reference.aggregate(enrichment, {
        where: { createdAt: { gte: '2026-11-01T00:00:00Z' }, storyId: { isNull: false } },
        groupBy: ['storyId'],
        rankBy: { measure: 'COUNT_DISTINCT', field: 'article_source', direction: 'DESC' },
        limit: 3,
      })
      assert.deepEqual(
        stories,
        groups.map(({ keys }) => keys[0]),
      )
      const { records, cut } = await call('search_records', {
        collection: 'article',
        filters: { 'enrichment.storyId': stories },
        sort: 'publishedAt',
        fields: ['title', 'source', 'publishedAt', 'enrichment.storyId'],
        limit: 30,
      })
      assert.equal(cut, undefined)
      for (const story of stories) {
        const [first] = news.reference.sorted(article, {
          where: {
            techServiceNewsEnrichmentViaArticle: { some: { storyId: { eq: story } } },
            publishedAt: { isNull: false },
          },
          sortBy: [{ field: 'publishedAt' }],
        })
        const told = records.find(
          (record: Json) => record.publishedAt !== undefined && record['enrichment.storyId'].includes(story),
        )
        const expected = known(first)
        assert.equal(told.uri, expected.uri)
        assert.equal(told.title, expected.value.title)
        assert.equal(told.source, news.outletOf(expected))
      }
    },
  },
  {
    asks: 'What of the last day has an impact of 8 or more?',
    async answer({ call }, news) {
      await call('describe', { collection: 'article' })
      const { total, records } = await call('search_records', {
        collection: 'article',
        filters: { 'enrichment.impactLevel': { gte: 8 } },
        since: 'last 24 hours',
        until: 'now',
        fields: ['title', 'source', 'enrichment.impactLevel'],
      })
      const until = news.now.toISOString()
      const since = new Date(news.now.getTime() - 86_400_000).toISOString()
      const expected = news.reference.sorted(article, {
        where: {
          techServiceNewsEnrichmentViaArticle: { some: { impactLevel: { gte: 8 } } },
          publishedAt: { gte: since, lte: until },
        },
        sortBy: [{ field: 'publishedAt', direction: 'DESC' }],
      })
      assert.ok(expected.length >= 2)
      assert.equal(total, expected.length)
      assert.deepEqual(urisOf(records), urisOf(expected))
      for (const [at, record] of expected.entries()) {
        const levels = news.analysesOf(record).map(({ value }) => value.impactLevel)
        assert.deepEqual(records[at]['enrichment.impactLevel'].toSorted(), levels.toSorted())
      }
    },
  },
  {
    asks: 'What are headline, outlet and summary of the newest ten articles?',
    async answer({ call }, news) {
      const { total, records } = await call('search_records', {
        collection: 'article',
        fields: ['title', 'source', 'enrichment.summary'],
        limit: 10,
      })
      const newest = news.reference.sorted(article, {
        sortBy: [{ field: 'publishedAt', direction: 'DESC' }],
      })
      assert.equal(total, newest.length)
      assert.equal(records.length, 10)
      for (const [at, told] of records.entries()) {
        const record = known(newest[at])
        assert.equal(told.uri, record.uri)
        assert.equal(told.title, record.value.title)
        assert.equal(told.source, news.outletOf(record))
        const summaries = news.analysesOf(record).flatMap(({ value }): string[] => value.summary ?? [])
        assert.deepEqual((told['enrichment.summary'] ?? []).toSorted(), summaries.toSorted())
      }
    },
  },
  {
    asks: 'Do at least three independent outlets report that the bridge stays closed until spring?',
    async answer({ call }, news) {
      await call('describe', { collection: 'enrichment' })
      const { rows } = await call('aggregate', {
        collection: 'enrichment',
        by: ['article.source'],
        filters: { 'claims.text': 'bridge stays closed until spring', 'article.duplicateOf': null },
      })
      const claiming = news.reference.records.filter(
        ({ collection, value }) =>
          collection === enrichment &&
          value.claims?.some(({ text }: Json) => text.includes('bridge stays closed until spring')),
      )
      const own = claiming.filter((record) => news.articleOf(record).value.duplicateOf === undefined)
      assert.ok(own.length < claiming.length)
      const outlets = [...new Set(own.map(news.outletOf))]
      assert.ok(outlets.length >= 3)
      assert.deepEqual(rows.map(([outlet]: Json) => outlet).toSorted(), outlets.toSorted())

      const { records } = await call('search_records', {
        collection: 'article',
        filters: { 'enrichment.claims.text': 'bridge stays closed until spring' },
        sort: 'publishedAt',
        fields: ['title', 'source', 'publishedAt', 'duplicateOf'],
      })
      const articles = claiming
        .map(news.articleOf)
        .toSorted((a, b) => a.value.publishedAt.localeCompare(b.value.publishedAt))
      assert.deepEqual(urisOf(records), urisOf(articles))
      const copied = known(articles.find(({ value }) => value.duplicateOf !== undefined))
      const original = known(news.reference.resolve(copied.value.duplicateOf))
      assert.equal(records[articles.indexOf(copied)].duplicateOf, original.value.title)
    },
  },
  {
    asks: 'Which articles have no enrichment at all?',
    async answer({ call }, news) {
      const given = {
        collection: 'article',
        filters: { enrichment: 'none' },
        fields: ['title', 'source'],
        limit: 25,
      }
      const first = await call('search_records', given)
      const second = await call('search_records', { ...given, after: first.after })
      const expected = news.reference.sorted(article, {
        where: { techServiceNewsEnrichmentViaArticle: { none: {} } },
        sortBy: [{ field: 'publishedAt', direction: 'DESC' }],
      })
      assert.ok(expected.every((record) => news.analysesOf(record).length === 0))
      assert.ok(expected.length > 50)
      assert.equal(first.total, expected.length)
      const told = [...first.records, ...second.records]
      assert.ok(told.length >= 40)
      assert.deepEqual(urisOf(told), urisOf(expected.slice(0, told.length)))
    },
  },
  {
    asks: 'Which enrichments are outdated: of an older version of a model, or of an article that has changed since?',
    async answer({ call }, news) {
      const { filter } = await call('describe', { collection: 'enrichment', field: 'article' })
      assert.match(filter, /"article\.isCurrent": false/)
      const versions = await call('aggregate', {
        collection: 'enrichment',
        by: ['model', 'modelVersion'],
        measures: ['max:createdAt'],
        order: 'key',
      })
      const groups = rowsOf(news, enrichment, { groupBy: ['model', 'modelVersion'] })
      assert.equal(groups.length, 3)
      assertSameRows(
        versions.rows.map((row: Json) => row.slice(0, 3)),
        groups,
      )
      const older = await call('search_records', {
        collection: 'enrichment',
        filters: { model: 'halcyon/press-reader', modelVersion: { ne: '2.1' } },
        fields: ['article.title', 'modelVersion', 'createdAt'],
      })
      const changed = await call('search_records', {
        collection: 'enrichment',
        filters: { 'article.isCurrent': false },
        fields: ['article.title', 'createdAt'],
      })
      const all = news.reference.sorted(enrichment, {
        sortBy: [{ field: 'createdAt', direction: 'DESC' }],
      })
      const stale = all.filter(({ value }) => news.reference.isCurrent(value.article) === false)
      assert.equal(stale.length, 1)
      assert.deepEqual(urisOf(changed.records), urisOf(stale))
      const old = all.filter(
        ({ value }) => value.model === 'halcyon/press-reader' && value.modelVersion !== '2.1',
      )
      assert.deepEqual(urisOf(older.records), urisOf(old))
    },
  },
]
