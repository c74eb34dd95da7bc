/** Fifteen questions that take several steps, each of which begins with what the one before found. */
import type { Json } from '../../reference/shapes.ts'
import type { PlainRecord } from '../../reference/dataset.ts'
import { article, enrichment, known, type News } from '../news.ts'
import { rowsOf } from '../tables.ts'
import { keyOf, type Question } from './question.ts'

const newestFirst = { sortBy: [{ field: 'publishedAt', direction: 'DESC' }] } as const

export const tracing: readonly Question[] = [
  {
    asks: 'Who published this article, from where, and how was it analysed?',
    about: (news) => twiceAnalysed(news).uri,
    plan: async (call, uri) => {
      const { references, referredToBy } = await call('get_record', { uri })
      const scores = referredToBy.enrichment.newest.map((one: Json) => one.sentimentScore)
      return [references.source.displayName, scores.toSorted()]
    },
    truth: (news) => {
      const record = twiceAnalysed(news)
      return [news.outletOf(record), scoresOf(news, record)]
    },
  },
  {
    asks: 'How far apart are the two analyses of this article?',
    about: (news) => twiceAnalysed(news).uri,
    plan: async (call, uri) => {
      const { records } = await call('search_records', {
        collection: 'enrichment',
        filters: { article: uri },
        fields: ['model', 'sentimentScore'],
      })
      const [one, other] = records.map(({ sentimentScore }: Json) => sentimentScore).toSorted()
      return Math.abs(one - other)
    },
    truth: (news) => {
      const [one = 0, other = 0] = scoresOf(news, twiceAnalysed(news))
      return Math.abs(one - other)
    },
  },
  {
    asks: 'Which dated article was the first to mention Brexit, and what was the last?',
    plan: async (call) => {
      const ends = []
      for (const sort of ['publishedAt', '-publishedAt']) {
        const { records } = await call('search_records', {
          collection: 'article',
          search: 'brexit',
          filters: { publishedAt: { ne: null } },
          sort,
          fields: ['title', 'publishedAt', 'source'],
          limit: 1,
        })
        ends.push(keyOf(records[0]))
      }
      return ends
    },
    truth: ({ reference }) => {
      const sorted = reference.sorted(article, {
        search: 'brexit',
        where: { publishedAt: { isNull: false } },
        sortBy: [{ field: 'publishedAt', direction: 'ASC' }],
      })
      return [sorted[0], sorted.at(-1)].map((record) => keyOf(known(record)))
    },
  },
  {
    asks: 'Which outlet has the most articles in Catalan, and which is its newest headline?',
    plan: async (call) => {
      const { rows } = await call('aggregate', {
        collection: 'article',
        by: ['source'],
        filters: { language: 'ca' },
        limit: 1,
      })
      const { records } = await call('search_records', {
        collection: 'article',
        filters: { language: 'ca', source: rows[0][0] },
        fields: ['title'],
        limit: 1,
      })
      return [rows[0], records[0].title]
    },
    truth: (news) => {
      const [row = []] = rowsOf(news, article, {
        where: { language: { eq: 'ca' } },
        groupBy: ['source'],
        limit: 1,
      })
      const [newest] = news.reference.sorted(article, {
        ...newestFirst,
        where: { language: { eq: 'ca' }, source: { displayName: { eq: row[0] } } },
      })
      return [row, known(newest).value.title]
    },
  },
  {
    asks: 'On which day of 2021 were there most articles on Afghanistan, and which tell most about it?',
    plan: async (call) => {
      const topic = { collection: 'article', search: 'afghanistan' }
      const { rows } = await call('aggregate', {
        ...topic,
        by: ['publishedAt:day'],
        filters: { publishedAt: '2021' },
        order: '-count',
        limit: 1,
      })
      const [day, count] = rows[0]
      const { total, records } = await call('search_records', {
        ...topic,
        filters: { publishedAt: day },
        fields: ['title'],
        limit: 3,
      })
      return { day, count, total, keys: records.map(keyOf) }
    },
    truth: (news) => {
      const search = 'afghanistan'
      const [[day, count] = []] = rowsOf(news, article, {
        search,
        where: { publishedAt: { gte: '2021-01-01T00:00:00Z', lt: '2022-01-01T00:00:00Z' } },
        groupBy: ['publishedAt_day'],
        limit: 1,
      })
      const keys = news.reference
        .sorted(article, {
          search,
          where: { publishedAt: { gte: `${day}T00:00:00Z`, lte: `${day}T23:59:59.999999Z` } },
          sortBy: [{ field: 'RELEVANCE', direction: 'DESC' }],
        })
        .slice(0, 3)
        .map(keyOf)
      return { day, count, total: count, keys }
    },
  },
  {
    asks: 'When did the first and the last dated article of CNN appear?',
    plan: async (call) => {
      const { rows } = await call('aggregate', {
        collection: 'article',
        by: ['source'],
        filters: { source: 'CNN' },
        measures: ['min:publishedAt', 'max:publishedAt'],
      })
      return rows[0].slice(-2).map((time: string) => Date.parse(time))
    },
    truth: (news) => {
      const times = publishedBy(news, 'CNN').map((time) => Date.parse(time))
      return [Math.min(...times), Math.max(...times)]
    },
  },
  {
    asks: 'Which outlets ran this headline word for word?',
    about: (news) => repeatedTitle(news),
    plan: async (call, title) => {
      const { rows } = await call('aggregate', {
        collection: 'article',
        by: ['source'],
        filters: { title: { eq: title } },
        limit: 50,
      })
      return rows.map(([outlet]: [string]) => outlet).toSorted()
    },
    truth: (news) => {
      const same = news.reference.sorted(article, { where: { title: { eq: repeatedTitle(news) } } })
      return [...new Set(same.map(news.outletOf))].toSorted()
    },
  },
  {
    asks: 'How many articles does the index have of the outlet at ansa.it, and how many were analysed?',
    plan: async (call) => {
      const [{ total }, { count }] = [
        await call('search_records', {
          collection: 'article',
          filters: { 'source.domain': 'ansa.it' },
          fields: ['title'],
          limit: 1,
        }),
        await call('aggregate', {
          collection: 'article',
          filters: { 'source.domain': 'ansa.it', enrichment: 'some' },
        }),
      ]
      return [total, count]
    },
    truth: (news) => {
      const all = news.reference.sorted(article, { where: { source: { domain: { eq: 'ansa.it' } } } })
      return [all.length, all.filter((record) => news.analysesOf(record).length > 0).length]
    },
  },
  {
    asks: 'Which analysis is the most negative one of the largest Russian outlet, and of which article?',
    plan: async (call) => {
      const { rows } = await call('aggregate', {
        collection: 'article',
        by: ['source'],
        filters: { language: 'ru' },
        limit: 1,
      })
      const { records } = await call('search_records', {
        collection: 'enrichment',
        filters: { 'article.source': rows[0][0] },
        sort: 'sentimentScore',
        fields: ['sentimentScore', 'article.title'],
        limit: 1,
      })
      return [records[0].sentimentScore, records[0]['article.title']]
    },
    truth: (news) => {
      const [[outlet] = []] = rowsOf(news, article, {
        where: { language: { eq: 'ru' } },
        groupBy: ['source'],
        limit: 1,
      })
      const [worst] = news.reference.sorted(enrichment, {
        where: { article: { source: { displayName: { eq: outlet } } } },
        sortBy: [{ field: 'sentimentScore', direction: 'ASC' }],
      })
      return [known(worst).value.sentimentScore, news.articleOf(known(worst)).value.title]
    },
  },
  {
    asks: 'Which topic do outlets rated left cover most, and which of those stories weighs most?',
    plan: async (call) => {
      const left = { 'article.source.politicalOrientation': 'left' }
      const { rows } = await call('aggregate', {
        collection: 'enrichment',
        by: ['topics'],
        filters: { ...left, topics: { ne: null } },
        limit: 1,
      })
      const { records } = await call('search_records', {
        collection: 'enrichment',
        filters: { ...left, topics: rows[0][0] },
        sort: '-impactLevel',
        fields: ['article.title', 'impactLevel'],
        limit: 1,
      })
      return [rows[0], keyOf(records[0])]
    },
    truth: (news) => {
      const left = { article: { source: { politicalOrientation: { eq: 'left' } } } }
      const [row = []] = rowsOf(news, enrichment, {
        where: { ...left, topics: { isNull: false } },
        groupBy: ['topics'],
        limit: 1,
      })
      const [weightiest] = news.reference.sorted(enrichment, {
        where: { ...left, topics: { has: row[0] } },
        sortBy: [{ field: 'impactLevel', direction: 'DESC' }],
      })
      return [row, keyOf(known(weightiest))]
    },
  },
  {
    asks: 'Several outlets are called Google News: how many articles has each, and how many have all?',
    plan: async (call) => {
      const named = await call('resolve_name', { name: 'Google News', collection: 'source', limit: 10 })
      const exact = named.matches.filter(({ name }: Json) => name === 'Google News')
      const { count } = await call('aggregate', {
        collection: 'article',
        filters: { source: { all: 'Google News' } },
      })
      return [exact.map(({ records }: Json) => records).toSorted(), count]
    },
    truth: (news) => {
      const where = { source: { displayName: { eq: 'Google News' } } }
      const rows = rowsOf(news, article, { where, groupBy: ['source'], limit: 50 })
      return [rows.map((row) => row.at(-1)).toSorted(), news.reference.count(article, where)]
    },
  },
  {
    asks: 'Cite the newest article in Japanese: its address, its version and the state of the index.',
    plan: async (call) => {
      const {
        asOf,
        prefix = '',
        records,
      } = await call('search_records', {
        collection: 'article',
        filters: { language: 'ja' },
        fields: ['title'],
        cite: true,
        limit: 1,
      })
      return [`${prefix}${records[0].uri}`, records[0].cid, Date.parse(asOf)]
    },
    truth: ({ reference }) => {
      const sorted = reference.sorted(article, { ...newestFirst, where: { language: { eq: 'ja' } } })
      const { uri, cid } = known(sorted[0])
      const newest = reference.records.reduce((most, { indexedAt }) => max(most, indexedAt), 0n)
      return [uri, cid, Number(newest / 1000n)]
    },
  },
  {
    asks: 'Does the query behind a count give the same count when others run it again?',
    plan: async (call) => {
      const { count, query } = await call('aggregate', {
        collection: 'article',
        filters: { section: 'science' },
        cite: true,
      })
      const { data } = await call('run_graphql', { query })
      return [count, data.techServiceNewsArticleAggregate.count]
    },
    truth: ({ reference }) => {
      const count = reference.count(article, { section: { contains: 'science' } })
      return [count, count]
    },
  },
  {
    asks: 'Which are all the languages, to the rarest, when the groups are walked?',
    plan: async (call) => {
      const rows: unknown[] = []
      let after: string | undefined
      do {
        const answer = await call('aggregate', {
          collection: 'article',
          by: ['language'],
          limit: 12,
          ...(after !== undefined && { after }),
        })
        rows.push(...answer.rows)
        after = answer.after
      } while (after !== undefined)
      return rows
    },
    truth: (news) => rowsOf(news, article, { groupBy: ['language'], limit: 100 }),
  },
  {
    asks: 'From which countries are the outlets that published on Covid, and which of these outlets wrote most?',
    plan: async (call) => {
      const covid = { collection: 'article', search: 'covid' }
      const countries = await call('aggregate', {
        ...covid,
        by: ['source.country'],
        filters: { 'source.country': { ne: null } },
        limit: 3,
      })
      const outlets = await call('aggregate', {
        ...covid,
        by: ['source'],
        filters: { 'source.country': countries.rows[0][0] },
        limit: 3,
      })
      return [countries.rows, outlets.rows]
    },
    truth: (news) => {
      const search = 'covid'
      const countries = rowsOf(news, article, {
        search,
        where: { source: { country: { isNull: false } } },
        groupBy: ['source_country'],
        limit: 3,
      })
      const where = { source: { country: { eq: countries[0]?.[0] } } }
      return [countries, rowsOf(news, article, { search, where, groupBy: ['source'], limit: 3 })]
    },
  },
]

function twiceAnalysed(news: News): PlainRecord {
  const articles = news.reference.sorted(article, { where: { language: { eq: 'en' } } })
  return known(articles.find((record) => news.analysesOf(record).length === 2))
}

function scoresOf(news: News, record: PlainRecord): number[] {
  return news
    .analysesOf(record)
    .map(({ value }): number => value.sentimentScore)
    .toSorted()
}

function publishedBy({ reference }: News, name: string): readonly string[] {
  return reference
    .sorted(article, { where: { source: { displayName: { eq: name } }, publishedAt: { isNull: false } } })
    .map(({ value }): string => value.publishedAt)
}

function repeatedTitle({ reference }: News): string {
  const german = reference.sorted(article, { where: { language: { eq: 'de' } } })
  const [[title] = ['']] = [...Map.groupBy(german, ({ value }): string => value.title)].toSorted(
    ([, a], [, b]) => b.length - a.length,
  )
  return title
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
