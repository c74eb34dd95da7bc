/** Commands on records: files in; databases, files and what was refused out. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { countedInTime, programFile } from './network/service.ts'
import {
  corpus,
  exitOf,
  file,
  folder,
  importCorpus,
  newest,
  records,
  run,
  runApart,
  shared,
  start,
} from './support/server/command-line.ts'

test('records import from files, gzip and standard input, and what is refused is counted', async () => {
  const packed = file('packed.jsonl.gz', gzipSync(corpus.slice(0, 80).join('\n')))
  const database = join(folder, 'mixed.db')
  const lines = `${corpus.slice(80).join('\n')}\nno json\n{"uri":"at://x"}\n`
  const { stdout, stderr, status } = await runApart(
    ['import', packed, '-', '--json', '--database', database],
    {
      input: lines,
    },
  )
  assert.match(stderr, /^2 of 122 records were refused; [^\n]+\n$/)
  assert.equal(status, 0)
  const { seconds, recordsPerSecond, ...counts } = JSON.parse(stdout)
  assert.ok(seconds > 0 && recordsPerSecond > 0)
  assert.deepEqual(counts, {
    read: 122,
    stored: 120,
    updated: 0,
    unchanged: 0,
    older: 0,
    withheld: 0,
    purged: 0,
    expired: 0,
    refused: { malformed: 1, 'bad-uri': 1 },
  })
})

test('importing a file twice changes nothing, and the table says so', async () => {
  const database = await importCorpus('twice.db')
  const before = await run(['export', '--database', database])
  const { stdout } = await run(['import', records, '--database', `sqlite:${database}`])
  const table = Object.fromEntries(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s{2,}/)),
  )
  assert.deepEqual([table.read, table.stored, table.unchanged, table.refused], ['120', '0', '120', '0'])
  assert.deepEqual(await run(['export', '--database', database]), before)
})

test('an import fails when every record is refused, and strictly when any is', async () => {
  const bad = file('bad.jsonl', 'no json\n{"uri":"at://x"}\n')
  const mixed = file('mixed.jsonl', `no json\n${corpus[0]}\n`)
  const importInto = (name: string, ...args: readonly string[]) =>
    run(['import', ...args, '--database', join(folder, name)])
  const all = await importInto('all-refused.db', bad)
  assert.deepEqual(
    [all.stderr, all.status],
    ['Every record was refused; `lexigraph rejections` lists them with their reasons.\n', 1],
  )
  const some = await importInto('some-refused.db', mixed)
  assert.equal(some.status, 0)
  // What is there already is stored, and an empty file has nothing to refuse.
  assert.equal((await importInto('some-refused.db', mixed)).status, 0)
  assert.equal((await importInto('some-refused.db', file('empty.jsonl', ''))).status, 0)
  const strict = await importInto('some-refused.db', mixed, '--strict', '--json')
  assert.match(strict.stderr, /^1 of 2 records was refused; `lexigraph rejections` lists them/)
  assert.deepEqual([strict.status, JSON.parse(strict.stdout).unchanged], [1, 1])
  assert.equal((await importInto('none-refused.db', records, '--strict')).status, 0)
})

test('what is exported is imported to the same state', async () => {
  const exported = await run(['export', '--database', await shared()])
  const copy = file('copy.jsonl', exported.stdout)
  const database = join(folder, 'to.db')
  await run(['import', copy, '--database', database])
  assert.equal((await run(['export', '--database', database])).stdout, exported.stdout)
  assert.equal(exported.stdout.split('\n').length, 121)
})

test('files that cannot be read end in one sentence and a status', async () => {
  const database = ['--database', join(folder, 'bad.db')]
  const missing = await run(['import', 'nowhere.jsonl', ...database])
  assert.deepEqual(
    [missing.stderr, missing.status],
    ['nowhere.jsonl cannot be read: there is no such file.\n', 1],
  )
  const cut = file('cut.jsonl.gz', gzipSync(corpus.join('\n')).subarray(0, 2000))
  const damaged = await run(['import', cut, ...database])
  assert.equal(damaged.status, 1)
  assert.match(
    damaged.stderr,
    /^\S+cut\.jsonl\.gz ends in the middle of its gzip data: [^\n]+\nThe new database [^\n]+\n$/,
  )
  const other = await run(['export', '--database', records])
  assert.equal(other.status, 1)
  assert.match(other.stderr, /^The database \S+ cannot be opened: [^\n]+\n$/)
})

test('replicas of a file are refused, also where there is nothing to be done to it', async () => {
  const replicas = ['--read-database', 'postgres://db2/records']
  assert.deepEqual(await run(['query', newest, '--database', await shared(), ...replicas]), {
    stdout: '',
    stderr: '--read-database is for PostgreSQL; name its primary with --database.\n',
    status: 2,
  })
})

test('check reports every problem of records and of lexicons', async () => {
  const bad = file('bad.jsonl', `${corpus[0]}\nno json\n{"uri":"at://x"}\n`)
  const checked = await run(['check', bad])
  assert.equal(checked.status, 1)
  assert.match(
    checked.stdout,
    /bad\.jsonl:2: malformed: .*\n.*bad\.jsonl:3: bad-uri: .*\n3 records read, 2 of them refused\.\n$/,
  )
  const lexicons = mkdtempSync(join(folder, 'lexicons-'))
  writeFileSync(
    join(lexicons, 'a.json'),
    '{"lexicon": 1, "id": "org.example.a", "defs": {"main": {"type": "none"}}}',
  )
  writeFileSync(join(lexicons, 'b.json'), 'no json')
  const { stdout, status } = await run(['check', '--lexicons', lexicons, '--json'])
  assert.equal(status, 1)
  assert.ok(JSON.parse(stdout).lexicons.problems.length >= 2)
  const schema = await run(['schema', '--lexicons', lexicons])
  assert.equal(schema.status, 1)
  assert.match(schema.stderr, /^[^\n]+`lexigraph check` prints all\.\n$/)
})

test('each command says what to do about a damaged file', async () => {
  const database = join(folder, 'damaged.db')
  await run(['import', file('whole.jsonl', corpus.slice(0, 20).join('\n')), '--database', database])
  const bytes = readFileSync(database)
  for (const from of [200_000, 8_000]) {
    writeFileSync(database, bytes.subarray(0, from))
    for (const args of [
      ['status'],
      ['query', '{ __typename }'],
      ['check'],
      ['backup', join(folder, 'damaged.backup')],
      ['export'],
      ['import', join(folder, 'whole.jsonl')],
      ['hide', 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', '--reason', 'A test.'],
    ]) {
      const { stderr, status } = await run([...args, '--database', database])
      assert.match(
        stderr,
        /The file is damaged: restore a backup into a new file \(docs\/backups\.md\), or import the records again\.\n$/,
        args.join(' '),
      )
      assert.equal(status, 1)
    }
  }
})

test('what was refused is listed without writing to the file, also while another writes', async () => {
  const bad = file('refused.jsonl', `no json\n{"uri":"at://x"}\n`)
  const database = join(folder, 'refused.db')
  await run(['import', bad, '--database', database])
  using writing = new DatabaseSync(database)
  writing.exec('begin immediate')
  const listed = await run(['rejections', '--json', '--database', database])
  assert.deepEqual([listed.stderr, listed.status], ['', 0])
  const reasons = listed.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).reason)
  assert.deepEqual(reasons.toSorted(), ['bad-uri', 'malformed'])
  writing.exec('rollback')

  const others = fileURLToPath(new URL('schemas/site-standard/lexicons', import.meta.url))
  const elsewise = await run(['rejections', '--lexicons', others, '--database', database])
  assert.equal(elsewise.status, 1)
  assert.match(elsewise.stderr, /built with other lexicons/)
  assert.equal((await run(['query', newest, '--database', database])).status, 0)
})

/** Its rows are more than 64 KiB. */
const articles = '{ techServiceNewsArticle { nodes { uri recordJson again: recordJson } } }'

