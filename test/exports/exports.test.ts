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
import { at, bookColumns, bookNodes, linesOf, type ServedLibrary, servedLibrary as open } from './library.ts'

const inFolder = temporaryFolder()

const names = bookColumns.map(([name]) => name)
const fields = `fields=${names.join(',')}`
const books = `/export/${collections.book}`

/** Cells as a file must have them; moments are compared as microseconds. */
function expectedCells(node: Json, isTyped: boolean): Cells {
  return Object.fromEntries(
    bookColumns.map(([name, path, type]) => {
      const value = at(node, path)
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
  const file = await download(library, `${books}.csv?${fields}`)
  const rows = await askDuckDb(`select * from ${fromCsv(file, names)}`)
  assert.deepEqual(
    rows.map(withPlainCells),
    (await nodesOf(library)).map((node) => expectedCells(node, false)),
  )
})

test('a Parquet file has the values and types that GraphQL has', async (database) => {
  const library = await open(database)
  const file = await download(library, `${books}.parquet?${fields}`)
  const described = await askDuckDb(
    `select column_name, column_type from (describe select * from ${fromParquet(file)})`,
  )
  assert.deepEqual(
    described.map((row) => [row.column_name, row.column_type]),
    bookColumns.map(([name, , type]) => [name, type]),
  )
  const cells = bookColumns.map(([name, , type]) => {
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
  const response = await library.server.get(`${books}.ndjson?${fields}`)
  assert.equal(response.headers.get('content-type'), 'application/x-ndjson')
  const rowOf = (node: Json) => Object.fromEntries(bookColumns.map(([name, path]) => [name, at(node, path)]))
  assert.deepEqual(linesOf(await response.text()), (await nodesOf(library)).map(rowOf))
})

test('`where`, `search` and `sortBy` mean what they mean in GraphQL', async (database) => {
  const library = await open(database)
  const cases = [
    ['where={"pages":{"gte":100}}', ', where: {pages: {gte: 100}}'],
    ['sortBy=publishedAt:desc', ', sortBy: [{field: publishedAt, direction: DESC}]'],
    ['sortBy=genre,title:desc', ', sortBy: [{field: genre}, {field: title, direction: DESC}]'],
    ['sortBy=[{"field":"title"}]', ', sortBy: [{field: title}]'],
    ['where={"author":{"name":{"isNull":false}}}', ', where: {author: {name: {isNull: false}}}'],
    ['search=null', ', search: "null"'],
    ['search=null&sortBy=RELEVANCE', ', search: "null", sortBy: [{field: RELEVANCE}]'],
    ['where={"NOT":{"tags":{"has":"x"}}}&sortBy=tags', null],
  ] as const
  for (const [parameters, written] of cases) {
    const response = await library.server.get(`${books}.ndjson?fields=uri&${encodeURI(parameters)}`)
    const text = await response.text()
    assert.equal(response.status, written === null ? 400 : 200, text)
    if (written === null) continue
    const wanted = (await nodesOf(library, written)).map(({ uri }) => ({ uri }))
    assert.deepEqual(linesOf(text), wanted, parameters)
  }
})

const usualColumns =
  `uri,cid,rev,did,actorHandle,rkey,collection,indexedAt,changedAt,title,blurb,note,shelf,genre,medium,
language,pages,serial,record_count,inPrint,page,publishedAt,author.uri,series,mention.uri,about,subject.uri,archive,digest,
link`.replaceAll('\n', '')

test('without `fields` a file has all scalar fields, and the URIs of references', async (database) => {
  const { server } = await open(database)
  const text = await (await server.get(`${books}.csv?limit=1`)).text()
  assert.equal(text.split('\r\n')[0], usualColumns)
  const named = await (await server.get(`${books}.csv?limit=1&fields=author,series`)).text()
  assert.equal(named.split('\r\n')[0], 'author.uri,author.cid,series')
})

test('the head says how many rows there are, and the trailer how many were written', async (database) => {
  const { server } = await open(database)
  const total = linesOf(await (await server.get(`${books}.ndjson?fields=rkey`)).text()).length
  const whole = await fetched(server.port, 'GET', `${books}.csv?fields=rkey`)
  assert.deepEqual(whole.counts, [String(total), String(total), 'false'])
  assert.deepEqual(whole.trailers, { 'x-row-count': String(total), 'x-query': `${books}.csv?fields=rkey` })
  const cut = await fetched(server.port, 'GET', `${books}.csv?fields=rkey&limit=3`)
  assert.deepEqual(cut.counts, ['3', String(total), 'true'])
  assert.equal(cut.trailers['x-row-count'], '3')
  assert.match(whole.name, /book\.csv"$/)
  assert.match(cut.name, /book-first-3\.csv"$/)
  const head = await fetched(server.port, 'HEAD', `${books}.csv?fields=rkey&limit=3`)
  assert.deepEqual([head.counts, head.name], [cut.counts, cut.name])
  assert.equal(head.cost, cut.cost)
  assert.equal(head.body, '')
})

test('a HEAD does not say that the file is empty', async (database) => {
  const { server } = await open(database)
  for (const path of [`${books}.csv`, `${books}/aggregate.csv?groupBy=genre`, `${books}.parquet`]) {
    const { status, headers } = await fetch(`${server.url}${path}`, { method: 'HEAD' })
    assert.deepEqual([status, headers.get('content-length')], [200, null])
  }
})

test('a file is compressed for who asks, and Parquet never again', async (database) => {
  const { server } = await open(database)
  const coded = async (format: string, encoding: string) => {
    const response = await server.get(`${books}.${format}?fields=uri`, { 'accept-encoding': encoding })
    return [response.headers.get('content-encoding'), await response.text()] as const
  }
  const [[csv, zipped], [none, plainly]] = [await coded('csv', 'gzip'), await coded('csv', 'identity')]
  assert.deepEqual([csv, none, zipped], ['gzip', null, plainly])
  assert.equal((await coded('ndjson', 'gzip'))[0], 'gzip')
  assert.equal((await coded('parquet', 'gzip'))[0], null)
})

test('a Parquet file says how many rows it has, and of which query', async (database) => {
  const library = await open(database)
  const path = `${books}.parquet?fields=rkey&limit=5`
  const file = await download(library, path)
  const pairs = await askDuckDb(
    `select decode(key) as key, decode(value) as value from parquet_kv_metadata('${file}')`,
  )
  assert.deepEqual(pairs, [
    { key: 'lexigraph.query', value: path },
    { key: 'lexigraph.rows', value: '5' },
  ])
})

test('a file without rows is whole', async (database) => {
  const library = await open(database)
  const nothing = `where=${encodeURIComponent('{"pages":{"lt":0}}')}`
  const csv = async (more: string) =>
    Buffer.from(await (await library.server.get(`${books}.csv?fields=rkey&${nothing}${more}`)).arrayBuffer())
  assert.equal((await csv('')).toString(), 'rkey\r\n')
  assert.equal((await csv('&bom=true')).toString(), '\uFEFFrkey\r\n')
  assert.equal(await (await library.server.get(`${books}.ndjson?fields=rkey&${nothing}`)).text(), '')
  const file = await download(library, `${books}.parquet?fields=rkey&${nothing}`)
  assert.deepEqual(await askDuckDb(`select count(*)::varchar as n from ${fromParquet(file)}`), [{ n: '0' }])
})

const refusals: readonly (readonly [name: string, path: string, says: RegExp])[] = [
  [
    'a collection that is not there',
    '/export/org.example.library.bok.csv',
    /Did you mean org\.example\.library\.book\?/,
  ],
  ['a format that is not there', `${books}.xlsx`, /csv, ndjson, parquet/],
  ['a parameter that is not there', 'were={}', /Did you mean `where`\?/],
  ['the paging of lists', 'first=3', /no parameter `first`/],
  ['a field that is not there', 'fields=titel', /Did you mean `title`\?/],
  ['a field below a text', 'fields=title.x', /`title` has no fields below/],
  ['a field behind an array', 'fields=credits.name', /one column\. Write `credits`/],
  ['a field of a union', 'fields=edition', /recordJson/],
  ['a reference to anything', 'fields=mention.title', /cannot be followed/],
  ['an empty name', 'fields=', /leave `fields` out/],
  ['a name as in `groupBy`', 'fields=author_name', /Did you mean `author\.name`/],
  ['a field twice', 'fields=title,title', /twice/],
  ['a list of other records', 'fields=orgExampleLibraryReviewViaBook', /no value/],
  ['a `where` that is not JSON', 'where={pages', /`where` is not JSON/],
  ['a `where` that does not fit', `where=${encodeURIComponent('{"pages":{"gt":"x"}}')}`, /pages/],
  ['an order that is not there', 'sortBy=blurb', /blurb/],
  ['no rows', 'limit=0', /1 to 1000/],
  ['more rows than the tier has', 'limit=1001', /1 to 1000/],
  ['a limit in words', 'limit=all', /1 to 1000/],
  ['a key in the URL', 'api_key=x', /X-API-Key/],
  ['a parameter twice', 'limit=1&limit=2', /twice/],
]

test('a request that cannot be exported is refused before the first byte, as in GraphQL', async (database) => {
  const { server } = await open(database)
  for (const [name, asked, says] of refusals) {
    const response = await server.get(asked.startsWith('/') ? asked : `${books}.csv?${asked}`)
    const isBad = name.startsWith('a key') || name === 'a parameter twice'
    const isUnknown = asked.startsWith('/')
    const code = isUnknown ? 'NOT_FOUND' : isBad ? 'BAD_REQUEST' : 'BAD_USER_INPUT'
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
    const [{ message, extensions }] = ((await response.json()) as Json).errors
    assert.deepEqual([response.status, extensions.code], [isUnknown ? 404 : 400, code], name)
    assert.match(message, says, name)
  }
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
function fetched(port: number, method: string, path: string): Promise<Fetched> {
  return new Promise((resolve, reject) => {
    request({ port, method, path, host: '127.0.0.1' }, async (response) => {
      const body = await readText(response)
      const { headers, trailers } = response
      const counts = ['x-row-count', 'x-total-count', 'x-truncated'].map((name) => headers[name])
      const name = headers['content-disposition'] ?? ''
      resolve({ counts, name, cost: headers['x-cost'], trailers: { ...trailers }, body })
    })
      .on('error', reject)
      .end()
  })
}

test('groups by a reference have fields of the record that it leads to', async (database) => {
  const { server, service } = await open(database)
  const response = await server.get(
    `${books}/aggregate.ndjson?groupBy=author&fields=author.name,author.employer.name&limit=1000`,
  )
  const lines = linesOf(await response.text())
  const { all } = await service.data(
    `{ all: orgExampleLibraryBookAggregate(groupBy: [author], limit: 1000) { groups { author count authorResolved { ... on OrgExampleLibraryPerson { name employerResolved { ... on OrgExampleLibraryPublisher { name } } } } } } }`,
  )
  const expected = all.groups.map(({ author, count, authorResolved }: Json) => ({
    author,
    count,
    'author.name': authorResolved?.name ?? null,
    'author.employer.name': authorResolved?.employerResolved?.name ?? null,
  }))
  assert.deepEqual(lines, expected)
  assert.ok(expected.some((group: Json) => typeof group['author.name'] === 'string'))
  const wrong = await server.get(`${books}/aggregate.csv?groupBy=genre&fields=author.name`)
  assert.equal(wrong.status, 400)
})
