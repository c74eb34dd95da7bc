import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apply, openNotes, put, spot } from '../../../test/support/records/notes.ts'
import { temporaryFolder } from '../../../test/support/store/store.ts'
import { createReadiness } from './listen.ts'

const inFolder = temporaryFolder()

test('however often it is asked, the records are counted once a second; whether the database answers is asked once for all who wait', async (t) => {
  const store = await openNotes(inFolder('readiness.db'))
  const { read } = store.database
  let asked = 0
  let counted = 0
  const readiness = createReadiness({
    readPlanState: () => {
      asked += 1
      return read.readPlanState()
    },
    readStatus: () => {
      counted += 1
      return read.readStatus()
    },
  })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const records = async () => (await readiness()).collections[1]?.records
  assert.deepEqual(new Set(await Promise.all(Array.from({ length: 50 }, records))), new Set([0]))
  assert.deepEqual([asked, counted], [1, 1])
  await apply(store, put(store, spot('a'), 0))
  assert.equal(await records(), 0)
  t.mock.timers.tick(1_000)
  assert.equal(await records(), 1)
  assert.equal(counted, 2)
  await store[Symbol.asyncDispose]()
  await assert.rejects(readiness())
})
