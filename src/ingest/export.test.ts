import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestStore, recordLexicon, temporaryFolder } from '../../test/support/store.ts'
import { exportLines } from './export.ts'

const file = temporaryFolder()
const lexicons = [recordLexicon('org.example.thing', { name: { type: 'string' } })]

test('records of hidden accounts are not exported', async () => {
  await using store = await openTestStore({ path: file('hidden.db'), lexicons })
  const thing = (did: string) => ({
    uri: `at://${did}/org.example.thing/self`,
    value: { $type: 'org.example.thing', name: did },
  })
  const [shown, hidden] = ['did:plc:shownshownshownshownshow', 'did:plc:hiddenhiddenhiddenhidden']
  await store.apply(thing(shown), thing(hidden))
  const exported = async () =>
    (await Array.fromAsync(exportLines(store.database.read, store.tables))).map(
      (line) => JSON.parse(line).uri,
    )
  assert.equal((await exported()).length, 2)
  const status = { active: false, status: 'suspended', eventAt: 1n }
  await store.database.write.applyBatch([{ kind: 'account', did: hidden, ...status }])
  assert.deepEqual(await exported(), [thing(shown).uri])
})
