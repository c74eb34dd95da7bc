/** An endless supply of different requests over the news lexicons, by number: the same number, the same request. */
import type { GraphQLRequest } from '../../../src/query/execute/execute.ts'

const syllables = [...'la ne ti é ção über 中 文 ニ ال x % \' " ß 1 20'.split(' '), ' ']
const languages = ['en', 'es', 'fr', 'pt', 'de', 'zh', 'ja', 'ar', 'nobody']
const list = 'techServiceNewsArticle'

/** `cursor` is one that an earlier page of the default order gave. */
export function requestNumber(n: number, cursor: string | null): GraphQLRequest {
  const draw = drawer(n)
  const needle = (): string =>
    Array.from({ length: 1 + draw(4) }, () => syllables[draw(syllables.length)]).join('')
  const since = new Date(Date.UTC(2020, 0, 1) + draw(7 * 365) * 86_400_000).toISOString()
  switch (n % 12) {
    case 0: // A document of its own.
      return {
        query: `{ a${n}: ${list}(first: ${1 + draw(20)}) { nodes { uri t${n}: title sourceResolved { ... on TechServiceNewsSource { displayName } } } } }`,
      }
    case 1:
      return { query: search, variables: { where: { title: { contains: needle() } }, first: 1 + draw(100) } }
    case 2:
      return {
        query: search,
        variables: {
          where: { OR: [{ title: { contains: needle() } }, { description: { startsWith: needle() } }] },
        },
      }
    case 3:
      return {
        query: search,
        variables: {
          where: { language: { eq: languages[draw(9)] }, publishedAt: { gte: since } },
          first: draw(30),
        },
      }
    case 4:
      return { query: page, variables: { after: cursor, first: 1 + draw(50) } }
    case 5:
      return {
        query: `query Q${n}($l: [String!]) { ${list}(where: {language: {in: $l}, wordCount: {gt: ${draw(5000)}}}, first: 5) { edges { cursor } } }`,
        variables: { l: languages.slice(draw(8)) },
      }
    case 6: // A field that does not exist.
      return { query: `{ ${list} { nodes { nothing${n} } } }` }
    case 7: // A cursor that is none.
      return { query: page, variables: { after: `${cursor}${n}` } }
    case 8: // No GraphQL.
      return { query: `{ ${list}(first: ${n}` }
    case 9: // A variable of the wrong type.
      return { query: search, variables: { where: { title: { contains: n } } } }
    case 10:
      return {
        query: search,
        variables: {
          where: { source: { country: { eq: needle() } }, title: { contains: `${needle()}${n}` } },
        },
      }
    default:
      return {
        query: `{ ${list}Aggregate(where: {indexedAt: {gte: "${since}", lt: "${since.slice(0, 4)}-12-31"}, rkey: {startsWith: "${n % 10}"}}, groupBy: [language], limit: ${draw(50)}) { count groups { language count } } }`,
      }
  }
}

const search = `query Search($where: TechServiceNewsArticleWhereInput, $first: Int) {
  ${list}(where: $where, first: $first) { nodes { uri title publishedAt } } }`
const page = `query Page($after: String, $first: Int) {
  ${list}(after: $after, first: $first) { nodes { uri } pageInfo { hasNextPage endCursor } } }`

/** Whole numbers below a bound, drawn from a seed (mulberry32). */
export function drawer(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
