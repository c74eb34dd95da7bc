/** What attacks with arguments and variables ask, and how their values are made. */
import { asked, numbers } from '../attack.ts'

export const list = 'techServiceNewsArticle'
export const newest = 'sortBy: [{field: publishedAt, direction: DESC}]'
export const where = (condition: string): string =>
  `{ ${list}(where: ${condition}) { totalCount nodes { uri } } }`
type Ask = (x?: unknown) => Uint8Array
const asking =
  (query: string): Ask =>
  (x) =>
    asked(query, { x })
export const filtered = asking(
  'query ($x: TechServiceNewsArticleWhereInput) { techServiceNewsArticle(where: $x) { totalCount nodes { uri } } }',
)
export const needle = asking(
  'query ($x: String) { techServiceNewsArticle(where: {title: {contains: $x}}) { totalCount nodes { uri } } }',
)
export const after = asking(`query ($x: String) { ${list}(after: $x, ${newest}) { nodes { uri } } }`)
export const byUri = asking('query ($x: String!) { techServiceNewsArticleByUri(uri: $x) { uri } }')
export const since = asking(
  'query ($x: DateTime) { techServiceNewsArticle(where: {publishedAt: {gt: $x}}) { totalCount } }',
)
export const nested = (levels: number, inner: unknown = {}): unknown =>
  levels === 0 ? inner : { NOT: nested(levels - 1, inner) }
export const any = (count: number, each: (index: number) => unknown): unknown => ({
  OR: numbers(count).map(each),
})
export const aggregate = (groupBy: string, fields: string, more = ''): string =>
  `{ ${list}Aggregate(groupBy: [${groupBy}]${more}) { count groupCount groups { ${fields} } } }`
export const facets = (fields: string, more = ''): string =>
  `{ ${list} { facets(fields: [${fields}]${more}) { field values { value count } missing cut } } }`
