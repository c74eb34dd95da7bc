/** Attacks with arguments and variables that are refused: forged cursors, lists, conditions, numbers and moments out of range. */
import {
  after,
  any,
  byUri,
  needle,
  facets,
  filtered,
  list,
  nested,
  since,
  where,
} from './article-questions.ts'
import { asked, type Attack, attacks, numbers, repeat, variants } from '../attack.ts'

const ten = 'language, section, country, did, source, articleType, tags, title, url, guid'
const eleven = `${ten}, description`
const underSeal = (position: string) => (known: { readonly cursor: string }) => {
  const seal = Buffer.from(known.cursor, 'base64url').subarray(0, 6)
  return after(Buffer.concat([seal, Buffer.from(position)]).toString('base64url'))
}
const sized = (x: unknown): Uint8Array =>
  asked('query ($x: Int) { techServiceNewsArticle(first: $x) { totalCount } }', { x })

export const argumentAttacks: readonly Attack[] = [
  ...attacks({ status: 400, code: 'INVALID_CURSOR', leaves: 'open' }, [
    ['a cursor in JSON', after('{"uri":"at://did:plc:a/b.c.d/e"}')],
    ['a cursor twice', ({ cursor }) => after(cursor + cursor)],
    ...variants('a seal with the position', ['["0","a"]', '', "'); drop table record; --"], underSeal),
    ['a seal with a deep position', underSeal('['.repeat(10_000))],
    ['the cursor of another list', ({ otherCursor }) => after(otherCursor)],
  ]),
  ...attacks({ status: 400, code: 'QUERY_TOO_COMPLEX', leaves: 'open' }, [
    ...variants('5,000 values by', ['in', 'notIn', 'hasAny', 'hasAll'], (operator) =>
      filtered({
        [operator.startsWith('has') ? 'tags' : 'title']: { [operator]: numbers(5_000).map(String) },
      }),
    ),
    ['120 levels of NOT', filtered(nested(120))],
    [
      'a reference through a reference, 40 times',
      filtered(
        any(40, () => ({
          techServiceNewsEnrichmentViaArticle: { some: { article: { title: { contains: 'a' } } } },
        })),
      ),
    ],
    ['eleven facets', asked(facets(eleven))],
    [
      'facets within lists within lists',
      asked(
        `{ techServiceNewsSource(first: 100) { nodes { techServiceNewsArticleViaSource(first: 0) { facets(fields: [${ten}]) { cut } } } } }`,
      ),
    ],
    [
      'lists of lists of lists',
      asked(
        `{ techServiceNewsSource(first: 100) { nodes { techServiceNewsArticleViaSource(first: 100) { nodes { techServiceNewsEnrichmentViaArticle(first: 100) { nodes { uri } } } } } } }`,
      ),
    ],
    [
      'counts within lists within lists',
      asked(
        `{ techServiceNewsSource(first: 100) { nodes { techServiceNewsArticleViaSource(first: 100) { nodes { techServiceNewsEnrichmentViaArticle(where: {summary: {contains: "a"}}) { totalCount } } } } } }`,
      ),
    ],
    [
      '20 aggregates by five fields, of 1,000 groups',
      asked(
        `{ ${repeat(20, (index) => `a${index}: ${list}Aggregate(groupBy: [title, url, guid, description, publishedAt_hour], limit: 1000, where: {wordCount: {gt: ${index}}}) { groupCount groups { title url guid count } }`)} }`,
      ),
    ],
  ]),
  ...attacks({ status: 400, code: 'BAD_USER_INPUT', leaves: 'open' }, [
    ...variants('a page size of', [2 ** 53, '20; drop table', { $gt: 0 }, [20]], sized),
    ['a needle in an object', needle({ $regex: '.*' })],
    ...variants('an operator called', ['$where', 'toString'], (name) => filtered({ title: { [name]: 'a' } })),
    [
      '30 unknown conditions of 10,000 characters',
      filtered(Object.fromEntries(numbers(30).map((index) => [`${'x'.repeat(10_000)}${index}`, 1]))),
    ],
    ['an unknown condition 900 times', filtered(any(900, () => ({ titel: { eq: 'a' } })))],
    ...variants(
      'the AT-URI',
      ['at://../../etc/passwd', "at://' or 1=1/b.c.d/e", 'at://did:plc:a/b.c.d/e\n'],
      byUri,
    ),
    ['an AT-URI of slashes', byUri(`at://${'/'.repeat(10_000)}`)],
    ...variants('the moment', ['+275760-09-13T00:00:00.001Z', 1e308, "now'); --"], since),
    ['a moment of 10,000 fractional digits and no zone', since(`2026-01-01T00:00:00.${'9'.repeat(10_000)}`)],
    [
      '1,000 values of wrong types',
      asked('query ($x: [Int!]) { techServiceNewsArticle(where: {wordCount: {in: $x}}) { totalCount } }', {
        x: numbers(1_000).map(String),
      }),
    ],
  ]),
  ...attacks({ status: 400, code: 'GRAPHQL_VALIDATION_FAILED', leaves: 'open' }, [
    ['an integer beyond 64 bits', asked(where('{wordCount: {eq: 99999999999999999999}}'))],
    ['a regular expression by another name', asked(where('{title: {regex: "(a+)+$"}}'))],
  ]),
]
