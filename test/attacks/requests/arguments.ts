/** Attacks with arguments and variables that are refused: forged cursors, lists, conditions, numbers and moments out of range. */
import {
  after,
  aggregate,
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
import { asked, type Attack, attacks, repeat, numbers } from '../attack.ts'

const ten = 'language, section, country, did, source, articleType, tags, title, url, guid'
const eleven = `${ten}, description`
const flip = (cursor: string, at: number): string => {
  const bytes = Buffer.from(cursor, 'base64url')
  bytes[at] = (bytes[at] ?? 0) ^ 1
  return bytes.toString('base64url')
}
const cursorOf = (forge: (cursor: string) => string) => (known: { readonly cursor: string }) =>
  after(forge(known.cursor))

export const argumentAttacks: readonly Attack[] = [
  ...attacks({ status: 400, code: 'INVALID_CURSOR', leaves: 'open' }, [
    ['an empty cursor', after('')],
    ['a number as a cursor', after('20')],
    ['a cursor of 19,000 characters', after('A'.repeat(19_000))],
    ['a cursor in JSON', after('{"uri":"at://did:plc:a/b.c.d/e"}')],
    ['a cursor with its first bit turned', cursorOf((cursor) => flip(cursor, 0))],
    ['a cursor with a bit of its seal turned', cursorOf((cursor) => flip(cursor, 3))],
    ['a cursor with a bit of its position turned', cursorOf((cursor) => flip(cursor, 12))],
    ['a cursor that is cut', cursorOf((cursor) => cursor.slice(0, -3))],
    ['a cursor with something after it', cursorOf((cursor) => `${cursor}AAAA`)],
    ['a cursor twice', cursorOf((cursor) => cursor + cursor)],
    ['a cursor in another case', cursorOf((cursor) => cursor.toUpperCase())],
    [
      'a cursor as plain base64',
      cursorOf((cursor) => `${Buffer.from(cursor, 'base64url').toString('base64')}==`),
    ],
    [
      'a cursor without its seal',
      cursorOf((cursor) => Buffer.from(cursor, 'base64url').subarray(6).toString('base64url')),
    ],
    [
      'a seal with another position',
      cursorOf((cursor) =>
        Buffer.concat([Buffer.from(cursor, 'base64url').subarray(0, 6), Buffer.from('["0","a"]')]).toString(
          'base64url',
        ),
      ),
    ],
    [
      'a seal with SQL for a position',
      cursorOf((cursor) =>
        Buffer.concat([
          Buffer.from(cursor, 'base64url').subarray(0, 6),
          Buffer.from("['); drop table record; --']"),
        ]).toString('base64url'),
      ),
    ],
    [
      'a seal with nothing after it',
      cursorOf((cursor) => Buffer.from(cursor, 'base64url').subarray(0, 6).toString('base64url')),
    ],
    [
      'a seal with a deep position',
      cursorOf((cursor) =>
        Buffer.concat([
          Buffer.from(cursor, 'base64url').subarray(0, 6),
          Buffer.from('['.repeat(10_000)),
        ]).toString('base64url'),
      ),
    ],
    ['the cursor of another list', ({ otherCursor }) => after(otherCursor)],
    [
      'the cursor of another order',
      ({ cursor }) =>
        asked(`query ($x: String) { ${list}(after: $x, sortBy: [{field: title}]) { nodes { uri } } }`, {
          x: cursor,
        }),
    ],
    [
      'the cursor of another direction',
      ({ cursor }) =>
        asked(
          `query ($x: String) { ${list}(after: $x, sortBy: [{field: publishedAt, direction: ASC}]) { nodes { uri } } }`,
          { x: cursor },
        ),
    ],
    [
      'a forged cursor backwards',
      asked(`query ($x: String) { ${list}(last: 5, before: $x) { nodes { uri } } }`, {
        x: 'AAAAAAAAAAAAAAAA',
      }),
    ],
  ]),
  ...attacks({ status: 400, code: 'QUERY_TOO_COMPLEX', leaves: 'open' }, [
    ['10,000 per cent signs', needle('%'.repeat(10_000))],
    ['startsWith of 10,000 letters', filtered({ title: { startsWith: 'x'.repeat(10_000) } })],
    ['a needle of 100,000 characters', needle('x'.repeat(100_000))],
    ['a list of 100,000 values', filtered({ wordCount: { in: numbers(100_000) } })],
    ['a list of 50,000 texts', filtered({ language: { in: numbers(50_000).map(String) } })],
    ['hasAny of 5,000 texts', filtered({ tags: { hasAny: numbers(5_000).map(String) } })],
    ['hasAll of 5,000 texts', filtered({ tags: { hasAll: numbers(5_000).map(String) } })],
    [
      'notIn of 5,000 moments',
      filtered({ publishedAt: { notIn: numbers(5_000).map(() => '2026-01-01T00:00:00Z') } }),
    ],
    ['65 levels of NOT', filtered(nested(65))],
    ['120 levels of NOT', filtered(nested(120))],
    ['401 conditions', filtered(any(401, (index) => ({ wordCount: { eq: index } })))],
    ['10,000 conditions', filtered(any(10_000, (index) => ({ wordCount: { eq: index } })))],
    [
      '400 lists of 1,000 values',
      filtered(any(60, (index) => ({ wordCount: { in: numbers(1_000).map((value) => value + index) } }))),
    ],
    ['33 references', filtered(any(33, () => ({ source: { country: { eq: 'x' } } })))],
    ['33 arrays of objects', filtered(any(33, () => ({ authors: { some: { name: { contains: 'a' } } } })))],
    [
      'a reference through a reference, 40 times',
      filtered(
        any(40, () => ({
          techServiceNewsEnrichmentViaArticle: { some: { article: { title: { contains: 'a' } } } },
        })),
      ),
    ],
    [
      'six sort fields',
      asked(`{ ${list}(sortBy: [${repeat(6, () => '{field: title}')}]) { nodes { uri } } }`),
    ],
    [
      'six fields to group by',
      asked(aggregate('language, section, country, did, source, articleType', 'count')),
    ],
    ['eleven facets', asked(facets(eleven))],
    ['1,000 facets', asked(facets(repeat(1000, () => 'language')))],
    [
      '900 times ten facets',
      asked(
        `{ ${list} { ${repeat(900, (index) => `a${index}: facets(fields: [${ten}], limit: 100) { missing }`)} } }`,
      ),
    ],
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
    ['first: 2147483647', asked(`{ ${list}(first: 2147483647) { nodes { uri } } }`)],
    ['first: -2147483648', asked(`{ ${list}(first: -2147483648) { nodes { uri } } }`)],
    [
      'a page size of 2^53',
      asked('query ($x: Int) { techServiceNewsArticle(first: $x) { totalCount } }', { x: 2 ** 53 }),
    ],
    [
      'a page size in a string',
      asked('query ($x: Int) { techServiceNewsArticle(first: $x) { totalCount } }', { x: '20; drop table' }),
    ],
    [
      'a page size in an object',
      asked('query ($x: Int) { techServiceNewsArticle(first: $x) { totalCount } }', { x: { $gt: 0 } }),
    ],
    [
      'a page size in a list',
      asked('query ($x: Int) { techServiceNewsArticle(first: $x) { totalCount } }', { x: [20] }),
    ],
    ['a needle in an object', needle({ $regex: '.*' })],
    ['a needle with NUL', needle('a\0b')],
    ['a needle that is half a surrogate pair', needle('\ud83d')],
    ['a condition called __proto__', filtered(JSON.parse('{"__proto__":{"title":{"eq":"a"}}}'))],
    ['a condition called constructor', filtered({ constructor: { eq: 'a' } })],
    ['an operator called $where', filtered({ title: { $where: '1' } })],
    ['an operator called toString', filtered({ title: { toString: 'a' } })],
    [
      '30 unknown conditions of 10,000 characters',
      filtered(Object.fromEntries(numbers(30).map((index) => [`${'x'.repeat(10_000)}${index}`, 1]))),
    ],
    ['an unknown condition 900 times', filtered(any(900, () => ({ titel: { eq: 'a' } })))],
    ['an AT-URI that is a URL', byUri('https://evil.example/')],
    ['an AT-URI that is a path', byUri('at://../../../etc/passwd')],
    ['an AT-URI of slashes', byUri(`at://${'/'.repeat(10_000)}`)],
    ['an AT-URI with SQL', byUri("at://did:plc:a' or '1'='1/b.c.d/e")],
    ['an AT-URI with a line break', byUri('at://did:plc:a/b.c.d/e\n')],
    ['a moment in the year 275760', since('+275760-09-13T00:00:00.001Z')],
    ['a moment of 10,000 fractional digits and no zone', since(`2026-01-01T00:00:00.${'9'.repeat(10_000)}`)],
    ['a moment that is a number', since(1e308)],
    ['a moment that is SQL', since("now'); --")],
    ['a facet by hour', asked(facets('publishedAt_hour'))],
    ['limit: -1', asked(aggregate('language', 'count', ', limit: -1'))],
    ['a group field that is not grouped by', asked(aggregate('language', 'section'))],
    ['a variable that is missing', byUri()],
    [
      '1,000 values of wrong types',
      asked('query ($x: [Int!]) { techServiceNewsArticle(where: {wordCount: {in: $x}}) { totalCount } }', {
        x: numbers(1_000).map(String),
      }),
    ],
  ]),
  ...attacks({ status: 400, code: 'GRAPHQL_VALIDATION_FAILED', leaves: 'open' }, [
    ['first: 1e400', asked(`{ ${list}(first: 1e400) { nodes { uri } } }`)],
    ['an integer beyond 64 bits', asked(where('{wordCount: {eq: 99999999999999999999}}'))],
    ['a regular expression by another name', asked(where('{title: {regex: "(a+)+$"}}'))],
    ['to group by what has no groups', asked(aggregate('image', 'count'))],
  ]),
]
