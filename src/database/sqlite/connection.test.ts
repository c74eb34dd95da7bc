import assert from 'node:assert/strict'
import { copyFileSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/store/store.ts'
import { connect, createdFiles } from './connection.ts'
import { ServiceError } from '../../errors.ts'
import { derivationOf } from './layout/ddl.ts'
import { SqliteReader } from './read/reader.ts'

const inFolder = temporaryFolder()

test('a connection to a locked file is refused with the advice to try again', () => {
  const path = inFolder('busy.db')
  using database = new DatabaseSync(path)
  database.exec('create table thing (id integer primary key); begin exclusive')
  const isTold = ({ name, message, errcode }: Error & { errcode?: number }): boolean =>
    name === 'DatabaseBusyError' && /Try again when it is done/.test(message) && errcode === 5
  assert.throws(() => connect(path, false, { timeout: 0 }), isTold)
  assert.throws(() => connect(path, true, { timeout: 0 }), isTold)
})

test('a process knows which files it has created, also for a symbolic link, with a private mode', () => {
  const before = createdFiles.size
  writeFileSync(inFolder('found.db'), '')
  symlinkSync('target.db', inFolder('link.db'))
  for (const name of ['found.db', 'made.db', 'link.db']) connect(inFolder(name), false).close()
  const expected = ['made.db', 'target.db'].map((name) => realpathSync(inFolder(name)))
  assert.deepEqual([...createdFiles].slice(before), expected)
  for (const path of expected) assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('a reader rolls back what a killed program left in the middle of a transaction', () => {
  const [path, killed] = [inFolder('writing.db'), inFolder('killed.db')]
  using database = new DatabaseSync(path)
  database.exec('create table thing (value); insert into thing values (1)')
  // The cache is so small that SQLite writes changed pages to the file before the commit.
  database.exec('pragma cache_size = 1; begin; update thing set value = 2')
  for (let count = 0; count < 50; count += 1) database.exec('insert into thing values (randomblob(3000))')
  for (const suffix of ['', '-journal']) copyFileSync(path + suffix, killed + suffix)
  using reader = connect(killed, true)
  assert.deepEqual(
    { ...reader.prepare('select count(*) as count, max(value) as value from thing').get() },
    { count: 1, value: 1 },
  )
})

test('a file that another process has locked is a passing fault, with the cause for the operator', async () => {
  const path = inFolder('locked.db')
  const other = new DatabaseSync(path)
  other.exec('create table state (plan_version, derivation)')
  other.prepare('insert into state values (1, ?)').run(derivationOf('f'))
  const reader = new SqliteReader(new DatabaseSync(path, { readOnly: true, timeout: 0 }), {
    fingerprint: 'f',
    now: () => 0n,
    idle: () => null,
    long: null,
  })
  other.exec('begin exclusive')
  const isPassing = (error: unknown): boolean =>
    error instanceof ServiceError &&
    error.code === 'UNAVAILABLE' &&
    error.details.retryAfter === 1 &&
    error.cause !== undefined
  await assert.rejects(reader.readPlanState(), isPassing)
  await assert.rejects(
    reader.readAnswer({ text: 'select plan_version from state', values: [] }, { kind: 'short' }),
    isPassing,
  )
  other.exec('commit')
  other.close()
  await reader[Symbol.asyncDispose]()
})
