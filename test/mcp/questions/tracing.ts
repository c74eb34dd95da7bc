/** Fifteen questions that take several steps, each of which begins with what the one before found. */
import assert from 'node:assert/strict'
import type { PlainRecord } from '../../reference/dataset.ts'
import type { Json } from '../../reference/shapes.ts'
import { readPages } from '../../support/service/agents.ts'
import { article, known, type News } from '../news.ts'
import { aggregate, type Question } from './question.ts'

const articles = { collection: 'article' }
const enrichments = { collection: 'enrichment' }

export const tracing: readonly Question[] = [
  {
    asks: 'Who published this article, from where, and how was it analysed?',
    plan: async (call, news) => {
      const record = twiceAnalysed(news)
      const { references, referredToBy } = await call('get_record', { uri: record.uri })
      assert.equal(references.source.displayName, news.outletOf(record))
      assert.deepEqual(
        scoresOf(referredToBy.enrichment.newest),
        scoresOf(news.analysesOf(record).map(valueOf)),
      )
    },
  },
  {
    asks: 'How far apart are the two analyses of this article?',
    plan: (call, news) => {
      const filters = { article: twiceAnalysed(news).uri }
      return call('search_records', { ...enrichments, filters, fields: ['model', 'sentimentScore'] })
    },
  },
  {
    asks: 'Which dated article was the first to mention Brexit, and what was the last?',
    plan: async (call) => {
      const fields = ['title', 'publishedAt', 'source']
      const args = { search: 'brexit', filters: { publishedAt: { ne: null } }, fields, limit: 1 }
      for (const sort of ['publishedAt', '-publishedAt'])
        await call('search_records', { ...articles, ...args, sort })
    },
  },
  {
    asks: 'Which outlet has the most articles in Catalan, and which is its newest headline?',
    plan: async (call) => {
      const filters = { language: 'ca' }
      const { rows } = await call('aggregate', { ...articles, by: ['source'], filters, limit: 1 })
      const own = { ...filters, source: rows[0][0] }
      await call('search_records', { ...articles, filters: own, fields: ['title'], limit: 1 })
    },
  },
  {
    asks: 'On which day of 2021 were there most articles on Afghanistan, and which tell most about it?',
    plan: async (call) => {
      const topic = { ...articles, search: 'afghanistan' }
      const days = { by: ['publishedAt:day'], filters: { publishedAt: '2021' }, order: '-count', limit: 1 }
      const { rows } = await call('aggregate', { ...topic, ...days })
      const filters = { publishedAt: rows[0][0] }
      await call('search_records', { ...topic, filters, fields: ['title'], limit: 3 })
    },
  },
  aggregate('When did the first and the last dated article of CNN appear?', 'article', {
    by: ['source'],
    filters: { source: 'CNN' },
    measures: ['min:publishedAt', 'max:publishedAt'],
  }),
  {
    asks: 'Which outlets ran this headline word for word?',
    plan: async (call, news) => {
      const filters = { title: { eq: repeatedTitle(news) } }
      await call('aggregate', { ...articles, by: ['source'], filters, limit: 50 })
    },
  },
  {
    asks: 'How many articles does the index have of the outlet at ansa.it, and how many were analysed?',
    plan: async (call) => {
      const filters = { 'source.domain': 'ansa.it' }
      await call('search_records', { ...articles, filters, fields: ['title'], limit: 1 })
      await call('aggregate', { ...articles, filters: { ...filters, enrichment: 'some' } })
    },
  },
  {
    asks: 'Which analysis is the most negative one of the largest Russian outlet, and of which article?',
    plan: async (call) => {
      const russian = { by: ['source'], filters: { language: 'ru' }, limit: 1 }
      const { rows } = await call('aggregate', { ...articles, ...russian })
      const filters = { 'article.source': rows[0][0] }
      const asked = { sort: 'sentimentScore', fields: ['sentimentScore', 'article.title'], limit: 1 }
      await call('search_records', { ...enrichments, filters, ...asked })
    },
  },
  {
    asks: 'Which topic do outlets rated left cover most, and which of those stories weighs most?',
    plan: async (call) => {
      const left = { 'article.source.politicalOrientation': 'left' }
      const filters = { ...left, topics: { ne: null } }
      const { rows } = await call('aggregate', { ...enrichments, by: ['topics'], filters, limit: 1 })
      const asked = { sort: '-impactLevel', fields: ['article.title', 'impactLevel'], limit: 1 }
      await call('search_records', { ...enrichments, filters: { ...left, topics: rows[0][0] }, ...asked })
    },
  },
  {
    asks: 'Several outlets are called Google News: how many articles has each, and how many have all?',
    plan: async (call, { reference }) => {
      const named = await call('describe', { name: 'Google News', collection: 'source' })
      const exact: readonly Json[] = named.matches.filter(({ name }: Json) => name === 'Google News')
      for (const { uri, records } of exact)
        assert.equal(
          records,
          reference.count(article, { source: { uri: { eq: `${named.prefix ?? ''}${uri}` } } }),
        )
      const { count } = await call('aggregate', { ...articles, filters: { source: { all: 'Google News' } } })
      assert.equal(
        count,
        exact.reduce((sum, { records }) => sum + records, 0),
      )
    },
  },
  {
    asks: 'Cite the newest article in Japanese: its address, its version and the state of the index.',
    plan: async (call, { reference }) => {
      const asked = { filters: { language: 'ja' }, fields: ['title'], cite: true, limit: 1 }
      const { asOf, records } = await call('search_records', { ...articles, ...asked })
      assert.equal(records[0].cid, reference.resolve(records[0].uri)?.cid)
      const newest = reference.records.reduce(
        (most, { indexedAt }) => (indexedAt > most ? indexedAt : most),
        0n,
      )
      assert.equal(Date.parse(asOf), 1000 * Number(newest / 1_000_000n))
    },
  },
  {
    asks: 'Does the query behind a count give the same count when others run it again?',
    plan: async (call) => {
      const args = { ...articles, filters: { section: 'science' }, cite: true }
      const { count, query } = await call('aggregate', args)
      const { data } = await call('run_graphql', { query })
      assert.equal(data.techServiceNewsArticleAggregate.count, count)
    },
  },
  {
    asks: 'Which are all the languages, to the rarest, when the groups are walked?',
    plan: async (call) => {
      const args = { ...articles, by: ['language'], limit: 12 }
      await readPages(call, 'aggregate', args)
    },
  },
  {
    asks: 'From which countries are the outlets that published on Covid, and which of these outlets wrote most?',
    plan: async (call) => {
      const covid = { ...articles, search: 'covid', limit: 3 }
      const some = { 'source.country': { ne: null } }
      const { rows } = await call('aggregate', { ...covid, by: ['source.country'], filters: some })
      await call('aggregate', { ...covid, by: ['source'], filters: { 'source.country': rows[0][0] } })
    },
  },
]

function twiceAnalysed(news: News): PlainRecord {
  const english = news.reference.sorted(article, { where: { language: { eq: 'en' } } })
  return known(english.find((record) => news.analysesOf(record).length === 2))
}

function valueOf({ value }: PlainRecord): Json {
  return value
}

function scoresOf(analyses: readonly Json[]): number[] {
  return analyses.map(({ sentimentScore }) => sentimentScore).toSorted()
}

function repeatedTitle({ reference }: News): string {
  const german = reference.sorted(article, { where: { language: { eq: 'de' } } })
  const titles = [...Map.groupBy(german, ({ value }): string => value.title)]
  return known(titles.toSorted(([, a], [, b]) => b.length - a.length)[0])[0]
}
