/**
 * Follows a source into a new file: batches of one record each, and a cursor that counts them. It says each that is
 * stored, and never closes the file. Or loads all records at once, while a reader keeps them from leaving the log.
 */
import { DatabaseSync } from 'node:sqlite'
import { openTestStore, recordLexicon } from './store.ts'

const [, , path = '', batches = '', durability = ''] = process.argv
const id = 'org.example.thing'
const lines = Array.from({ length: Number(batches) }, (_, at) => ({
  uri: `at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/${id}/${at + 1}`,
  value: { $type: id },
}))
const store = await openTestStore({ path, lexicons: [recordLexicon(id, {})] })

if (durability === 'load') {
  const reader = new DatabaseSync(path, { readOnly: true })
  reader.exec('begin; select count(*) from state')
  await store.load(lines)
  // Collected as garbage, the reader would end its snapshot.
  process.stdin.on('end', () => reader.close())
  console.log(batches)
} else
  for (const [at, line] of lines.entries()) {
    await store.database.write.applyBatch(
      [store.change(line)],
      { source: 'live', cursor: `${at + 1}`, eventAt: null },
      { durable: durability === 'durable' },
    )
    console.log(at + 1)
  }
// Until its end, however that comes.
process.stdin.resume()
