import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/store.ts'
import { connect } from './connection.ts'

const inFolder = temporaryFolder()

test('a load by an earlier version that was killed is rolled back, even by a connection that only reads', () => {
  const [path, left] = [inFolder('killed.db'), inFolder('left.db')]
  const database = new DatabaseSync(path)
  database.exec('pragma cache_size = 4; create table thing (id integer primary key, text); begin exclusive')
  const add = database.prepare('insert into thing (text) values (?)')
  for (let at = 0; at < 2000; at += 1) add.run('x'.repeat(1000))
  // As a process that is killed leaves them.
  copyFileSync(path, left)
  copyFileSync(`${path}-journal`, `${left}-journal`)
  database.close()
  using reading = connect(left, true)
  assert.deepEqual({ ...reading.prepare('select count(*) as n from thing').get() }, { n: 0 })
  assert.deepEqual({ ...reading.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
})

test('whoever comes while a file is locked is told to try again', () => {
  const path = inFolder('busy.db')
  using database = new DatabaseSync(path)
  database.exec('create table thing (id integer primary key); begin exclusive')
  const isTold = ({ name, message, errcode }: Error & { errcode?: number }): boolean =>
    name === 'DatabaseBusyError' && /Try again when it is done/.test(message) && errcode === 5
  assert.throws(() => connect(path, false, 64, 0), isTold)
  assert.throws(() => connect(path, true, 64, 0), isTold)
})
