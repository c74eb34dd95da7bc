/** Exported files, read with DuckDB, hold what GraphQL answers. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { parseInstant } from '../../src/util/instant.ts'
import type { Json } from '../reference/shapes.ts'
import { onEveryDatabase as test } from '../support/store/databases.ts'
import { collections } from '../support/records/lexicons.ts'
import { temporaryFolder } from '../support/store/store.ts'
import { askDuckDb, type Cells, fromCsv, fromParquet, withPlainCells } from './duckdb.ts'
import {
  at,
  bookColumns,
  bookNodes,
  fileOf,
  linesOf,
  type ServedLibrary,
  servedLibrary as open,
} from './library.ts'

const inFolder = temporaryFolder()

const names = bookColumns.map(([name]) => name)
const whole = `/export/${collections.book}`
/** The books of a list with these arguments. */
const booksOf = (selection: string, args = '') =>
  `{ orgExampleLibraryBook${args} { nodes { ${selection} } } }`
const all = booksOf(bookNodes)
const keys = booksOf('rkey')
const threeKeys = booksOf('rkey', '(first: 3)')

/** Cells as a file must have them; moments are compared as microseconds. */
function expectedCells(node: Json, isTyped: boolean): Cells {
  return Object.fromEntries(
    bookColumns.map(([name, type]) => {
      const value = at(node, name)
      if (value === null) return [name, null]
      if (type.startsWith('TIMESTAMP')) return [name, isTyped ? String(parseInstant(value)) : value]
      // What reads the cells of DuckDB takes a first U+FEFF for a byte order mark.
      return [name, typeof value === 'object' ? JSON.stringify(value) : String(value).replace(/^\uFEFF/, '')]
    }),
  )
}

async function nodesOf({ service }: ServedLibrary, more = ''): Promise<readonly Json[]> {
  const { list } = await service.data(
    `{ list: orgExampleLibraryBook(first: 100${more}) { nodes { ${bookNodes} } } }`,
  )
  return list.nodes
}

async function download({ server }: ServedLibrary, path: string): Promise<string> {
  const response = await server.get(path)
  const body = Buffer.from(await response.arrayBuffer())
  assert.equal(response.status, 200, body.toString())
  const file = inFolder(`${Math.random()}`)
  await writeFile(file, body)
  return file
}

test('a CSV file has the values that GraphQL has, for every kind of field and text', async (database) => {
  const library = await open(database)
  const file = await download(library, fileOf(all))
  const rows = await askDuckDb(`select * from ${fromCsv(file, names)}`)
  assert.deepEqual(
    rows.map(withPlainCells),
    (await nodesOf(library)).map((node) => expectedCells(node, false)),
  )
})

test('a Parquet file has the values and types that GraphQL has', async (database) => {
  const library = await open(database)
  const file = await download(library, fileOf(all, 'parquet'))
  const described = await askDuckDb(
    `select column_name, column_type from (describe select * from ${fromParquet(file)})`,
  )
  assert.deepEqual(
    described.map((row) => [row.column_name, row.column_type]),
    bookColumns,
  )
  const cells = bookColumns.map(([name, type]) => {
    const cell = type.startsWith('TIMESTAMP') ? `epoch_us("${name}")` : `"${name}"`
    return `${cell}::varchar as "${name}"`
  })
  const rows = await askDuckDb(`select ${cells.join(', ')} from ${fromParquet(file)}`)
  assert.deepEqual(
    rows,
    (await nodesOf(library)).map((node) => expectedCells(node, true)),
  )
})

test('lines of JSON have the values that GraphQL has, arrays as values', async (database) => {
  const library = await open(database)
  const response = await library.server.get(fileOf(all, 'ndjson'))
  assert.equal(response.headers.get('content-type'), 'application/x-ndjson')
  const rowOf = (node: Json) => Object.fromEntries(names.map((name) => [name, at(node, name)]))
  assert.deepEqual(linesOf(await response.text()), (await nodesOf(library)).map(rowOf))
})

