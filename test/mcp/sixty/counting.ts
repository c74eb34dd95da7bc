/** Fifteen questions that ask how many. */
import { article, type News } from '../news.ts'
import { average, median, percentile, rowsOf } from '../tables.ts'
import { count, measured, type Question, table } from './question.ts'

export const counting: readonly Question[] = [
  count(
    'How many articles are there in Korean?',
    { collection: 'article', filters: { language: 'ko' } },
    { where: { language: { eq: 'ko' } } },
  ),
  count(
    'How many articles mention vaccines?',
    { collection: 'article', search: 'vaccine OR vaccines' },
    { search: 'vaccine OR vaccines' },
  ),
  count(
    'How many articles of the Indian editions mention Covid?',
    { collection: 'article', search: 'covid', filters: { country: 'IN' } },
    { search: 'covid', where: { country: { eq: 'IN' } } },
  ),
  count(
    'How many articles have no date?',
    { collection: 'article', filters: { publishedAt: null } },
    { where: { publishedAt: { isNull: true } } },
  ),
  count(
    'How many articles were published in September 2021?',
    { collection: 'article', filters: { publishedAt: '2021-09' } },
    { where: { publishedAt: { gte: '2021-09-01T00:00:00Z', lt: '2021-10-01T00:00:00Z' } } },
  ),
  count(
    'How many articles of Le Monde are there?',
    { collection: 'article', filters: { source: 'Le Monde' } },
    { where: { source: { displayName: { eq: 'Le Monde' } } } },
  ),
  {
    asks: 'How many articles have no analysis?',
    plan: async (call) =>
      (await call('aggregate', { collection: 'article', filters: { enrichment: 'none' } })).count,
    truth: (news) => articlesOf(news).filter((record) => news.analysesOf(record).length === 0).length,
  },
  {
    asks: 'How many articles were analysed by the second model?',
    plan: async (call) => {
      const filters = { 'enrichment.model': 'synthetic-2' }
      return (await call('aggregate', { collection: 'article', filters })).count
    },
    truth: (news) =>
      articlesOf(news).filter((record) =>
        news.analysesOf(record).some(({ value }) => value.model === 'synthetic-2'),
      ).length,
  },
  table(
    'Which five languages have the most articles, and how many?',
    { collection: 'article', by: ['language'], limit: 5 },
    { groupBy: ['language'], limit: 5 },
  ),
  table(
    'How many outlets are rated left, centre and right?',
    { collection: 'source', by: ['politicalOrientation'], filters: { politicalOrientation: { ne: null } } },
    { where: { politicalOrientation: { isNull: false } }, groupBy: ['politicalOrientation'], limit: 10 },
  ),
  {
    asks: 'How many outlets have articles in Arabic?',
    plan: async (call) => {
      const args = { collection: 'article', filters: { language: 'ar' }, measures: ['distinct:source'] }
      return (await call('aggregate', args)).rows[0].at(-1)
    },
    truth: ({ reference }) => {
      const { members } = reference.aggregate(article, { where: { language: { eq: 'ar' } } })
      return reference.countDistinct(article, members, 'source')
    },
  },
  table(
    'On which weekdays are dated articles published?',
    { collection: 'article', by: ['publishedAt:weekday'], filters: { publishedAt: { ne: null } } },
    {
      where: { publishedAt: { isNull: false } },
      groupBy: ['publishedAt_weekday'],
      orderBy: 'KEY_ASC',
      limit: 10,
    },
  ),
  {
    asks: 'At which three hours of the day in Berlin do most German articles appear?',
    plan: async (call) => {
      const { rows } = await call('aggregate', {
        collection: 'article',
        by: ['publishedAt:hourOfDay'],
        filters: { language: 'de', publishedAt: { ne: null } },
        time_zone: 'Europe/Berlin',
        order: '-count',
        limit: 3,
      })
      return rows
    },
    truth: (news) =>
      rowsOf(news, article, {
        where: { language: { eq: 'de' }, publishedAt: { isNull: false } },
        groupBy: ['publishedAt_hourOfDay'],
        timeZone: 'Europe/Berlin',
        limit: 3,
      }),
  },
  measured(
    'What are the mean, the median and the 90th percentile of the polarity of analyses on climate?',
    {
      collection: 'enrichment',
      filters: { topics: 'climate' },
      measures: ['avg:sentimentScore', 'median:sentimentScore', 'p90:sentimentScore'],
    },
    { where: { topics: { has: 'climate' } } },
    [average('sentimentScore'), median('sentimentScore'), percentile('sentimentScore', 0.9)],
  ),
  {
    asks: 'How many outlets have at least 50 articles?',
    plan: async (call) =>
      (await call('aggregate', { collection: 'article', by: ['source'], min_count: 50, limit: 1 })).groups,
    truth: (news) => {
      const outlets = Map.groupBy(articlesOf(news), ({ value }): string => value.source.uri)
      return [...outlets.values()].filter(({ length }) => length >= 50).length
    },
  },
]

function articlesOf({ reference }: News) {
  return reference.records.filter(({ collection }) => collection === article)
}
