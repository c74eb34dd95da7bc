/** `export --format` as operators run it. */
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
const article = 'tech.service.news.article'

onOneDatabase(
  'a collection is written as a file of any format, to a path or to standard output',
  async (engine) => {
    const database = ['--database', await emptyUrl(engine)]
    const run = (...args: readonly string[]) => runProgram([...args, ...database])
    const records = writeLines(inFolder(`${engine}.jsonl`), demo)
    assert.equal((await run('import', records)).status, 0)
    const fields = ['title', 'source.displayName', 'publishedAt']
    const where = '{"language": {"eq": "fr"}}'
    const french = ['--collection', article, '--where', where, '--fields', fields.join(',')]
    const count = async (source: string): Promise<number> =>
      Number((await askDuckDb(`select count(*)::varchar as n from ${source}`))[0]?.n)

    const csv = inFolder(`${engine}.csv`)
    const written = await run('export', '--format', 'csv', ...french, csv)
    const rows = await count(fromCsv(csv, fields))
    assert.ok(rows > 10)
    assert.deepEqual(written, { stdout: '', stderr: `Wrote ${rows} rows.\n`, status: 0 })

    const parquet = inFolder(`${engine}.parquet`)
    await run('export', '--format', 'parquet', ...french, '--sort-by', 'publishedAt:desc', parquet)
    assert.equal(await count(fromParquet(parquet)), rows)

    const lines = await run('export', '--format', 'ndjson', ...french, '--limit', '3', '--search', 'Lyon')
    assert.equal(lines.stdout.trimEnd().split('\n').length, 3)
    assert.deepEqual(Object.keys(JSON.parse(lines.stdout.split('\n')[0] ?? '')), fields)

    const months = `--group-by publishedAt_month,language --denominator {} --order-by KEY_DESC
      --time-zone Europe/Berlin --fields max.publishedAt --limit 2`.split(/\s+/)
    const chosen = ['--collection', article, '--where', '{"language": {"in": ["fr", "ja"]}}', ...months]
    const grouped = await run('export', '--format', 'csv', ...chosen)
    assert.equal(grouped.status, 0, grouped.stderr)
    const [head, first, second, ...more] = grouped.stdout.trimEnd().split('\r\n')
    assert.equal(head, 'publishedAt_month,language,count,total,share,max.publishedAt')
    assert.match(first ?? '', /^2026-11-01T00:00:00\+01:00,ja,\d+,\d+,1/)
    assert.match(second ?? '', /^2026-11-01T00:00:00\+01:00,fr,\d+,\d+,1/)
    assert.deepEqual([more, grouped.stderr], [[], 'Wrote 2 rows.\n'])
    const before = readFileSync(csv)
    const again = await run('export', '--format', 'csv', ...french, csv)
    assert.equal(again.status, 1)
    assert.match(again.stderr, /it is there already/)
    assert.deepEqual(readFileSync(csv), before)
    for (const [option, name, says] of [
      ['--group-by', 'langage', /language/],
      ['--fields', 'titel', /Did you mean `title`\?/],
    ] as const) {
      const wrong = await run('export', '--format', 'csv', '--collection', article, option, name)
      assert.deepEqual([wrong.status, wrong.stdout], [1, ''])
      assert.match(wrong.stderr, says)
    }
  },
)

test('options of files without a format, and a format without a collection, are misuse', async () => {
  for (const [options, says] of [
    ['--fields title', /--fields only together with --format/],
    ['--format csv', /needs --collection NSID/],
    [`--format csv --collection ${article} --having []`, /--having is for groups: write --group-by with it/],
  ] as const) {
    const { status, stderr } = await runProgram(['export', ...options.split(' ')])
    assert.equal(status, 2)
    assert.match(stderr, says)
  }
})
