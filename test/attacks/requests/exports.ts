/** Attacks on files: paths, parameters and operations that are not what they seem. */
import { type Attack, attacks, head, host, repeat, variants } from '../attack.ts'

const articles = '/export/tech.service.news.article'

const fetched = (path: string, method = 'GET'): string => head(`${method} ${path} HTTP/1.1`, host)
const underExport = (path: string): string => fetched(`/export${path}`)
const asked = (query: string, more = ''): string =>
  fetched(`/api/graphql?format=csv&query=${encodeURIComponent(query)}${more}`)
const listed = (selection: string, args = ''): string =>
  asked(`{ techServiceNewsArticle${args} { nodes { ${selection} } } }`)
const found = (where: string): string => listed('uri', `(where: ${where})`)

export const exportAttacks: readonly Attack[] = [
  ...attacks({ status: 404, code: 'NOT_FOUND', leaves: 'open' }, [
    ['a collection of 5,000 characters', fetched(`/export/${'a'.repeat(5_000)}.csv`)],
    ...variants(
      'a path out of the folder:',
      ['/../../etc/passwd', '/%2e%2e%2f%2e%2e%2fetc%2fpasswd.csv'],
      underExport,
    ),
    ...variants('a name of nothing:', ['/constructor.csv', '/.csv'], underExport),
    ...variants('an article’s path with', ['.constructor', '/aggregate.csv', '%00.csv'], (rest) =>
      fetched(articles + rest),
    ),
  ]),
  ...attacks({ status: 405, code: 'METHOD_NOT_ALLOWED', leaves: 'open' }, [
    ...variants('the method', ['DELETE', 'PUT'], (method) => fetched(`${articles}.csv`, method)),
  ]),
  ...attacks({ status: 400, code: 'BAD_REQUEST', leaves: 'open' }, [
    ['half an escape', fetched(`${articles}.csv?bom=%7`)],
    ['bytes that are not UTF-8', fetched('/api/graphql?format=csv&query=%ff%fe')],
    ['a key in the URL', fetched(`${articles}.csv?key=lgk_x`)],
    ['a parameter twice', fetched(`${articles}.csv?bom=true&bom=true`)],
    ['a file of no query', fetched('/api/graphql?format=csv')],
  ]),
  ...attacks({ status: 400, code: 'GRAPHQL_VALIDATION_FAILED', leaves: 'open' }, [
    ['a column named like a member of objects', listed('__proto__ constructor')],
    ['a direction that is SQL', listed('uri', '(sortBy: [{field: title, direction: DROP}])')],
    ['a `where` that pollutes', found('{__proto__: {title: {eq: "x"}}}')],
    ['rows below 0', listed('uri', '(first: 99999999999999999999)')],
  ]),
  ...attacks({ status: 400, code: 'BAD_USER_INPUT', leaves: 'open' }, [
    ['a format that is a path', fetched('/api/graphql?format=../csv&query={__typename}')],
    ['a file of the schema', asked('{ __schema { types { name } } }')],
    ['a file of the type of queries', asked('{ __typename }')],
    ['201 columns', listed(repeat(201, (at) => `a${at}: title`, ' '))],
    ['a column of all referring records', listed('techServiceNewsEnrichmentViaArticle { nodes { topics } }')],
    [
      'two files',
      asked('{ a: techServiceNewsArticle { nodes { uri } } b: techServiceNewsSource { nodes { uri } } }'),
    ],
    ['fewer rows than none', listed('uri', '(first: -1)')],
    [
      'a mark that is neither true nor false',
      asked('{ techServiceNewsArticle { nodes { uri } } }', '&bom=1'),
    ],
    ['a parameter of a whole collection', fetched(`${articles}.csv?where={}`)],
    ['a `where` with a NUL', found(String.raw`{title: {eq: "\u0000"}}`)],
  ]),
  ...attacks({ status: 400, code: 'QUERY_TOO_COMPLEX', leaves: 'open' }, [
    [
      'forty references in a row',
      listed(
        `${'duplicateOfResolved { ... on TechServiceNewsArticle { '.repeat(40)}title${' } }'.repeat(40)}`,
      ),
    ],
    ['a `where` of 300 levels', found(`${'{NOT:'.repeat(300)}{}${'}'.repeat(300)}`)],
    ['a list of 1,001 values', found(`{language: {in: [${repeat(1_001, () => '"e"', ' ')}]}}`)],
  ]),
  ...attacks({ status: 413, code: 'PAYLOAD_TOO_LARGE', leaves: 'closed' }, [
    ['a `where` of 20,000 characters', found(`{title: {eq: "${'x'.repeat(20_000)}"}}`)],
  ]),
]
