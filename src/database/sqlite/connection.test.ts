import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/store.ts'
import { connect } from './connection.ts'

const inFolder = temporaryFolder()

test('whoever comes while a file is locked is told to try again', () => {
  const path = inFolder('busy.db')
  using database = new DatabaseSync(path)
  database.exec('create table thing (id integer primary key); begin exclusive')
  const isTold = ({ name, message, errcode }: Error & { errcode?: number }): boolean =>
    name === 'DatabaseBusyError' && /Try again when it is done/.test(message) && errcode === 5
  assert.throws(() => connect(path, false, 64, 0), isTold)
  assert.throws(() => connect(path, true, 64, 0), isTold)
})
