/** Fifteen questions that compare groups, times, outlets and models. */
import { article, enrichment, known } from '../news.ts'
import { average, deviation, matching, median, rowsOf, share } from '../tables.ts'
import { type Question, table } from './question.ts'

const negative = { sentiment: { eq: 'negative' } }

export const comparing: readonly Question[] = [
  table(
    'Which share of the analyses of each topic is negative?',
    {
      collection: 'enrichment',
      by: ['topics'],
      filters: { topics: { ne: null } },
      share: { sentiment: 'negative' },
      order: 'key',
    },
    { where: { topics: { isNull: false } }, groupBy: ['topics'], orderBy: 'KEY_ASC', limit: 20 },
    [matching(negative), share(negative)],
  ),
  table(
    'Does CNN or Fox News bait more?',
    {
      collection: 'enrichment',
      by: ['article.source'],
      filters: { 'article.source': ['CNN', 'Fox News'] },
      measures: ['avg:clickbaitScore'],
    },
    {
      where: { article: { source: { displayName: { in: ['CNN', 'Fox News'] } } } },
      groupBy: ['article_source'],
    },
    [average('clickbaitScore')],
  ),
  table(
    'In which languages do stories matter most, among those with at least 100 analyses?',
    {
      collection: 'enrichment',
      by: ['language'],
      measures: ['avg:impactLevel'],
      min_count: 100,
      order: '-avg:impactLevel',
      limit: 5,
    },
    {
      groupBy: ['language'],
      minCount: 100,
      rankBy: { measure: 'AVG', field: 'impactLevel', direction: 'DESC' },
      limit: 5,
    },
    [average('impactLevel')],
  ),
  table(
    'Which share of the coverage of left and right outlets is about climate?',
    {
      collection: 'enrichment',
      by: ['article.source.politicalOrientation'],
      filters: { 'article.source.politicalOrientation': ['left', 'right'] },
      share: { topics: 'climate' },
    },
    {
      where: { article: { source: { politicalOrientation: { in: ['left', 'right'] } } } },
      groupBy: ['article_source_politicalOrientation'],
    },
    [matching({ topics: { has: 'climate' } }), share({ topics: { has: 'climate' } })],
  ),
  table(
    'How does the tone differ by slant?',
    { collection: 'enrichment', by: ['politicalOrientation', 'sentiment'], order: 'key', limit: 40 },
    { groupBy: ['politicalOrientation', 'sentiment'], orderBy: 'KEY_ASC', limit: 40 },
  ),
  table(
    'Which topics have the highest median impact?',
    {
      collection: 'enrichment',
      by: ['topics'],
      filters: { topics: { ne: null } },
      measures: ['median:impactLevel'],
      order: '-median:impactLevel',
      limit: 3,
    },
    {
      where: { topics: { isNull: false } },
      groupBy: ['topics'],
      rankBy: { measure: 'MEDIAN', field: 'impactLevel', direction: 'DESC' },
      limit: 3,
    },
    [median('impactLevel')],
  ),
  table(
    'In which languages does the polarity vary most?',
    {
      collection: 'enrichment',
      by: ['language'],
      measures: ['stddev:sentimentScore'],
      min_count: 300,
      order: '-stddev:sentimentScore',
      limit: 4,
    },
    {
      groupBy: ['language'],
      minCount: 300,
      rankBy: { measure: 'STDDEV', field: 'sentimentScore', direction: 'DESC' },
      limit: 4,
    },
    [deviation('sentimentScore')],
  ),
  {
    asks: 'How did the number of dated articles change from month to month in the second half of 2020?',
    plan: async (call) => {
      const { rows } = await call('aggregate', {
        collection: 'article',
        by: ['publishedAt:month'],
        since: '2020-07-01',
        until: '2020-12-31',
        fill: true,
        change: true,
      })
      return rows
    },
    truth: ({ reference }) => {
      const between = (month: number) => ({
        publishedAt: { gte: `2020-${two(month)}-01T00:00:00Z`, lt: startAfter(month) },
      })
      const months = [7, 8, 9, 10, 11, 12]
      const counts = months.map((month) => reference.count(article, between(month)))
      return months.map((month, at) => {
        const [now = 0, before] = [counts[at], counts[at - 1]]
        return [`2020-${two(month)}-01`, now, before === undefined ? null : now - before]
      })
    },
  },
  table(
    'Do the two models judge polarity alike?',
    { collection: 'enrichment', by: ['model'], measures: ['avg:sentimentScore', 'stddev:sentimentScore'] },
    { groupBy: ['model'] },
    [average('sentimentScore'), deviation('sentimentScore')],
  ),
  {
    asks: 'Is Biden or Trump in more headlines of each month of 2021?',
    plan: async (call) => {
      const months = async (word: string) => {
        const args = { collection: 'article', search: `title:${word}`, by: ['publishedAt:month'] }
        return (await call('aggregate', { ...args, filters: { publishedAt: '2021' } })).rows
      }
      return { biden: await months('biden'), trump: await months('trump') }
    },
    truth: (news) => {
      const months = (word: string) =>
        rowsOf(news, article, {
          search: `title:${word}`,
          where: { publishedAt: { gte: '2021-01-01T00:00:00Z', lt: '2022-01-01T00:00:00Z' } },
          groupBy: ['publishedAt_month'],
          orderBy: 'KEY_ASC',
        })
      return { biden: months('biden'), trump: months('trump') }
    },
  },
  {
    asks: 'What is unusual about the topics of negative analyses?',
    plan: async (call) => {
      const { rows } = await call('aggregate', {
        collection: 'enrichment',
        by: ['topics'],
        filters: { sentiment: 'negative' },
        unusual: {},
      })
      return rows.map(([topic, count]: [string, number]) => [topic, count])
    },
    truth: ({ reference }) =>
      reference
        .aggregate(enrichment, {
          where: negative,
          groupBy: ['topics'],
          significant: { against: {} },
          limit: 20,
        })
        .groups.map(({ keys, members }) => [keys[0], members.length]),
  },
  {
    asks: 'Which outlet has the most articles in each of the five largest languages?',
    plan: async (call) => {
      const { rows } = await call('aggregate', {
        collection: 'article',
        by: ['language'],
        top: { by: 'source', limit: 1 },
        limit: 5,
      })
      return rows
    },
    truth: (news) =>
      rowsOf(news, article, { groupBy: ['language'], limit: 5 }, [
        (members) => {
          const [most = []] = [
            ...Map.groupBy(members, ({ value }): string => value.source.uri).values(),
          ].toSorted((a, b) => b.length - a.length)
          return { [news.outletOf(known(most[0]))]: most.length }
        },
      ]),
  },
  table(
    'How did English and Spanish articles develop by quarter?',
    {
      collection: 'article',
      by: ['publishedAt:quarter', 'language'],
      filters: { language: ['en', 'es'], publishedAt: { ne: null } },
      order: 'key',
      limit: 60,
    },
    {
      where: { language: { in: ['en', 'es'] }, publishedAt: { isNull: false } },
      groupBy: ['publishedAt_quarter', 'language'],
      orderBy: 'KEY_ASC',
      limit: 60,
    },
  ),
  table(
    'How many analyses find a low, a middling or a high degree of bait?',
    { collection: 'enrichment', by: ['clickbaitScore:4'], order: 'key' },
    { groupBy: ['clickbaitScore'], interval: 4, orderBy: 'KEY_ASC' },
  ),
  {
    asks: 'Which share of the articles of each country edition is about sports?',
    plan: async (call) => {
      const { rows } = await call('aggregate', {
        collection: 'article',
        by: ['country'],
        filters: { country: { ne: null } },
        share: { section: 'sports' },
        min_count: 100,
        order: '-share',
      })
      return rows
    },
    truth: (news) => {
      const sports = { section: { contains: 'sports' } }
      const given = { where: { country: { isNull: false } }, groupBy: ['country'], minCount: 100 }
      const rows = rowsOf(news, article, given, [matching(sports), share(sports)])
      return rows.toSorted((a, b) => Number(b.at(-1)) - Number(a.at(-1)))
    },
  },
]

function two(month: number): string {
  return String(month).padStart(2, '0')
}

function startAfter(month: number): string {
  return month === 12 ? '2021-01-01T00:00:00Z' : `2020-${two(month + 1)}-01T00:00:00Z`
}
