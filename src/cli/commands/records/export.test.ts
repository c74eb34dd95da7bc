import assert from 'node:assert/strict'
import { onEveryDatabase } from '../../../../test/support/store/databases.ts'
import type { StoredLine } from '../../../../test/support/service/engine.ts'
import type { Engine } from '../../../../test/support/store/postgres.ts'
import {
  emptyDatabases,
  openTestStore,
  recordLexicon,
  type TestStore,
} from '../../../../test/support/store/store.ts'
import { exportLines } from './export.ts'

const emptyUrl = emptyDatabases()
const lexicons = [recordLexicon('org.example.thing', { name: { type: 'string' } })]
const [one, two] = ['did:plc:shownshownshownshownshow', 'did:web:two.example'] as const

onEveryDatabase('what is exported can be imported to the same state', async (database) => {
  await using store = await open(database)
  const given = [
    thing(one, 'b', { rev: '3kaaaaaaaaa22', indexedAt: '2026-01-02T00:00:00.000Z' }),
    thing(two, 'b', { indexedAt: '2026-01-02T00:00:00.000Z' }),
    thing(one, 'c', { indexedAt: '2026-01-02T00:00:00.000Z' }),
    thing(one, 'a', { rev: '3kaaaaaaaaa23', indexedAt: '2026-01-03T00:00:00.123456Z' }),
  ]
  await store.load(given)
  // Earlier than what is there: ids do not follow the default order any more.
  const early = thing(one, 'd', { indexedAt: '0999-01-01T00:00:00.000Z' })
  const expected = given.toReversed()
  assert.deepEqual(await exported(store), expected)
  await store.apply(early)
  assert.deepEqual(await exported(store), [...expected, early])
  await using copy = await open(database)
  await copy.load((await lines(store)).map((line) => JSON.parse(line) as StoredLine))
  assert.deepEqual(await lines(copy), await lines(store))
})

onEveryDatabase('records of hidden accounts are not exported', async (database) => {
  await using store = await open(database)
  await store.apply(thing(one, 'self'), thing(two, 'self'))
  assert.equal((await exported(store)).length, 2)
  const status = { active: false, status: 'suspended', eventAt: 1n }
  await store.database.write.applyBatch([{ kind: 'account', did: two, ...status }])
  assert.deepEqual(
    (await exported(store)).map(({ uri }) => uri),
    [thing(one, 'self').uri],
  )
})

async function open(database: Engine): Promise<TestStore> {
  return openTestStore({ path: await emptyUrl(database), lexicons })
}

function thing(did: string, rkey: string, more: Partial<StoredLine> = {}): StoredLine {
  const value = { $type: 'org.example.thing', name: `„${rkey}“ by\n${did}` }
  return { uri: `at://${did}/org.example.thing/${rkey}`, ...more, value }
}

function lines({ database, tables }: TestStore): Promise<string[]> {
  return Array.fromAsync(exportLines(database.read, tables))
}

/** Without CIDs, which follow from the values. */
async function exported(store: TestStore): Promise<StoredLine[]> {
  return (await lines(store)).map((line) => {
    const { cid, ...rest } = JSON.parse(line)
    assert.match(cid, /^bafyrei/)
    return rest
  })
}
