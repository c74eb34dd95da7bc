/** The searches that bench/search/search.ts measures, over articles of the bench corpus, and how each of them is asked. */

export interface NamedSearch {
  readonly name: string
  readonly search: string
  /** Which limit holds for it: phrases may take longer than words, and prefixes have no limit. */
  readonly kind: 'words' | 'phrase' | 'prefix'
}

const of = (
  kind: NamedSearch['kind'],
  rows: readonly (readonly [name: string, search: string])[],
): readonly NamedSearch[] => rows.map(([name, search]) => ({ name, search, kind }))

export const searches: readonly NamedSearch[] = [
  ...of('words', [
    ['a rare word', 'abduction'],
    ['a word of 100 articles', 'karnataka'],
    ['a word of 1,000 articles', 'nintendo'],
    ['a word of 10,000 articles', 'science'],
    ['a very common word', 'coronavirus'],
    ['a common name of a section', 'sports'],
    ['the most common word', 'the'],
    ['two rare words', 'kapoor bollywood'],
    ['two common words', 'coronavirus lockdown'],
    ['three words', 'premier league season'],
    ['rare with ubiquitous', 'trump the'],
    ['very rare with ubiquitous', 'abduction the'],
    ['two ubiquitous words', 'the to'],
    ['alternatives', 'nintendo OR xbox OR playstation'],
    ['without a rare word', 'trump -biden'],
    ['without a common word', 'sports -coronavirus'],
    ['nothing but an exclusion', '-the'],
    ['a word in a field', 'title:trump'],
    ['a ubiquitous word in a field', 'description:the'],
    ['a Russian word', 'россии'],
    ['a common Russian word', 'в'],
    ['a French word with a ligature', 'cœur'],
    ['a Korean word', '코로나19'],
  ]),
  ...of('phrase', [
    ['a phrase', '"white house"'],
    ['a phrase with a hyphen', 'covid-19'],
    ['a phrase of common words', '"of the"'],
    ['common words that seldom follow', '"the new york"'],
    ['a phrase in a field', 'title:"social distancing"'],
    ['a Russian phrase', '"в россии"'],
  ]),
  ...of('prefix', [
    ['a prefix', 'quaran*'],
    ['a short prefix', 'pre*'],
    ['a prefix of one letter', 'c*'],
  ]),
]

export const list = 'techServiceNewsArticle'

/** The ways in which a search is asked; `count` also tells the number of matches. */
export const ways = {
  newest: (search: string) =>
    `{ ${list}(first: 20, search: ${JSON.stringify(search)}) { nodes { uri title } } }`,
  relevance: (search: string) =>
    `{ ${list}(first: 20, search: ${JSON.stringify(search)}, sortBy: [{field: RELEVANCE}]) { edges { score node { uri title } } } }`,
  count: (search: string) => `{ ${list}Aggregate(search: ${JSON.stringify(search)}) { count } }`,
} as const

export type Way = keyof typeof ways

/** Whether `RELEVANCE` has words to rank by. */
export function isRanked({ search }: NamedSearch): boolean {
  return !search.startsWith('-')
}

/** Searches with a `where`, in other orders, and on later pages. */
export const combinations: Readonly<Record<string, string>> = {
  'common word, rare value': `{ ${list}(first: 20, search: "coronavirus", where: {language: {eq: "ru"}}) { nodes { uri } } }`,
  'rare word, common value': `{ ${list}(first: 20, search: "abduction", where: {language: {eq: "en"}}) { nodes { uri } } }`,
  'ubiquitous word, common value': `{ ${list}(first: 20, search: "the", where: {language: {eq: "en"}}) { nodes { uri } } }`,
  'ubiquitous word, rare value': `{ ${list}(first: 20, search: "the", where: {language: {eq: "ru"}}) { nodes { uri } } }`,
  'common word, outlets of a country': `{ ${list}(first: 20, search: "coronavirus", where: {source: {country: {eq: "FR"}}}) { nodes { uri } } }`,
  'rare word by publishedAt': `{ ${list}(first: 20, search: "abduction", sortBy: [{field: publishedAt, direction: DESC}]) { nodes { uri } } }`,
  'common word by publishedAt': `{ ${list}(first: 20, search: "coronavirus", sortBy: [{field: publishedAt, direction: DESC}]) { nodes { uri } } }`,
  'common word by title': `{ ${list}(first: 20, search: "coronavirus", sortBy: [{field: title}]) { nodes { uri } } }`,
  'common word oldest first': `{ ${list}(first: 20, search: "coronavirus", sortBy: [{field: indexedAt}]) { nodes { uri } } }`,
  'the last page of a common word': `{ ${list}(last: 20, search: "coronavirus") { nodes { uri } } }`,
  'two searches in where': `{ ${list}(first: 20, where: {title: {matches: "trump"}, description: {matches: "virus"}}) { nodes { uri } } }`,
  'a search or a value': `{ ${list}(first: 20, where: {OR: [{title: {matches: "abduction"}}, {section: {eq: "abduction"}}]}) { nodes { uri } } }`,
  'relevance with a common value': `{ ${list}(first: 20, search: "coronavirus", where: {language: {eq: "en"}}, sortBy: [{field: RELEVANCE}]) { nodes { uri } } }`,
  'relevance with a rare value': `{ ${list}(first: 20, search: "coronavirus", where: {language: {eq: "ru"}}, sortBy: [{field: RELEVANCE}]) { nodes { uri } } }`,
  'relevance, total and snippets': `{ ${list}(first: 20, search: "trump virus", sortBy: [{field: RELEVANCE}]) { totalCount ranked edges { score snippet(field: description) { text ranges { start end } } node { uri } } pageInfo { hasNextPage endCursor } } }`,
  'newest with total and snippets': `{ ${list}(first: 20, search: "trump virus") { totalCount edges { snippet(field: description) { text } node { uri } } pageInfo { hasNextPage endCursor } } }`,
  'count with a value': `{ ${list}Aggregate(search: "coronavirus", where: {language: {eq: "en"}}) { count } }`,
  'groups by section': `{ ${list}Aggregate(search: "coronavirus", groupBy: [section]) { groups { section count } } }`,
  'near words of a misspelt word': `{ ${list}(first: 0, search: "coronavirsu") { didYouMean { word nearest { word count } } } }`,
  'near words of three misspelt words': `{ ${list}(first: 0, search: "strom sceince presidnet") { didYouMean { word nearest { word count } } } }`,
  'near words of words that records have': `{ ${list}(first: 0, search: "science president the") { didYouMean { word nearest { word count } } } }`,
  'groups by day': `{ ${list}Aggregate(search: "trump", groupBy: [publishedAt_day]) { groups { publishedAt_day count } } }`,
}
