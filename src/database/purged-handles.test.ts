import assert from 'node:assert/strict'
import { onEveryDatabase } from '../../test/support/store/databases.ts'
import {
  account,
  apply,
  dids,
  noteDatabases,
  openNotes,
  put,
  settleAll,
  spot,
} from '../../test/support/records/notes.ts'

const newUrl = noteDatabases()
const ann = dids[0] as string

onEveryDatabase('the handle of a purged account is not looked up again', async (database) => {
  await using store = await openNotes(await newUrl(database))
  await apply(store, put(store, spot('a'), 1))
  // An account with a status keeps its row.
  await apply(store, account(0, 'suspended', 1))
  await settleAll(store)
  await store.database.write.metadata.purge({ subject: ann, reason: 'A test.', purgedBy: 'tester' })
  await settleAll(store)
  await apply(store, { kind: 'identity', did: ann })
  assert.deepEqual(await store.rows(`select did from actor where did = '${ann}' and handle_due = 0`), [])
})
