/** Twelve questions whose answers take several calls over the demo corpus and the records that are added to it. */
import assert from 'node:assert/strict'
import type { Json } from '../../reference/shapes.ts'
import { article, known } from '../news.ts'
import type { Question } from './question.ts'

const articles = { collection: 'article' }
const enrichments = { collection: 'enrichment' }

export const twelve: readonly Question[] = [
  {
    asks: 'Which share of the coverage of climate is negative, per outlet and week, since 26 October?',
    plan: async (call) => {
      await call('describe', enrichments)
      const { values } = await call('describe', { ...enrichments, field: 'topics' })
      assert.ok(values.climate > 0)
      const { rows } = await call('aggregate', {
        ...enrichments,
        by: ['article.source', 'article.publishedAt:week'],
        filters: { topics: 'climate', 'article.publishedAt': { gte: '2026-10-26' } },
        share: { sentiment: 'negative' },
        limit: 100,
      })
      assert.ok(rows.length > 15)
    },
  },
  {
    asks: 'Which outlets of at least 20 articles bait the most this month, and which are their worst headlines?',
    plan: async (call) => {
      await call('describe', enrichments)
      const { rows } = await call('aggregate', {
        ...enrichments,
        by: ['article.source'],
        measures: ['avg:clickbaitScore', 'distinct:article'],
        filters: { 'article.publishedAt': '2026-11' },
        min_count: 20,
        order: '-avg:clickbaitScore',
      })
      const loudest = rows.filter((row: Json) => row[3] >= 20).map(([name]: Json) => name)
      assert.ok(loudest.length >= 3)
      await call('search_records', {
        ...enrichments,
        filters: { 'article.source': loudest.slice(0, 2), 'article.publishedAt': '2026-11' },
        sort: '-clickbaitScore',
        fields: ['article.title', 'article.source', 'clickbaitScore'],
      })
    },
  },
  {
    asks: 'How does the tone of coverage of elections differ by the orientation of the outlets?',
    plan: async (call) => {
      await call('describe', enrichments)
      const [orientation, filters] = ['article.source.politicalOrientation', { topics: 'election' }]
      const asked = { ...enrichments, filters, limit: 100 }
      const { rows } = await call('aggregate', {
        ...asked,
        by: [orientation],
        measures: ['avg:sentimentScore'],
      })
      assert.ok(rows.length >= 6)
      await call('aggregate', { ...asked, by: [orientation, 'emotionalTone'], order: 'key' })
    },
  },
  {
    asks: 'What happened in politics in the week from 9 November?',
    plan: async (call) => {
      const { values } = await call('describe', { ...enrichments, field: 'category' })
      const category = known(Object.keys(values).find((value) => value.startsWith('politics')))
      const week = { ...enrichments, filters: { category }, since: '2026-11-09', until: '2026-11-15' }
      const { rows } = await call('aggregate', { ...week, by: ['eventType'] })
      assert.ok(rows.length >= 4)
      const fields = ['impactLevel', 'neutralHeadline', 'article.source']
      await call('search_records', { ...week, sort: '-impactLevel', fields, limit: 12 })
    },
  },
  {
    asks: 'Which outlets have stopped publishing: nothing since the beginning of November?',
    plan: async (call) => {
      const newest = ['max:publishedAt']
      const asked = { by: ['source'], measures: newest, order: newest[0], limit: 10 }
      const { rows } = await call('aggregate', { ...articles, ...asked })
      const silent = rows.filter(([, , time]: Json) => time < '2026-11-01')
      assert.ok(silent.length > 2 && silent.length < 10)
      await call('search_records', {
        collection: 'source',
        filters: { active: false },
        fields: ['displayName'],
      })
    },
  },
  {
    asks: 'How many articles of news agencies are there in each language?',
    plan: async (call) => {
      const { values } = await call('describe', { collection: 'source' })
      assert.ok(values.mediaType['news-agency'] > 0)
      const filters = { 'source.mediaType': 'news-agency' }
      await call('aggregate', { ...articles, by: ['language'], filters })
    },
  },
  {
    asks: 'Which outlets ran the largest stories of November first, and with which headlines?',
    plan: async (call, { reference }) => {
      await call('describe', enrichments)
      const { rows } = await call('aggregate', {
        ...enrichments,
        by: ['storyId'],
        measures: ['distinct:article.source'],
        order: '-distinct:article.source',
        filters: { storyId: { ne: null } },
        since: '2026-11-01',
        limit: 3,
      })
      const stories: string[] = rows.map(([story]: Json) => story)
      const { records, cut } = await call('search_records', {
        ...articles,
        filters: { 'enrichment.storyId': stories },
        sort: 'publishedAt',
        fields: ['title', 'source', 'publishedAt', 'enrichment.storyId'],
        limit: 30,
      })
      assert.equal(cut, undefined)
      for (const story of stories) {
        const told = records.find((record: Json) => record['enrichment.storyId'].includes(story))
        const some = { storyId: { eq: story } }
        const where = { techServiceNewsEnrichmentViaArticle: { some }, publishedAt: { isNull: false } }
        assert.equal(
          told.uri,
          reference.sorted(article, { where, sortBy: [{ field: 'publishedAt' }] })[0]?.uri,
        )
      }
    },
  },
  {
    asks: 'What of the last day has an impact of 8 or more?',
    plan: async (call) => {
      await call('describe', articles)
      const { total } = await call('search_records', {
        ...articles,
        filters: { 'enrichment.impactLevel': { gte: 8 } },
        since: 'last 24 hours',
        until: 'now',
        fields: ['title', 'source', 'enrichment.impactLevel'],
      })
      assert.ok(total >= 2)
    },
  },
  {
    asks: 'What are headline, outlet and summary of the newest ten articles?',
    plan: (call) =>
      call('search_records', { ...articles, fields: ['title', 'source', 'enrichment.summary'], limit: 10 }),
  },
  {
    asks: 'Do at least three independent outlets report that the bridge stays closed until spring?',
    plan: async (call) => {
      await call('describe', enrichments)
      const claim = 'bridge stays closed until spring'
      const filters = { 'claims.text': claim, 'article.duplicateOf': null }
      const { rows, count } = await call('aggregate', { ...enrichments, by: ['article.source'], filters })
      assert.ok(rows.length >= 3)
      const { records } = await call('search_records', {
        ...articles,
        filters: { 'enrichment.claims.text': claim },
        sort: 'publishedAt',
        fields: ['title', 'source', 'publishedAt', 'duplicateOf'],
      })
      assert.ok(count < records.length)
      assert.ok(records.some(({ duplicateOf }: Json) => duplicateOf !== undefined))
    },
  },
  {
    asks: 'Which articles have no enrichment at all?',
    plan: async (call) => {
      const given = { ...articles, filters: { enrichment: 'none' }, fields: ['title', 'source'], limit: 25 }
      const { after, total } = await call('search_records', given)
      assert.ok(total > 50)
      await call('search_records', { ...given, after })
    },
  },
  {
    asks: 'Which enrichments are outdated: of an older version of a model, or of an article that has changed since?',
    plan: async (call) => {
      const { filter } = await call('describe', { ...enrichments, field: 'article' })
      assert.match(filter, /"article\.isCurrent": false/)
      const versions = { by: ['model', 'modelVersion'], measures: ['max:createdAt'], order: 'key' }
      const { rows } = await call('aggregate', { ...enrichments, ...versions })
      assert.equal(rows.length, 3)
      const older = { model: 'halcyon/press-reader', modelVersion: { ne: '2.1' } }
      const fields = ['article.title', 'modelVersion', 'createdAt']
      await call('search_records', { ...enrichments, filters: older, fields })
      const changed = { filters: { 'article.isCurrent': false }, fields: ['article.title', 'createdAt'] }
      const { total } = await call('search_records', { ...enrichments, ...changed })
      assert.equal(total, 1)
    },
  },
]