test('columns are named by the keys of the answer, also where fragments, variables and directives give them', async (database) => {
  const library = await open(database)
  const { server } = library
  const query = `query Some($bare: Boolean!, $first: Int) {
      orgExampleLibraryBook(first: $first, where: {author: {name: {isNull: false}}}) { nodes { __typename ...Named pages @skip(if: $bare) } } }
    query Other { __typename }
    fragment Named on OrgExampleLibraryBook { name: title by: authorResolved { ... on OrgExampleLibraryPerson { is: name }
      ... on OrgExampleLibraryPublisher { is: name constructor: name } } }`
  const asked = { query, operationName: 'Some', variables: { bare: true, first: 1 } }
  const body = await (await server.post({ ...asked, format: 'ndjson' })).text()
  const [{ title, authorResolved }] = await nodesOf(library, ', where: {author: {name: {isNull: false}}}')
  const [row] = linesOf(body)
  assert.deepEqual(Object.entries(row), [
    ['__typename', 'OrgExampleLibraryBook'],
    ['name', title],
    ['by.is', authorResolved.name],
    ['by.constructor', null],
  ])
  const accepted = await server.post(asked, { accept: 'application/x-ndjson, application/json;q=0.5' })
  assert.equal(await accepted.text(), body)
  const named = { format: 'ndjson', operationName: 'Some', variables: '{"bare":true,"first":1}' }
  const got = await server.get(`/api/graphql?${new URLSearchParams({ query, ...named })}`)
  assert.equal(await got.text(), body)
  const both = await server.post(asked, { accept: 'application/json, text/csv' })
  assert.equal(both.headers.get('content-type'), 'application/json; charset=utf-8')
})

test('rows are those of the list with the same arguments', async (database) => {
  const library = await open(database)
  const relevant = 'search: "null", sortBy: [{field: RELEVANCE}]'
  for (const args of [
    relevant,
    'distinctOn: [genre]',
    'sortBy: [{field: genre}, {field: title, direction: DESC}]',
  ]) {
    const response = await library.server.get(fileOf(booksOf('uri', `(${args})`), 'ndjson'))
    const wanted = (await nodesOf(library, `, ${args}`)).map(({ uri }) => ({ uri }))
    assert.deepEqual(linesOf(await response.text()), wanted, args)
  }
  const none = await library.server.get(fileOf(booksOf('uri', '(first: 0)')))
  assert.equal(await none.text(), 'uri\r\n')
})

const usualColumns =
  `uri,cid,rev,did,actorHandle,rkey,collection,indexedAt,changedAt,title,blurb,note,shelf,genre,medium,
language,pages,serial,record_count,inPrint,page,publishedAt,author.uri,series,mention.uri,about,subject.uri,archive,digest,
link`.replaceAll('\n', '')

test('a whole collection has all scalar fields, and the URIs of references', async (database) => {
  const { server } = await open(database)
  const text = await (await server.get(`${whole}.csv`)).text()
  assert.equal(text.split('\r\n')[0], usualColumns)
})

