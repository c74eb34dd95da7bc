import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { line } from '../../../test/support/records/note-lines.ts'
import { openNotes } from '../../../test/support/records/notes.ts'
import { temporaryFolder, type TestStore } from '../../../test/support/store/store.ts'
import { connect } from './connection.ts'
import { removeUnused } from './remove-unused.ts'

const inFolder = temporaryFolder()

/** A closed file. */
async function fileWith(name: string, write: (store: TestStore) => Promise<unknown>): Promise<string> {
  await using store = await openNotes(inFolder(name))
  await write(store)
  return inFolder(name)
}

test('an empty database is removed, unless it is open', async () => {
  const path = await fileWith('empty.db', async () => undefined)
  {
    using reader = connect(path, true)
    reader.prepare('select * from state').all()
    assert.throws(() => removeUnused(path), /locked/)
    assert.ok(existsSync(path))
  }
  assert.ok(removeUnused(path))
  for (const end of ['', '-wal', '-shm', '-owner']) assert.ok(!existsSync(path + end))
})

test('a database with a record is not removed, nor one with a key alone', async () => {
  const key = { id: 'a', name: 'a', tier: 'research', contact: null, validUntil: null }
  const files = [
    await fileWith('record.db', (store) => store.apply(line('a'))),
    await fileWith('key.db', ({ metadata }) => metadata.addKey(key, 'hash')),
  ]
  for (const path of files) {
    assert.equal(removeUnused(path), false)
    assert.ok(existsSync(path))
  }
})
