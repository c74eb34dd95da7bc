import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Json } from '../../../../test/reference/shapes.ts'
import { understand } from '../../../../test/support/records/understand.ts'
import { openTestStore, temporaryFolder } from '../../../../test/support/store/store.ts'
import { fill, line, open, size, tamper, thing } from '../../../../test/support/records/things.ts'
import { connect } from '../connection.ts'
import { isCurrent } from './layout.ts'
import { migrate } from './migrate.ts'

const inFolder = temporaryFolder()

test('a new file is laid out as its lexicons say, ready to be read', async () => {
  await using store = await open(inFolder('new.db'), [thing(size), thing({}, 'org.example.other')])
  const state = await store.database.read.readPlanState()
  assert.deepEqual(state, {
    version: 1,
    ordered: new Set(['org.example.thing', 'org.example.other']),
    hiding: false,
  })
  assert.deepEqual(await store.rows('pragma journal_mode'), [{ journal_mode: 'wal' }])
})

test('opening a file whose lexicons have not changed writes nothing', async () => {
  const path = inFolder('unchanged.db')
  await fill(path, [thing(size)], [line('a', { size: 1 })])
  const before = readFileSync(path)
  const { mtimeNs } = statSync(path, { bigint: true })
  await (await open(path, [thing(size)]))[Symbol.asyncDispose]()
  assert.ok(before.equals(readFileSync(path)))
  assert.equal(statSync(path, { bigint: true }).mtimeNs, mtimeNs)
})

test('a rebuild waits for the lock as long as another process is at work on it, and no longer', async () => {
  const path = inFolder('locked.db')
  await fill(path, [thing(size)], [line('a', { size: 1 })])
  const { set, tables } = understand([thing({ ...size, text: { type: 'string' } })], {})
  using other = new DatabaseSync(path)
  using own = connect(path, false, 64, 0)
  let clock = 1_800_000_000_000_000n
  /** From its first step on, another connection holds the lock. */
  const migrateBeside = (whileHeld: () => void): Promise<void> => {
    let isFirst = true
    return migrate(own, {
      tables,
      fingerprint: set.fingerprint,
      check: () => null,
      onProgress: () => {
        if (isFirst) other.exec('begin immediate')
        isFirst = false
      },
      now: () => {
        if (other.isTransaction) whileHeld()
        return clock
      },
    })
  }
  await assert.rejects(
    migrateBeside(() => (clock += 31_000_000n)),
    {
      name: 'DatabaseBusyError',
      message: 'Another process is writing to the database. Try again when it is done.',
    },
  )
  other.exec('rollback')
  let attempts = 0
  await migrateBeside(() => {
    attempts += 1
    if (attempts === 5) other.exec('rollback')
  })
  assert.equal(attempts, 5)
  assert.ok(isCurrent(own, set.fingerprint))
})

test('a reader is told that lexicons have changed, and the rows that it reads stay whole', async () => {
  const path = inFolder('readers.db')
  const lines = ['a', 'b', 'c'].map((key) => line(key, { size: 1 }))
  await using reader = await open(path, [thing(size)])
  await reader.load(lines)
  const rows = reader.database.read.readRows({ text: 'select rkey from "org.example.thing"', values: [] })
  const seen: unknown[] = []
  for await (const { rkey } of rows) {
    seen.push(rkey)
    if (seen.length === 1) await (await open(path, [thing({})]))[Symbol.asyncDispose]()
  }
  assert.deepEqual(seen, ['a', 'b', 'c'])
  await assert.rejects(reader.database.read.readPlanState(), /other lexicons; restart/)
  await assert.rejects(reader.apply(line('d', {})), /rebuilt for other lexicons/)
})

test('a file of a newer version is refused and left alone', async () => {
  const path = inFolder('newer.db')
  await fill(path, [thing(size)], [])
  tamper(path, 'pragma user_version = 99')
  await refused(
    path,
    /^The file has schema version 99; this program knows versions up to \d+\. Use a newer lexigraph\.$/,
  )
})

test('a file of an older version is refused and left alone', async () => {
  const path = inFolder('older.db')
  await fill(path, [thing(size)], [])
  tamper(path, 'pragma user_version = 1')
  await refused(
    path,
    /^The file has schema version 1; this program knows only version \d+\. Name an empty database, and fill it/,
  )
})

test('a process that may not rebuild leaves a file of other lexicons as it is, and opens one of the same', async () => {
  const path = inFolder('passing.db')
  await fill(path, [thing(size)], [line('a', { size: 7 })])
  const passing = (properties: Json) =>
    openTestStore({ path, lexicons: [thing(properties)], rebuild: 'never' })
  const before = readFileSync(path)
  await assert.rejects(
    passing({}),
    /^BuiltElsewiseError: it was built with other lexicons or by another version\./,
  )
  assert.ok(before.equals(readFileSync(path)))
  await (await passing(size))[Symbol.asyncDispose]()
})

test("another program's SQLite file is refused and left alone", async () => {
  const path = inFolder('other.db')
  tamper(path, 'create table t (x); insert into t values (1)')
  await refused(
    path,
    /^The file is a SQLite database of another program\. Name another file with --database\.$/,
  )
  assert.ok(!existsSync(`${path}-wal`))
})

test('a text file is refused and left alone', async () => {
  const path = inFolder('text.db')
  writeFileSync(path, 'This is no database, but a text that is long enough to be taken for one. '.repeat(50))
  await refused(path, /not a database/)
})

test('an empty file becomes a database', async () => {
  const path = inFolder('empty.db')
  writeFileSync(path, '')
  await using store = await open(path, [thing(size)])
  assert.deepEqual(await store.apply(line('a', { size: 1 })), {
    stored: 1,
    updated: 0,
    unchanged: 0,
    older: 0,
    rejected: 0,
    deleted: 0,
    withheld: 0,
    purged: 0,
    expired: 0,
  })
})

test('a directory, and a folder that does not exist, are named as what they are', async () => {
  const directory = inFolder('directory.db')
  mkdirSync(directory)
  await assert.rejects(open(directory, [thing(size)]), /is a directory\. Name a file\.$/)
  await assert.rejects(open(inFolder('no/where.db'), [thing(size)]), /There is no folder \S+no\./)
})

test('a folder that may not be written to is an error, not a crash', async (t) => {
  if (process.getuid?.() === 0) return t.skip('root may write everywhere')
  const folder = inFolder('read-only')
  mkdirSync(folder)
  chmodSync(folder, 0o555)
  await assert.rejects(open(`${folder}/x.db`, [thing(size)]), /unable to open/)
})

async function refused(path: string, why: RegExp): Promise<void> {
  const before = readFileSync(path)
  await assert.rejects(open(path, [thing(size)]), (error: Error) => why.test(error.message))
  assert.ok(before.equals(readFileSync(path)))
}
