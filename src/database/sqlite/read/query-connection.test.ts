/** What a connection that reads keeps, and what it lets go. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { temporaryFolder } from '../../../../test/support/store.ts'
import { ask } from '../../metadata/steps.ts'
import { connect } from '../connection.ts'
import { QueryConnection } from './query-connection.ts'

const inFolder = temporaryFolder()

test('a statement that is run again is not prepared again', (t) => {
  using database = connect(':memory:', false)
  const prepare = t.mock.method(database, 'prepare').mock
  const queries = new QueryConnection(database)
  for (const text of ['a', 'b', 'c'])
    queries.readAnswer({ text: 'select 1, cast(? as blob)', values: [text] })
  assert.equal(prepare.callCount(), 1)
  for (let time = 0; time < 3; time += 1) queries.run(ask('select ? as n', time))
  assert.equal(prepare.callCount(), 2)
})

test('an answer that nobody holds any more is collected when it is young', () => {
  setFlagsFromString('--expose-gc')
  const collect: (options?: { readonly type: 'minor' }) => void = runInNewContext('gc')
  // What outlives two of them is old.
  const held = (): number => {
    for (let time = 0; time < 2; time += 1) collect({ type: 'minor' })
    return process.memoryUsage().arrayBuffers
  }
  using database = connect(':memory:', false)
  const queries = new QueryConnection(database)
  const [answers, length] = [100, 10_000]
  const read = (): void => {
    queries.readAnswer({ text: 'select 1, zeroblob(?)', values: [length] })
  }
  read()
  collect()
  const before = held()
  for (let asked = 0; asked < answers; asked += 1) read()
  assert.ok(held() - before < (answers * length) / 2)
})

test('pages of a file are mapped, and what is sorted stays in memory', () => {
  const path = inFolder('mapped.db')
  new DatabaseSync(path).exec('create table thing (id integer primary key)')
  using database = connect(path, true)
  const value = (name: string): unknown => Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]
  assert.equal(value('mmap_size'), 2_147_418_112)
  assert.equal(value('temp_store'), 2)
})
