/** What a connection that reads keeps, and what it lets go. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { temporaryFolder } from '../../../../test/support/store/store.ts'
import { ask } from '../../metadata/steps.ts'
import { connect } from '../connection.ts'
import { createQueries } from './query-connection.ts'

const inFolder = temporaryFolder()

test('a statement that is run again is not prepared again', (t) => {
  using database = connect(':memory:', false)
  const prepare = t.mock.method(database, 'prepare').mock
  const queries = createQueries(database)
  for (const text of ['a', 'b', 'c'])
    queries.readAnswer({ text: 'select 1, cast(? as blob)', values: [text] })
  assert.equal(prepare.callCount(), 1)
  for (let time = 0; time < 3; time += 1) queries.run(ask('select ? as n', time))
  assert.equal(prepare.callCount(), 2)
})

test('all statements of a reading see one state', () => {
  const path = inFolder('steps.db')
  using writing = new DatabaseSync(path)
  writing.exec('pragma journal_mode = wal; create table thing (id integer primary key)')
  using database = connect(path, true)
  const counts = createQueries(database).readSteps(
    (function* () {
      const first = yield* ask('select count(*) as n from thing')
      writing.exec('insert into thing values (1)')
      return [first, yield* ask('select count(*) as n from thing')]
    })(),
  )
  assert.deepEqual(counts[1], counts[0])
})

test('rows of answers are arrays, which take less time than objects', () => {
  using database = connect(':memory:', false)
  assert.deepEqual(createQueries(database).prepare('select 1 as a, 2 as b').get(), [1, 2])
})

test('pages of a file are mapped, and what is sorted stays in memory', () => {
  const path = inFolder('mapped.db')
  new DatabaseSync(path).exec('create table thing (id integer primary key)')
  using database = connect(path, true)
  const value = (name: string): unknown => Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]
  assert.equal(value('mmap_size'), 2_147_418_112)
  assert.equal(value('temp_store'), 2)
})
