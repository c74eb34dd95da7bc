/** Groups as files hold what GraphQL answers. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import type { Json } from '../reference/shapes.ts'
import { onEveryDatabase as test } from '../support/store/databases.ts'
import { temporaryFolder } from '../support/store/store.ts'
import { askDuckDb, fromCsv, fromParquet, withPlainCells } from './duckdb.ts'
import { at, fileOf, linesOf, servedLibrary as open } from './library.ts'

const inFolder = temporaryFolder()

const queryOf = (args: string, selection: string): string =>
  `{ all: orgExampleLibraryBookAggregate(${args}) { ${selection} } }`

/** A list with one percentile is a number. */
const valueOf = (group: Json, name: string): unknown => {
  const value = at(group, name)
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}

const cases: readonly (readonly [args: string, selection: string, columns: string])[] = [
  [
    'groupBy: [genre]',
    'genre count avg { pages } max { publishedAt } distinct: countDistinct(field: author)',
    'genre count avg.pages max.publishedAt distinct',
  ],
  [
    'where: {pages: {isNull: false}}, groupBy: [author_country, publishedAt_month], denominator: {}, orderBy: KEY_ASC',
    'author_country publishedAt_month count total share percentile(field: pages, p: [0.9]) median { pages }',
    'author_country publishedAt_month count total share percentile median.pages',
  ],
  [
    'groupBy: [language]',
    'language count one: percentile(field: pages, p: 0.1) two: percentile(field: pages, p: [0.1, 0.9])',
    'language count one two',
  ],
  [
    'groupBy: [publishedAt_year]',
    `publishedAt_year count change mean: change(of: {measure: AVG, field: pages})
      high: change(of: {measure: PERCENTILE, field: pages, p: 0.9})`,
    'publishedAt_year count change mean high',
  ],
  [
    'groupBy: [tags], limit: 3, having: {measure: COUNT, operator: GTE, value: 1}',
    'tags count',
    'tags count',
  ],
  [
    'groupBy: [author]',
    `author count is: authorResolved { ... on OrgExampleLibraryPerson { name
      employerResolved { ... on OrgExampleLibraryPublisher { name } } } }`,
    'author count is.name is.employerResolved.name',
  ],
]

for (const [args, selection, columns] of cases) {
  const names = columns.split(' ')
  const query = queryOf(args, `groups { ${selection} }`)
  test(`groups by ${/groupBy: \[(.*?)\]/.exec(args)?.[1]} are as GraphQL has them`, async (database) => {
    const { server, service } = await open(database)
    // Without a limit a file has as many groups as there may be.
    const whole = args.includes('limit') ? args : `${args}, limit: 1000`
    const { all } = await service.data(queryOf(whole, `groupCount groups { ${selection} }`))
    const expected = all.groups.map((group: Json) =>
      Object.fromEntries(names.map((name) => [name, valueOf(group, name)])),
    )
    const lines = await server.get(fileOf(query, 'ndjson'))
    const text = await lines.text()
    assert.equal(lines.status, 200, text)
    assert.deepEqual(linesOf(text), expected)
    assert.equal(lines.headers.get('x-row-count'), String(all.groups.length))
    assert.equal(lines.headers.get('x-total-count'), String(all.groupCount))

    const cellOf = (value: unknown): string => (Array.isArray(value) ? JSON.stringify(value) : String(value))
    const cells = expected.map((row: Json) =>
      Object.fromEntries(names.map((name) => [name, row[name] === null ? null : cellOf(row[name])])),
    )
    const csv = inFolder(`${Math.random()}.csv`)
    await writeFile(csv, await (await server.get(fileOf(query))).text())
    const rows = await askDuckDb(`select * from ${fromCsv(csv, names)}`)
    assert.deepEqual(rows.map(withPlainCells), cells)
    const parquet = inFolder(`${Math.random()}.parquet`)
    const bytes = await (await server.get(fileOf(query, 'parquet'))).arrayBuffer()
    await writeFile(parquet, Buffer.from(bytes))
    const counts = await askDuckDb(`select count::varchar as count from ${fromParquet(parquet)}`)
    assert.deepEqual(
      counts,
      cells.map(({ count }: Json) => ({ count })),
    )
  })
}

test('one percentile is a column of numbers, several are a list', async (database) => {
  const { server } = await open(database)
  const query = `query ($p: [Float!]!) ${queryOf('groupBy: [genre]', 'groups { x: percentile(field: pages, p: $p) }')}`
  for (const [p, type] of [
    [[0.9], 'BIGINT'],
    [[0.1, 0.9], 'VARCHAR'],
  ] as const) {
    const address = `${fileOf(query, 'parquet')}&variables=${encodeURIComponent(JSON.stringify({ p }))}`
    const parquet = inFolder(`${Math.random()}.parquet`)
    await writeFile(parquet, Buffer.from(await (await server.get(address)).arrayBuffer()))
    assert.deepEqual(await askDuckDb(`select distinct typeof(x) as type from ${fromParquet(parquet)}`), [
      { type },
    ])
  }
})

test('a HEAD request says how many groups there are, and whether some are left out', async (database) => {
  const { server } = await open(database)
  const query = queryOf('groupBy: [tags], limit: 2', 'groups { tags }')
  const head = await fetch(`${server.url}${fileOf(query)}`, { method: 'HEAD' })
  assert.equal(head.headers.get('x-row-count'), '2')
  assert.equal(head.headers.get('x-truncated'), 'true')
  assert.match(head.headers.get('content-disposition') ?? '', /book\.aggregate-first-2\.csv"$/)
  assert.ok(Number(head.headers.get('x-cost')) > 0)
})