test('output for which the disk has no room ends in one sentence and a status', {
  skip: !existsSync('/dev/full'),
}, async () => {
  const database = ['--database', await shared()]
  for (const args of [
    ['schema'],
    ['status', ...database],
    ['export', ...database],
    ['query', articles, '--format', 'csv', ...database],
    ['--help'],
  ]) {
    const { stderr, status } = await countedInTime(async () =>
      spawnSync(process.execPath, [programFile, ...args], {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
      }),
    )
    assert.deepEqual([args, status], [args, 1])
    assert.match(stderr, /^[A-Z][^\n]+ENOSPC[^\n]+\. Make room on the disk, and run the command again\.\n$/)
  }
})

test('a file that is cut off has not its final name', async () => {
  const database = await importCorpus('cut-off.db')
  // The output outgrows what the process may write to a file.
  const args = ['query', articles, '--format', 'ndjson', '--output', 'cut.ndjson', '--database', database]
  const cut = `ulimit -f 64; exec "$0" "$@"`
  const command = ['-c', cut, process.execPath, programFile, ...args]
  const { status, stderr } = spawnSync('bash', command, { cwd: folder, encoding: 'utf8' })
  assert.equal(status, 1, stderr)
  assert.match(stderr, /^The file on cut\.ndjson was not completed: EFBIG[^\n]+\n$/)
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('cut.nd')),
    [],
  )
})

test('a reader that stops early is no failure', async () => {
  const child = start(['export', '--database', await shared()])
  const stderr = text(child.stderr)
  await once(child.stdout, 'readable')
  child.stdout.destroy()
  assert.deepEqual([await exitOf(child), await stderr], [0, ''])
})
