/** The questions the benches ask of a corpus of news, by name; each is a whole GraphQL document. */
const list = 'techServiceNewsArticle'
const node = 'edges { node { title url publishedAt language } }'
const newest = 'sortBy: [{field: publishedAt, direction: DESC}]'

const outlet = 'sourceResolved { ... on TechServiceNewsSource { displayName country } }'
const range = 'publishedAt: {gte: "2020-04-20", lt: "2020-05-01"}'

export const questions: Readonly<Record<string, string>> = {
  'newest 20 with outlet': `{ ${list}(first: 20) { edges { node { title url description publishedAt language ${outlet} } } } }`,
  'language and date range, newest 20': `{ ${list}(first: 20, ${newest}, where: {language: {eq: "fr"}, ${range}}) { ${node} } }`,
  'contains, rare': contains('zverev'),
  'contains, middling': contains('election'),
  'contains, very common': contains('coronavirus'),
  'contains, no match': contains('qqqzz'),
  'contains, two characters': contains('zv'),
  'contains in title or description': `{ ${list}(first: 20, where: {OR: [{title: {contains: "election"}}, {description: {contains: "election"}}]}) { ${node} } }`,
  'newest 20 with enrichments': `{ ${list}(first: 20) { edges { node { title techServiceNewsEnrichmentViaArticle { nodes { impactLevel sentiment } } } } } }`,
  'enrichments of impact 8 with article and outlet': `{ techServiceNewsEnrichment(first: 20, where: {impactLevel: {gte: 8}}) { edges { node { impactLevel articleResolved { ... on TechServiceNewsArticle { title ${outlet} } } } } } }`,
  'count by language': `{ ${list}Aggregate(groupBy: [language]) { count groups { language count } } }`,
  'count by outlet': `{ ${list}Aggregate(groupBy: [source], limit: 1000) { groupCount groups { source count } } }`,
  'count by language, title contains': `{ ${list}Aggregate(groupBy: [language], where: {title: {contains: "election"}}) { count groups { language count } } }`,
  'count by month': `{ ${list}Aggregate(groupBy: [publishedAt_month]) { count groups { publishedAt_month count } } }`,
  'total under a filter': `{ ${list}(where: {language: {eq: "fr"}, ${range}}) { totalCount } }`,
  __typename: '{ __typename }',
}

/** Page `size` of the list behind a cursor, with the cursor that follows. */
export function pageAfter(cursor: string | null, size: number): string {
  const after = cursor === null ? '' : `, after: "${cursor}"`
  return `{ ${list}(first: ${size}${after}) { ${node} pageInfo { endCursor } } }`
}

export const pageField = list

function contains(needle: string): string {
  return `{ ${list}(first: 20, where: {title: {contains: "${needle}"}}) { ${node} } }`
}