test('the head says how many rows there are, and the trailer how many were written', async (database) => {
  const { server } = await open(database)
  const total = linesOf(await (await server.get(fileOf(keys, 'ndjson'))).text()).length
  const every = await fetched(server.port, 'GET', fileOf(keys))
  assert.deepEqual(every.counts, [String(total), String(total), 'false'])
  assert.deepEqual(every.trailers, { 'x-row-count': String(total), 'x-query': fileOf(keys) })
  const cut = await fetched(server.port, 'GET', fileOf(threeKeys))
  assert.deepEqual(cut.counts, ['3', String(total), 'true'])
  assert.equal(cut.trailers['x-row-count'], '3')
  assert.match(every.name, /book\.csv"$/)
  assert.match(cut.name, /book-first-3\.csv"$/)
  const head = await fetched(server.port, 'HEAD', fileOf(threeKeys))
  assert.deepEqual([head.counts, head.name], [cut.counts, cut.name])
  assert.equal(head.cost, cut.cost)
  assert.equal(head.body, '')
})

test('a file is called as asked, or says that it has a part; a body is in the trailer as an address', async (database) => {
  const { server } = await open(database)
  const named = await fetched(server.port, 'GET', `${fileOf(keys)}&name=${encodeURIComponent('книги-2026')}`)
  const encoded = encodeURIComponent('книги-2026.csv')
  assert.equal(named.name, `attachment; filename="_-2026.csv"; filename*=UTF-8''${encoded}`)
  const filtered = await fetched(
    server.port,
    'GET',
    fileOf(booksOf('rkey', '(where: {inPrint: {eq: true}})')),
  )
  assert.match(filtered.name, /book\.filtered\.csv"$/)
  const wrong = await fetch(`${server.url}${fileOf(keys)}&name=..%2Fpasswd`)
  assert.equal(wrong.status, 400)
  const posted = await fetched(server.port, 'POST', '/api/graphql', { format: 'csv', query: keys })
  const again = await fetched(server.port, 'GET', posted.trailers['x-query'] ?? '')
  assert.equal(again.body, posted.body)
})

test('a HEAD does not say that the file is empty', async (database) => {
  const { server } = await open(database)
  for (const path of [`${whole}.csv`, fileOf(genres), `${whole}.parquet`]) {
    const { status, headers } = await fetch(`${server.url}${path}`, { method: 'HEAD' })
    assert.deepEqual([status, headers.get('content-length')], [200, null])
  }
})

test('a file is compressed for who asks, and Parquet never again', async (database) => {
  const { server } = await open(database)
  const coded = async (format: string, encoding: string) => {
    const response = await server.get(fileOf(keys, format), { 'accept-encoding': encoding })
    return [response.headers.get('content-encoding'), await response.text()] as const
  }
  const [[csv, zipped], [none, plainly]] = [await coded('csv', 'gzip'), await coded('csv', 'identity')]
  assert.deepEqual([csv, none, zipped], ['gzip', null, plainly])
  assert.equal((await coded('ndjson', 'gzip'))[0], 'gzip')
  assert.equal((await coded('parquet', 'gzip'))[0], null)
})

test('a Parquet file says how many rows it has, and of which query', async (database) => {
  const library = await open(database)
  const query = booksOf('rkey', '(first: 5)')
  const file = await download(library, fileOf(query, 'parquet'))
  const pairs = await askDuckDb(
    `select decode(key) as key, decode(value) as value from parquet_kv_metadata('${file}')`,
  )
  assert.deepEqual(pairs, [
    { key: 'lexigraph.query', value: JSON.stringify({ query, variables: null, operationName: null }) },
    { key: 'lexigraph.rows', value: '5' },
  ])
})

test('a file without rows is whole', async (database) => {
  const library = await open(database)
  const nothing = booksOf('rkey', '(where: {pages: {lt: 0}})')
  const csv = async (more: string) =>
    Buffer.from(await (await library.server.get(fileOf(nothing, 'csv', more))).arrayBuffer())
  assert.equal((await csv('')).toString(), 'rkey\r\n')
  assert.equal((await csv('&bom=true')).toString(), '\uFEFFrkey\r\n')
  assert.equal(await (await library.server.get(fileOf(nothing, 'ndjson'))).text(), '')
  const file = await download(library, fileOf(nothing, 'parquet'))
  assert.deepEqual(await askDuckDb(`select count(*)::varchar as n from ${fromParquet(file)}`), [{ n: '0' }])
})

const genres = '{ orgExampleLibraryBookAggregate(groupBy: [genre]) { groups { genre count } } }'
const many = Array.from({ length: 201 }, (_, at) => `a${at}: title`).join(' ')

const refusals: readonly (readonly [name: string, query: string, says: RegExp])[] = [
  [
    'two lists',
    '{ a: orgExampleLibraryBook { nodes { uri } } b: orgExampleLibraryBook { nodes { uri } } }',
    /one list/,
  ],
  ['no list', '{ indexStatus { version } }', /one list or one aggregate/],
  ['a list of all collections', '{ search(text: "x") { nodes { uri } } }', /one list or one aggregate/],
  ['a total next to rows', '{ orgExampleLibraryBook { totalCount nodes { uri } } }', /`nodes \{ … \}` alone/],
  ['edges', '{ orgExampleLibraryBook { edges { node { uri } } } }', /`nodes \{ … \}` alone/],
  [
    'a count next to groups',
    '{ orgExampleLibraryBookAggregate(groupBy: [genre]) { count groups { genre } } }',
    /alone/,
  ],
  ['no keys', '{ orgExampleLibraryBookAggregate { groups { count } } }', /`groupBy` is missing/],
  ['records in a record', booksOf('orgExampleLibraryReviewViaBook { nodes { uri } }'), /a list within a row/],
  ['groups in groups', genres.replace('count', 'top(groupBy: [language]) { count }'), /a list within a row/],
  ['no column', booksOf('title @skip(if: true)'), /needs a column/],
  ['many columns', booksOf(many), /201 columns, and may have 200/],
  ['a page', booksOf('uri', '(first: 3, after: "x")'), /one page/],
  ['the last rows', booksOf('uri', '(last: 3)'), /one page/],
  ['more rows than the tier has', booksOf('uri', '(first: 1001)'), /0 to 1000\./],
  ['more groups than there may be', genres.replace('])', '], limit: 1001)'), /0 to 1000/],
]

test('what is not the rows of one list or aggregate is refused before the first byte', async (database) => {
  const { server } = await open(database)
  const refused = async (path: string, status: number, code: string, says: RegExp) => {
    const response = await server.get(path)
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
    const [{ message, extensions }] = ((await response.json()) as Json).errors
    assert.deepEqual([response.status, extensions.code], [status, code], path)
    assert.match(message, says, path)
  }
  for (const [, query, says] of refusals) await refused(fileOf(query), 400, 'BAD_USER_INPUT', says)
  const wrong = booksOf('titel')
  await refused(fileOf(wrong), 400, 'GRAPHQL_VALIDATION_FAILED', /title/)
  await refused(fileOf(keys, 'xlsx'), 400, 'BAD_USER_INPUT', /csv, ndjson, parquet/)
  await refused(fileOf(keys, 'csv', '&bom=1'), 400, 'BAD_USER_INPUT', /`true` or `false`/)
  await refused(fileOf(keys, 'ndjson', '&bom=true'), 400, 'BAD_USER_INPUT', /Only CSV has/)
  await refused(fileOf(keys, 'csv', '&api_key=x'), 400, 'BAD_REQUEST', /X-API-Key/)
  await refused(fileOf(keys, 'csv', '&format=csv'), 400, 'BAD_REQUEST', /twice/)
  await refused(
    '/export/org.example.library.bok.csv',
    404,
    'NOT_FOUND',
    /Did you mean org\.example\.library\.book\?/,
  )
  await refused(`${whole}.xlsx`, 404, 'NOT_FOUND', /csv, ndjson, parquet/)
  await refused(`${whole}/aggregate.csv?groupBy=genre`, 404, 'NOT_FOUND', /format=csv&query=/)
  await refused(
    `${whole}.csv?where={}`,
    400,
    'BAD_USER_INPUT',
    /no `where`.* The list is `orgExampleLibraryBook`/,
  )
})

interface Fetched {
  readonly counts: readonly unknown[]
  /** The header that names the file. */
  readonly name: string
  readonly cost: unknown
  readonly trailers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** With its trailers, which `fetch` does not show. */
function fetched(port: number, method: string, path: string, sent?: Json): Promise<Fetched> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    request({ port, method, path, host: '127.0.0.1', ...(sent && { headers }) }, async (response) => {
      const body = await readText(response)
      const { headers: own, trailers } = response
      const counts = ['x-row-count', 'x-total-count', 'x-truncated'].map((name) => own[name])
      const name = own['content-disposition'] ?? ''
      resolve({ counts, name, cost: own['x-cost'], trailers: { ...trailers }, body })
    })
      .on('error', reject)
      .end(sent && JSON.stringify(sent))
  })
}
