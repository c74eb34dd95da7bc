/** Groups as files hold what GraphQL answers. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import type { Json } from '../reference/shapes.ts'
import { onEveryDatabase as test } from '../support/store/databases.ts'
import { collections } from '../support/records/lexicons.ts'
import { temporaryFolder } from '../support/store/store.ts'
import { askDuckDb, fromCsv, fromParquet, withPlainCells } from './duckdb.ts'
import { at, linesOf, servedLibrary as open } from './library.ts'

const inFolder = temporaryFolder()

const groups = `/export/${collections.book}/aggregate`

interface Case {
  readonly parameters: Readonly<Record<string, string>>
  /** Arguments of the aggregate, and what is selected of a group. */
  readonly args: string
  readonly selection: string
  /** Columns, and the paths of those in the selection that have another there. */
  readonly columns: string
  readonly paths?: Readonly<Record<string, string>>
}

const cases: readonly Case[] = [
  {
    parameters: { groupBy: 'genre', fields: 'avg.pages,max.publishedAt,countDistinct.author' },
    args: 'groupBy: [genre], limit: 1000',
    selection: 'genre count avg { pages } max { publishedAt } distinct: countDistinct(field: author)',
    columns: 'genre count avg.pages max.publishedAt countDistinct.author',
    paths: { 'countDistinct.author': 'distinct' },
  },
  {
    parameters: {
      where: '{"pages":{"isNull":false}}',
      groupBy: 'author_country,publishedAt_month',
      denominator: '{}',
      orderBy: 'KEY_ASC',
      fields: 'percentile.pages.0.9,median.pages,share',
    },
    args: 'where: {pages: {isNull: false}}, groupBy: [author_country, publishedAt_month], denominator: {}, orderBy: KEY_ASC, limit: 1000',
    selection:
      'author_country publishedAt_month count total share percentile(field: pages, p: [0.9]) median { pages }',
    columns: 'author_country publishedAt_month count total share percentile.pages.0.9 median.pages',
    paths: { 'percentile.pages.0.9': 'percentile.0' },
  },
  {
    parameters: {
      groupBy: 'publishedAt_year',
      fields: 'change,change.avg.pages,change.percentile.pages.0.9',
    },
    args: 'groupBy: [publishedAt_year], limit: 1000',
    selection: `publishedAt_year count change mean: change(of: {measure: AVG, field: pages})
      high: change(of: {measure: PERCENTILE, field: pages, p: 0.9})`,
    columns: 'publishedAt_year count change change.avg.pages change.percentile.pages.0.9',
    paths: { 'change.avg.pages': 'mean', 'change.percentile.pages.0.9': 'high' },
  },
  {
    parameters: { groupBy: '["tags"]', limit: '3', minCount: '1' },
    args: 'groupBy: [tags], limit: 3, minCount: 1',
    selection: 'tags count',
    columns: 'tags count',
  },
]

for (const { parameters, args, selection, columns, paths } of cases) {
  const names = columns.split(' ')
  const asked = new URLSearchParams(parameters).toString()
  test(`groups by ${parameters.groupBy} are as GraphQL has them`, async (database) => {
    const { server, service } = await open(database)
    const { all } = await service.data(
      `{ all: orgExampleLibraryBookAggregate(${args}) { groupCount groups { ${selection} } } }`,
    )
    const expected = all.groups.map((group: Json) =>
      Object.fromEntries(names.map((name) => [name, at(group, paths?.[name] ?? name)])),
    )
    const lines = await server.get(`${groups}.ndjson?${asked}`)
    const text = await lines.text()
    assert.equal(lines.status, 200, text)
    assert.deepEqual(linesOf(text), expected)
    assert.equal(lines.headers.get('x-row-count'), String(all.groups.length))
    assert.equal(lines.headers.get('x-total-count'), String(all.groupCount))

    const cells = expected.map((row: Json) =>
      Object.fromEntries(names.map((name) => [name, row[name] === null ? null : String(row[name])])),
    )
    const csv = inFolder(`${Math.random()}.csv`)
    await writeFile(csv, await (await server.get(`${groups}.csv?${asked}`)).text())
    const rows = await askDuckDb(`select * from ${fromCsv(csv, names)}`)
    assert.deepEqual(rows.map(withPlainCells), cells)
    const parquet = inFolder(`${Math.random()}.parquet`)
    const bytes = await (await server.get(`${groups}.parquet?${asked}`)).arrayBuffer()
    await writeFile(parquet, Buffer.from(bytes))
    const counts = await askDuckDb(`select count::varchar as count from ${fromParquet(parquet)}`)
    assert.deepEqual(
      counts,
      cells.map(({ count }: Json) => ({ count })),
    )
  })
}

test('a HEAD request says how many groups there are, and whether some are left out', async (database) => {
  const { server } = await open(database)
  const head = await fetch(`${server.url}${groups}.csv?groupBy=tags&limit=2`, { method: 'HEAD' })
  assert.equal(head.headers.get('x-row-count'), '2')
  assert.equal(head.headers.get('x-truncated'), 'true')
  assert.match(head.headers.get('content-disposition') ?? '', /book\.aggregate-first-2\.csv"$/)
  assert.ok(Number(head.headers.get('x-cost')) > 0)
})

const refusals: readonly (readonly [name: string, parameters: string, says: RegExp])[] = [
  ['a key that is not there', 'groupBy=gener', /genre/],
  ['a measure that is not there', 'groupBy=genre&fields=average.pages', /average/],
  ['a field without that measure', 'groupBy=genre&fields=avg.title', /title/],
  ['a measure without its field', 'groupBy=genre&fields=countDistinct', /lacks `field`/],
  ['an object of measures', 'groupBy=genre&fields=avg', /`avg\.FIELD`/],
  ['no groups', 'fields=avg.pages', /`groupBy` is missing/],
  ['an empty list of groups', 'groupBy=[]', /`groupBy` is missing/],
  ['a field that is no name', 'groupBy=genre&fields=countDistinct.x){count}', /lacks `field`/],
  ['a change of no measure', 'groupBy=publishedAt_day&fields=change.x){y}', /no measure/],
  ['a rank out of range', 'groupBy=genre&fields=percentile.pages.90', /0 to 1/],
  ['too many groups', 'groupBy=genre&limit=1001', /0 to 1000/],
  ['an order of lists', 'groupBy=genre&sortBy=title', /no parameter `sortBy`/],
]

test('what no aggregate takes is refused as in GraphQL', async (database) => {
  const { server } = await open(database)
  for (const [name, parameters, says] of refusals) {
    const response = await server.get(`${groups}.csv?${parameters}`)
    const [{ message, extensions }] = ((await response.json()) as Json).errors
    assert.deepEqual([response.status, extensions.code], [400, 'BAD_USER_INPUT'], name)
    assert.match(message, says, name)
  }
})
