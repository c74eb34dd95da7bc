/** Fifteen questions that are answered by records: which they are, and in which order. */
import { article, known, type News, source } from '../news.ts'
import { keyOf, list, type Question } from './question.ts'

const newestFirst = { sortBy: [{ field: 'publishedAt', direction: 'DESC' }] } as const

export const finding: readonly Question[] = [
  list('Which are the ten newest articles?', { collection: 'article', fields: ['title'] }, newestFirst),
  list(
    'Which are the newest articles in French that the French edition has?',
    { collection: 'article', filters: { language: 'fr', country: 'FR' }, fields: ['title'] },
    { ...newestFirst, where: { language: { eq: 'fr' }, country: { eq: 'FR' } } },
  ),
  list(
    'Which are the five oldest articles that have a date?',
    {
      collection: 'article',
      filters: { publishedAt: { ne: null } },
      sort: 'publishedAt',
      fields: ['title', 'publishedAt'],
      limit: 5,
    },
    { where: { publishedAt: { isNull: false } }, sortBy: [{ field: 'publishedAt', direction: 'ASC' }] },
    5,
  ),
  list(
    'Which are the newest headlines with the words climate change?',
    { collection: 'article', search: 'title:"climate change"', sort: '-publishedAt', fields: ['title'] },
    { ...newestFirst, search: 'title:"climate change"' },
  ),
  list(
    'Which articles tell most about misinformation on vaccines?',
    { collection: 'article', search: 'vaccine misinformation', fields: ['title', 'source'], limit: 5 },
    { search: 'vaccine misinformation', sortBy: [{ field: 'RELEVANCE', direction: 'DESC' }] },
    5,
  ),
  list(
    'Which outlets have Times in their names?',
    { collection: 'source', filters: { displayName: 'times' }, fields: ['displayName'], limit: 20 },
    {
      where: { displayName: { contains: 'times' } },
      sortBy: [{ field: 'createdAt', direction: 'DESC' }],
    },
    20,
  ),
  list(
    'Which analyses of the war weigh most?',
    {
      collection: 'enrichment',
      filters: { topics: 'war' },
      sort: '-impactLevel',
      fields: ['article.title', 'impactLevel'],
    },
    { where: { topics: { has: 'war' } }, sortBy: [{ field: 'impactLevel', direction: 'DESC' }] },
  ),
  list(
    'Which negative stories of the British edition bait most?',
    {
      collection: 'enrichment',
      filters: { 'article.country': 'GB', sentiment: 'negative' },
      sort: '-clickbaitScore',
      fields: ['article.title', 'article.source', 'clickbaitScore'],
    },
    {
      where: { article: { country: { eq: 'GB' } }, sentiment: { eq: 'negative' } },
      sortBy: [{ field: 'clickbaitScore', direction: 'DESC' }],
    },
  ),
  {
    asks: 'I was sent this link: which article is it, and which outlet published it?',
    about: (news) => `${linked(news).value.url.replace('https://', 'http://www.')}?utm_source=mail#top`,
    plan: async (call, about) => {
      const { record, references } = await call('get_record', { collection: 'article', value: about })
      return [record.title, references.source.displayName]
    },
    truth: (news) => [linked(news).value.title, news.outletOf(linked(news))],
  },
  {
    asks: 'Which outlet is at lavanguardia.com?',
    plan: async (call) => {
      const { matches } = await call('resolve_name', { name: 'lavanguardia.com' })
      return matches[0].name
    },
    truth: (news) => outletAt(news, 'lavanguardia.com').value.displayName,
  },
  {
    asks: 'Which outlets are rated right?',
    plan: async (call) => {
      const { records } = await call('search_records', {
        collection: 'source',
        filters: { politicalOrientation: 'right' },
        fields: ['displayName'],
        limit: 50,
      })
      return records.map(({ displayName }: { displayName: string }) => displayName).toSorted()
    },
    truth: ({ reference }) =>
      reference
        .sorted(source, { where: { politicalOrientation: { eq: 'right' } } })
        .map(({ value }) => value.displayName)
        .toSorted(),
  },
  list(
    'Which are the newest articles with the tag Política?',
    { collection: 'article', filters: { tags: 'Política' }, fields: ['title', 'source'] },
    { ...newestFirst, where: { tags: { has: 'Política' } } },
  ),
  list(
    'Which articles of La Vanguardia were analysed as celebratory and of an impact of 8 or more?',
    {
      collection: 'enrichment',
      filters: {
        'article.source': 'La Vanguardia',
        emotionalTone: 'celebratory',
        impactLevel: { gte: 8 },
      },
      fields: ['article.title', 'impactLevel'],
    },
    {
      where: {
        article: { source: { displayName: { eq: 'La Vanguardia' } } },
        emotionalTone: { eq: 'celebratory' },
        impactLevel: { gte: 8 },
      },
      sortBy: [{ field: 'createdAt', direction: 'DESC' }],
    },
  ),
  list(
    'Which articles speak of floods, in English, Spanish or German?',
    {
      collection: 'article',
      search: 'flood* OR inundacion* OR hochwasser',
      filters: { language: ['en', 'es', 'de'] },
      sort: '-publishedAt',
      fields: ['title', 'language'],
    },
    {
      ...newestFirst,
      search: 'flood* OR inundacion* OR hochwasser',
      where: { language: { in: ['en', 'es', 'de'] } },
    },
  ),
  {
    asks: 'Which are the last articles of the Catalan ones, when all are listed?',
    plan: async (call) => {
      const args = { collection: 'article', filters: { language: 'ca' }, fields: ['title'], limit: 25 }
      const keys: string[] = []
      let after: string | undefined
      do {
        const answer = await call('search_records', { ...args, ...(after !== undefined && { after }) })
        keys.push(...answer.records.map(keyOf))
        after = answer.after
      } while (after !== undefined)
      return { total: keys.length, last: keys.slice(-5) }
    },
    truth: ({ reference }) => {
      const sorted = reference.sorted(article, { ...newestFirst, where: { language: { eq: 'ca' } } })
      return { total: sorted.length, last: sorted.slice(-5).map(keyOf) }
    },
  },
]

/** An article whose address begins with https and has neither www. nor a query. */
function linked({ reference }: News) {
  const sorted = reference.sorted(article, { where: { language: { eq: 'it' } } })
  return known(sorted.find(({ value }) => /^https:\/\/(?!www\.)[^?#]+[^/?#]$/.test(value.url)))
}

function outletAt({ reference }: News, domain: string) {
  return known(reference.sorted(source, { where: { domain: { eq: domain } } })[0])
}
