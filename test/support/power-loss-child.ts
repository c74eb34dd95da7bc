/** Follows a source into a new file: batches of one record each, and a cursor that counts them. It says each that is stored, and never closes the file. */
import { openTestStore, recordLexicon } from './store.ts'

const [, , path = '', batches = '', durability = ''] = process.argv
const id = 'org.example.thing'
const store = await openTestStore({ path, lexicons: [recordLexicon(id, {})] })
for (let cursor = 1; cursor <= Number(batches); cursor += 1) {
  const line = { uri: `at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/${id}/${cursor}`, value: { $type: id } }
  await store.database.write.applyBatch(
    [store.change(line)],
    { source: 'live', cursor: `${cursor}`, eventAt: null },
    { durable: durability === 'durable' },
  )
  console.log(cursor)
}
setInterval(() => undefined, 1_000)
