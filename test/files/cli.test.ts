/** `query --format` as operators run it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { demo, writeLines } from '../support/demo-databases.ts'
import { commandsInTurn } from '../support/server/commands.ts'
import { onOneDatabase } from '../support/store/databases.ts'
import { emptyDatabases, temporaryFolder } from '../support/store/store.ts'
import { askDuckDb, fromCsv, fromParquet } from './duckdb.ts'

const inFolder = temporaryFolder()
const runProgram = commandsInTurn()
const emptyUrl = emptyDatabases()
const french = `query French($first: Int) {
  techServiceNewsArticle(where: {language: {eq: "fr"}}, sortBy: [{field: publishedAt, direction: DESC}], first: $first) {
    nodes { title source: sourceResolved { ... on TechServiceNewsSource { displayName } } publishedAt } } }`
const months = `{ techServiceNewsArticleAggregate(where: {language: {in: ["fr", "ja"]}}, denominator: {}, limit: 2,
  groupBy: [publishedAt_month, language], orderBy: KEY_DESC, timeZone: "Europe/Berlin") {
    groups { publishedAt_month language count total share max { publishedAt } } } }`

onOneDatabase(
  'the rows of a query are written as a file of any format, to a path or to standard output',
  async (engine) => {
    const database = ['--database', await emptyUrl(engine)]
    const run = (...args: readonly string[]) => runProgram([...args, ...database])
    const records = writeLines(inFolder(`${engine}.jsonl`), demo)
    assert.equal((await run('import', records)).status, 0)
    const fields = ['title', 'source.displayName', 'publishedAt']
    const count = async (source: string): Promise<number> =>
      Number((await askDuckDb(`select count(*)::varchar as n from ${source}`))[0]?.n)

    const csv = inFolder(`${engine}.csv`)
    const written = await run('query', french, '--format', 'csv', '--output', csv)
    const rows = await count(fromCsv(csv, fields))
    assert.ok(rows > 20)
    assert.deepEqual(written, { stdout: '', stderr: `Wrote ${rows} rows.\n`, status: 0 })

    const parquet = inFolder(`${engine}.parquet`)
    await run('query', french, '--format', 'parquet', '--output', parquet)
    assert.equal(await count(fromParquet(parquet)), rows)

    const lines = await run('query', french, '--format', 'ndjson', '--variables', '{"first": 3}')
    assert.equal(lines.stdout.trimEnd().split('\n').length, 3)
    assert.deepEqual(Object.keys(JSON.parse(lines.stdout.split('\n')[0] ?? '')), fields)

    const grouped = await run('query', months, '--format', 'csv', '--bom')
    assert.equal(grouped.status, 0, grouped.stderr)
    const [head, first, second, ...more] = grouped.stdout.trimEnd().split('\r\n')
    assert.equal(head, '\uFEFFpublishedAt_month,language,count,total,share,max.publishedAt')
    assert.match(first ?? '', /^2026-11-01T00:00:00\+01:00,ja,\d+,\d+,1/)
    assert.match(second ?? '', /^2026-11-01T00:00:00\+01:00,fr,\d+,\d+,1/)
    assert.deepEqual([more, grouped.stderr], [[], 'Wrote 2 rows.\n'])
    const before = readFileSync(csv)
    const again = await run('query', french, '--format', 'csv', '--output', csv)
    assert.equal(again.status, 1)
    assert.match(again.stderr, /it is there already/)
    assert.deepEqual(readFileSync(csv), before)
    const wrong = await run('query', french.replace('title', 'titel'), '--format', 'csv')
    assert.deepEqual([wrong.status, wrong.stdout], [1, ''])
    assert.match(wrong.stderr, /Did you mean.*title/)
  },
)

test('options of files without a format are misuse', async () => {
  const { status, stderr } = await runProgram(['query', french, '--output', 'x.csv'])
  assert.equal(status, 2)
  assert.match(stderr, /--output only together with --format/)
})
