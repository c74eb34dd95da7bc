/** Thirty questions that ask how many, or compare groups, times, outlets and models. */
import { aggregate, type Question } from './question.ts'

export const counting: readonly Question[] = [
  aggregate('How many articles are there in Korean?', 'article', { filters: { language: 'ko' } }),
  aggregate('How many articles mention vaccines?', 'article', { search: 'vaccine OR vaccines' }),
  aggregate('How many articles of the Indian editions mention Covid?', 'article', {
    search: 'covid',
    filters: { country: 'IN' },
  }),
  aggregate('How many articles have no date?', 'article', { filters: { publishedAt: null } }),
  aggregate('How many articles were published in September 2021?', 'article', {
    filters: { publishedAt: '2021-09' },
  }),
  aggregate('How many articles of Le Monde are there?', 'article', { filters: { source: 'Le Monde' } }),
  aggregate('How many articles have no analysis?', 'article', { filters: { enrichment: 'none' } }),
  aggregate('How many articles were analysed by the second model?', 'article', {
    filters: { 'enrichment.model': 'synthetic-2' },
  }),
  aggregate('Which five languages have the most articles, and how many?', 'article', {
    by: ['language'],
    limit: 5,
  }),
  aggregate('How many outlets are rated left, centre and right?', 'source', {
    by: ['politicalOrientation'],
    filters: { politicalOrientation: { ne: null } },
  }),
  aggregate('How many outlets have articles in Arabic?', 'article', {
    filters: { language: 'ar' },
    measures: ['distinct:source'],
  }),
  aggregate('On which weekdays are dated articles published?', 'article', {
    by: ['publishedAt:weekday'],
    filters: { publishedAt: { ne: null } },
  }),
  aggregate('At which three hours of the day in Berlin do most German articles appear?', 'article', {
    by: ['publishedAt:hourOfDay'],
    filters: { language: 'de', publishedAt: { ne: null } },
    time_zone: 'Europe/Berlin',
    order: '-count',
    limit: 3,
  }),
  aggregate(
    'What are mean, median and 90th percentile of the polarity of analyses on climate?',
    'enrichment',
    {
      filters: { topics: 'climate' },
      measures: ['avg:sentimentScore', 'median:sentimentScore', 'p90:sentimentScore'],
    },
  ),
  aggregate('How many outlets have at least 50 articles in German?', 'article', {
    by: ['source'],
    filters: { language: 'de' },
    min_count: 50,
    limit: 1,
  }),
]

export const comparing: readonly Question[] = [
  aggregate('Which share of the analyses of each topic is negative?', 'enrichment', {
    by: ['topics'],
    filters: { topics: { ne: null } },
    share: { sentiment: 'negative' },
    order: 'key',
  }),
  aggregate('Does CNN or Fox News bait more?', 'enrichment', {
    by: ['article.source'],
    filters: { 'article.source': ['CNN', 'Fox News'] },
    measures: ['avg:clickbaitScore'],
  }),
  aggregate('In which languages of at least 100 analyses do stories matter most?', 'enrichment', {
    by: ['language'],
    measures: ['avg:impactLevel'],
    min_count: 100,
    order: '-avg:impactLevel',
    limit: 5,
  }),
  aggregate('Which share of the coverage of left and right outlets is about climate?', 'enrichment', {
    by: ['article.source.politicalOrientation'],
    filters: { 'article.source.politicalOrientation': ['left', 'right'] },
    share: { topics: 'climate' },
  }),
  aggregate('How does the tone differ by slant?', 'enrichment', {
    by: ['politicalOrientation', 'sentiment'],
    order: 'key',
    limit: 40,
  }),
  aggregate('Which topics have the highest median impact?', 'enrichment', {
    by: ['topics'],
    filters: { topics: { ne: null } },
    measures: ['median:impactLevel'],
    order: '-median:impactLevel',
    limit: 3,
  }),
  aggregate('In which languages does the polarity vary most?', 'enrichment', {
    by: ['language'],
    measures: ['stddev:sentimentScore'],
    min_count: 300,
    order: '-stddev:sentimentScore',
    limit: 4,
  }),
  aggregate('How did dated articles change from month to month in the second half of 2020?', 'article', {
    by: ['publishedAt:month'],
    since: '2020-07-01',
    until: '2020-12-31',
    fill: true,
    change: true,
  }),
  aggregate('Do the two models judge polarity alike?', 'enrichment', {
    by: ['model'],
    measures: ['avg:sentimentScore', 'stddev:sentimentScore'],
  }),
  {
    asks: 'Is Biden or Trump in more headlines of each month of 2021?',
    plan: async (call) => {
      const args = { collection: 'article', by: ['publishedAt:month'], filters: { publishedAt: '2021' } }
      for (const word of ['biden', 'trump']) await call('aggregate', { ...args, search: `title:${word}` })
    },
  },
  aggregate('What is unusual about the topics of negative analyses?', 'enrichment', {
    by: ['topics'],
    filters: { sentiment: 'negative' },
    unusual: {},
  }),
  aggregate('Which outlet has the most articles in Japanese, Korean and Thai?', 'article', {
    by: ['language'],
    filters: { language: ['ja', 'ko', 'th'] },
    top: { by: 'source', limit: 1 },
  }),
  aggregate('How did English and Spanish articles develop by quarter?', 'article', {
    by: ['publishedAt:quarter', 'language'],
    filters: { language: ['en', 'es'], publishedAt: { ne: null } },
    order: 'key',
    limit: 60,
  }),
  aggregate('How many analyses find a low, a middling or a high degree of bait?', 'enrichment', {
    by: ['clickbaitScore:4'],
    order: 'key',
  }),
  aggregate('Which share of the articles of each country edition is about sports?', 'article', {
    by: ['country'],
    filters: { country: { ne: null } },
    share: { section: 'sports' },
    min_count: 100,
    order: '-share',
  }),
]
