/** Attacks on exports: paths, parameters and fields that are not what they seem. */
import { type Attack, attacks, head, host, repeat, variants } from '../attack.ts'

const articles = '/export/tech.service.news.article'

const fetched = (path: string, method = 'GET'): string => head(`${method} ${path} HTTP/1.1`, host)
const underExport = (path: string): string => fetched(`/export${path}`)
const exported = (parameters: string): string => fetched(`${articles}.csv?${parameters}`)
const grouped = (parameters: string): string => fetched(`${articles}/aggregate.csv?${parameters}`)
const where = (condition: unknown): string =>
  exported(
    `where=${encodeURIComponent(typeof condition === 'string' ? condition : JSON.stringify(condition))}`,
  )

/** `{"NOT": {"NOT": …}}` */
const nested = (levels: number): string => `${'{"NOT":'.repeat(levels)}{}${'}'.repeat(levels)}`

export const exportAttacks: readonly Attack[] = [
  ...attacks({ status: 404, code: 'NOT_FOUND', leaves: 'open' }, [
    ['a collection of 5,000 characters', fetched(`/export/${'a'.repeat(5_000)}.csv`)],
    ...variants(
      'a path out of the folder:',
      ['/../../etc/passwd', '/%2e%2e%2f%2e%2e%2fetc%2fpasswd.csv'],
      underExport,
    ),
    ...variants('a name of nothing:', ['/constructor.csv', '/.csv'], underExport),
    ...variants('an article’s path with', ['.constructor', '/aggregate/aggregate.csv', '%00.csv'], (rest) =>
      fetched(articles + rest),
    ),
  ]),
  ...attacks({ status: 405, code: 'METHOD_NOT_ALLOWED', leaves: 'open' }, [
    ...variants('the method', ['DELETE', 'PUT'], (method) => fetched(`${articles}.csv`, method)),
  ]),
  ...attacks({ status: 400, code: 'BAD_REQUEST', leaves: 'open' }, [
    ['half an escape', exported('where=%7')],
    ['bytes that are not UTF-8', exported('fields=%ff%fe')],
    ['a key in the URL', exported('key=lgk_x')],
    ['a parameter twice', exported('limit=1&limit=2')],
  ]),
  ...attacks({ status: 400, code: 'BAD_USER_INPUT', leaves: 'open' }, [
    [
      'a field that closes the selection',
      exported(`fields=${encodeURIComponent('title } } x: __schema { types')}`),
    ],
    ['a field that is a fragment', exported('fields=...on')],
    ['a field named like a member of objects', exported('fields=__proto__,constructor')],
    ['the type of records', exported('fields=__typename')],
    ['empty names of fields', exported('fields=,,,')],
    ['a field with an empty part', exported('fields=source..displayName')],
    ['201 fields', exported(`fields=${repeat(201, () => 'title', ',')}`)],
    ['a field behind all referring records', exported('fields=techServiceNewsEnrichmentViaArticle.topics')],
    ...variants('the limit', ['-1', '1.5', '99999999999999999999', '1)%7Bnodes'], (limit) =>
      exported(`limit=${limit}`),
    ),
    ['a mark that is neither true nor false', exported('bom=1')],
    ['a `where` that is a list', where([])],
    ['a `where` that is a text', where('"title"')],
    ['a `where` that pollutes', where('{"__proto__":{"title":{"eq":"x"}}}')],
    ['a `where` with a NUL', where({ title: { eq: '\0' } })],
    ['an order that is SQL', exported('sortBy=title;drop%20table')],
    ['a direction that is SQL', exported('sortBy=title:desc--')],
    ['a key that is SQL', grouped('groupBy=language)%20from%20base')],
    ['a measure that closes the selection', grouped('fields=countDistinct.language)%7Bcount%7D')],
    ['a rank that is an expression', grouped('fields=percentile.wordCount.0.5,__schema')],
  ]),
  ...attacks({ status: 400, code: 'QUERY_TOO_COMPLEX', leaves: 'open' }, [
    ['forty references in a row', exported(`fields=${repeat(40, () => 'duplicateOf', '.')}.title`)],
    ['a `where` of 300 levels', where(nested(300))],
    ['a list of 1,001 values', where({ language: { in: Array.from({ length: 1_001 }, () => 'e') } })],
  ]),
  ...attacks({ status: 413, code: 'PAYLOAD_TOO_LARGE', leaves: 'closed' }, [
    ['a `where` of 20,000 characters', where({ title: { eq: 'x'.repeat(20_000) } })],
  ]),
]
