import assert from 'node:assert/strict'
import { copyFileSync, existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { line } from '../../../test/support/note-lines.ts'
import { openNotes } from '../../../test/support/notes.ts'
import { inPairs, temporaryFolder } from '../../../test/support/store.ts'
import type { Change } from '../database.ts'
import { connect } from './connection.ts'
import { beginDirectWriting, endDirectWriting, inLog } from './direct-writing.ts'

const inFolder = temporaryFolder()

test('what was written directly and broken off is undone, even by who only reads', () => {
  const [path, left] = [inFolder('killed.db'), inFolder('left.db')]
  const database = new DatabaseSync(path)
  database.exec(`${inLog} pragma cache_size = 4; create table thing (id integer primary key, text)`)
  assert.equal(beginDirectWriting(database), true)
  database.exec('begin immediate')
  const add = database.prepare('insert into thing (text) values (?)')
  for (let at = 0; at < 2000; at += 1) add.run('x'.repeat(1000))
  // As a process that is killed leaves them.
  copyFileSync(path, left)
  copyFileSync(`${path}-journal`, `${left}-journal`)
  database.close()
  const reading = connect(left, true)
  assert.deepEqual({ ...reading.prepare('select count(*) as n from thing').get() }, { n: 0 })
  assert.deepEqual({ ...reading.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
  const next = new DatabaseSync(left)
  assert.equal(beginDirectWriting(next), false)
  next.close()
  reading.close()
})

test('whoever comes while a file is written directly is told to come again', () => {
  const path = inFolder('busy.db')
  const database = new DatabaseSync(path)
  database.exec(`${inLog} create table thing (id integer primary key)`)
  beginDirectWriting(database)
  database.exec('begin exclusive')
  const isTold = ({ name, message, errcode }: Error & { errcode?: number }): boolean =>
    name === 'DatabaseBusyError' && /Try again when it is done/.test(message) && errcode === 5
  assert.throws(() => connect(path, false, 64, 0), isTold)
  assert.throws(() => connect(path, true, 64, 0), isTold)
  database.close()
})

test('a file that others have open is written through its log', () => {
  const path = inFolder('shared.db')
  const [database, other] = [new DatabaseSync(path), new DatabaseSync(path)]
  database.exec(`${inLog} create table thing (id integer primary key)`)
  other.prepare('select * from thing').all()
  assert.equal(beginDirectWriting(database), false)
  assert.equal(modeOf(database), 'wal')
  other.close()
  assert.equal(beginDirectWriting(database), true)
  assert.equal(modeOf(database), 'delete')
  endDirectWriting(database)
  assert.equal(modeOf(database), 'wal')
  database.close()
})

for (const reads of [false, true])
  test(`a load ${reads ? 'beside who reads' : 'that has the file to itself'} ends in a file with a log`, async () => {
    const path = inFolder(`${reads}.db`)
    await using store = await openNotes(path)
    if (reads) await store.rows('select id from "org.example.note"')
    const lines = Array.from({ length: 10 }, (_, at) => line(`k${at}`, { text: `Wort ${at}` }))
    let direct: boolean | null = null
    async function* batches(): AsyncGenerator<readonly Change[]> {
      for await (const batch of inPairs(lines.map(store.change))) {
        yield batch
        direct = existsSync(`${path}-journal`)
        if (reads) assert.deepEqual(await store.rows('select id from "org.example.note"'), [])
      }
    }
    await store.database.write.load(batches())
    assert.equal(direct, !reads)
    assert.equal((await store.rows('select id from "org.example.note"')).length, 10)
    assert.equal((await store.rows('pragma journal_mode'))[0]?.journal_mode, 'wal')
  })

test('nobody begins to read in the middle of a direct load, which that could keep from ending', async () => {
  const path = inFolder('alone.db')
  await using store = await openNotes(path)
  const lines = Array.from({ length: 4 }, (_, at) => line(`k${at}`, { text: `Wort ${at}` }))
  const other = new DatabaseSync(path, { readOnly: true, timeout: 0 })
  async function* batches(): AsyncGenerator<readonly Change[]> {
    for await (const batch of inPairs(lines.map(store.change))) {
      assert.throws(() => other.exec('begin; select count(*) from base'), { errcode: 5 })
      other.exec('rollback')
      yield batch
    }
  }
  await store.database.write.load(batches())
  assert.equal((await store.rows('select id from "org.example.note"')).length, 4)
  other.close()
})

test('a file that another process has filled since it was opened is written through its log', async () => {
  const path = inFolder('filled.db')
  await using store = await openNotes(path)
  const lines = Array.from({ length: 4 }, (_, at) => line(`k${at}`, { text: `Wort ${at}` }))
  {
    await using other = await openNotes(path)
    await other.load(lines)
  }
  const modes: unknown[] = []
  async function* batches(): AsyncGenerator<readonly Change[]> {
    for await (const batch of inPairs(lines.map(store.change))) {
      const reading = new DatabaseSync(path, { readOnly: true, timeout: 0 })
      modes.push(modeOf(reading))
      reading.close()
      yield batch
    }
  }
  await store.database.write.load(batches())
  assert.deepEqual(modes, ['wal', 'wal'])
})

function modeOf(database: DatabaseSync): unknown {
  return database.prepare('pragma journal_mode').get()?.journal_mode
}
