import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  apply,
  contentJson,
  note,
  noteLexicons,
  openNotes,
  put,
  refuse,
  rev,
  spot,
  uriOf,
  visibleRecords,
} from '../../test/support/records/notes.ts'
import { understand } from '../../test/support/records/understand.ts'
import type { Change } from '../database/database.ts'
import { retryRejections } from './retry.ts'
import { readRejections } from '../database/metadata/read-rejections.ts'

const { set: lexicons, tables } = understand(noteLexicons, {})

/** As an import by other lexicons refused it: a record without a revision that fits those of now. */
function refusedOnce(rkey: string, content: number): Change {
  const uri = uriOf(spot(rkey))
  const record = JSON.stringify({ uri, value: JSON.parse(contentJson(note, content)) })
  return { kind: 'reject', source: 'test', uri, reason: 'invalid-record', message: 'It did not fit.', record }
}

test('what fits now is stored, and what is outdated by then leaves the list without changing anything', async () => {
  await using store = await openNotes(':memory:')
  const newer = put(store, spot('newer'), 0, { rev: rev(2) })
  const same = put(store, spot('same'), 1, { rev: rev(2) })
  await apply(store, newer, same, refusedOnce('newer', 1), refusedOnce('same', 1), refusedOnce('fits', 3))
  await apply(store, refuse(store, spot('unfit'), rev(3)))
  const result = await retryRejections(store.database, { lexicons, tables })
  const { stored, unchanged, older, rejected, cut } = result
  assert.deepEqual([stored, unchanged, older, rejected, cut], [1, 1, 1, 1, 0])
  const left = await store.database.read.readSteps(() => readRejections(9, null))
  assert.deepEqual(
    left.map(({ uri }) => uri),
    [uriOf(spot('unfit'))],
  )
  assert.equal((await visibleRecords(store)).get(uriOf(spot('newer'))), contentJson(note, 0))
  assert.deepEqual(await retryRejections(store.database, { lexicons, tables }), {
    ...result,
    stored: 0,
    unchanged: 0,
    older: 0,
  })
})

test('every refused record is counted once, also what is no record', async () => {
  await using store = await openNotes(':memory:')
  const reject = {
    kind: 'reject',
    source: 'test',
    uri: null,
    reason: 'malformed',
    message: 'No JSON.',
  } as const
  await apply(store, { ...reject, record: 'nonsense' }, { ...reject, record: 'x'.repeat(100_000) })
  await apply(store, refusedOnce('fits', 3))
  const { stored, cut, malformed } = await retryRejections(store.database, { lexicons, tables })
  assert.deepEqual([stored, cut, malformed], [1, 1, 1])
})
