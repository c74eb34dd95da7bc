import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { line } from '../../../../test/support/records/note-lines.ts'
import { openNotes } from '../../../../test/support/records/notes.ts'
import { temporaryFolder } from '../../../../test/support/store/store.ts'
import { until } from '../../../../test/support/until.ts'
import { createLogShortener } from './transactions.ts'

const inFolder = temporaryFolder()
const megabytes = (count: number) => count * 1024 * 1024

test('readers that take turns without a pause keep the log from starting anew until a writer waits', async () => {
  const { writing, write, read, logged, size } = files('turns.db')
  const first = read()
  write(66)
  const shorten = createLogShortener(writing)
  let isShort = false
  const shortened = shorten().then(() => (isShort = true))
  const second = read()
  first.end()
  // Whoever comes now reads the file alone.
  await until(() => logged().left === 0)
  assert.equal(isShort, false)
  const third = read()
  second.end()
  await shortened
  write(1)
  assert.ok(logged().bytes < megabytes(2))
  assert.ok(size() < megabytes(2))
  assert.equal(third.rows(), 66)
  third.end()
})

test('a reader that is patient is left alone until the log has grown by as much again', async ({ mock }) => {
  const { writing, write, read, logged } = files('patient.db')
  const patient = read()
  write(66)
  const shorten = createLogShortener(writing)
  let now = 0
  const clock = mock.method(performance, 'now', () => (now += 10_000))
  await shorten()
  assert.ok(clock.mock.callCount() > 1)
  clock.mock.resetCalls()
  await shorten()
  write(40)
  await shorten()
  assert.equal(clock.mock.callCount(), 0)
  write(30)
  await shorten()
  assert.ok(clock.mock.callCount() > 1)
  assert.ok(logged().bytes > megabytes(136))
  patient.end()
  await shorten()
})

test('a writer shortens a log that is too long before it begins', async () => {
  const path = inFolder('writer.db')
  await using store = await openNotes(path)
  using other = new DatabaseSync(path)
  other.exec('pragma synchronous = off; create table filler (x); begin')
  const insert = other.prepare('insert into filler values (zeroblob(1048576))')
  for (let count = 0; count < 66; count += 1) insert.run()
  other.exec('commit')
  assert.ok(statSync(`${path}-wal`).size > megabytes(64))
  await store.apply(line('a'))
  assert.ok(statSync(`${path}-wal`).size < megabytes(2))
})

test('in memory there is no log', async () => {
  using writing = new DatabaseSync(':memory:')
  await createLogShortener(writing)()
})

function files(name: string) {
  const path = inFolder(name)
  const writing = new DatabaseSync(path, { timeout: 0 })
  writing.exec('pragma page_size = 8192; pragma journal_mode = wal; create table t (x)')
  return {
    writing,
    size: () => statSync(`${path}-wal`).size,
    /** Megabytes, a row and a transaction each. */
    write: (count: number) => {
      for (let row = 0; row < count; row += 1) writing.exec('insert into t values (zeroblob(1048576))')
    },
    /** A snapshot, until its end. */
    read: () => {
      const reading = new DatabaseSync(path, { readOnly: true })
      const count = reading.prepare('select count(*) as n from t')
      reading.exec('begin')
      const rows = () => count.get()?.n
      rows()
      return { rows, end: () => reading.close() }
    },
    logged: () => {
      const row = writing.prepare('pragma wal_checkpoint(passive)').get()
      return { bytes: 8192 * Number(row?.log), left: Number(row?.log) - Number(row?.checkpointed) }
    },
  }
}
