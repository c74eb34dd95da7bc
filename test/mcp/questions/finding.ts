/** Fifteen questions that are answered by records: which they are, and in which order. */
import assert from 'node:assert/strict'
import { readPages } from '../../support/service/agents.ts'
import { article, known, type News } from '../news.ts'
import { type Question, search } from './question.ts'

export const finding: readonly Question[] = [
  search('Which are the ten newest articles?', 'article', { fields: ['title'] }),
  search('Which are the newest articles in French that the French edition has?', 'article', {
    filters: { language: 'fr', country: 'FR' },
    fields: ['title'],
  }),
  search('Which are the five oldest articles that have a date?', 'article', {
    filters: { publishedAt: { ne: null } },
    sort: 'publishedAt',
    fields: ['title', 'publishedAt'],
    limit: 5,
  }),
  search('Which are the newest headlines with the words climate change?', 'article', {
    search: 'title:"climate change"',
    sort: '-publishedAt',
    fields: ['title'],
  }),
  search('Which articles tell most about misinformation on vaccines?', 'article', {
    search: 'vaccine misinformation',
    fields: ['title', 'source'],
    limit: 5,
  }),
  search('Which outlets have Times in their names?', 'source', {
    filters: { displayName: 'times' },
    fields: ['displayName'],
    limit: 20,
  }),
  search('Which analyses of the war weigh most?', 'enrichment', {
    filters: { topics: 'war' },
    sort: '-impactLevel',
    fields: ['article.title', 'impactLevel'],
  }),
  search('Which negative stories of the British edition bait most?', 'enrichment', {
    filters: { 'article.country': 'GB', sentiment: 'negative' },
    sort: '-clickbaitScore',
    fields: ['article.title', 'article.source', 'clickbaitScore'],
  }),
  {
    asks: 'I was sent this link: which article is it, and which outlet published it?',
    plan: async (call, news) => {
      const sent = linked(news)
      const value = `${sent.value.url.replace('https://', 'http://www.')}?utm_source=mail#top`
      const { record, references } = await call('get_record', { collection: 'article', value })
      assert.deepEqual([record.title, references.source.displayName], [sent.value.title, news.outletOf(sent)])
    },
  },
  {
    asks: 'Which outlet is at lavanguardia.com?',
    plan: async (call) => {
      const { matches } = await call('describe', { name: 'lavanguardia.com' })
      assert.equal(matches[0].name, 'La Vanguardia')
    },
  },
  search('Which outlets are rated right?', 'source', {
    filters: { politicalOrientation: 'right' },
    fields: ['displayName'],
    limit: 50,
  }),
  search('Which are the newest articles with the tag Política?', 'article', {
    filters: { tags: 'Política' },
    fields: ['title', 'source'],
  }),
  search('Which analyses of La Vanguardia are celebratory and of an impact of 8 or more?', 'enrichment', {
    filters: {
      'article.source': 'La Vanguardia',
      emotionalTone: 'celebratory',
      impactLevel: { gte: 8 },
    },
    fields: ['article.title', 'impactLevel'],
  }),
  search('Which articles speak of floods, in English, Spanish or German?', 'article', {
    search: 'flood* OR inundacion* OR hochwasser',
    filters: { language: ['en', 'es', 'de'] },
    sort: '-publishedAt',
    fields: ['title', 'language'],
  }),
  {
    asks: 'Which are the last articles of the Catalan ones, when all are listed?',
    plan: async (call) => {
      const args = { collection: 'article', filters: { language: 'ca' }, fields: ['title'], limit: 25 }
      await readPages(call, 'search_records', args)
    },
  },
]

/** An article whose address begins with https and has neither www. nor a query. */
function linked({ reference }: News) {
  const sorted = reference.sorted(article, { where: { language: { eq: 'it' } } })
  return known(sorted.find(({ value }) => /^https:\/\/(?!www\.)[^?#]+[^/?#]$/.test(value.url)))
}
