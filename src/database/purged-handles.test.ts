import assert from 'node:assert/strict'
import { onNotes } from '../../test/support/store/note-stores.ts'
import { account, apply, dids, put, settleAll, spot } from '../../test/support/records/notes.ts'

const ann = dids[0] as string

onNotes('the handle of a purged account is not looked up again', async (store) => {
  await apply(store, put(store, spot('a'), 1))
  // An account with a status keeps its row.
  await apply(store, account(0, 'suspended', 1))
  await settleAll(store)
  await store.metadata.purge({ subject: ann, reason: 'A test.', purgedBy: 'tester' })
  await settleAll(store)
  await apply(store, { kind: 'identity', did: ann })
  assert.deepEqual(await store.rows(`select did from actor where did = '${ann}' and handle_due = 0`), [])
})
