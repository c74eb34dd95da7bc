/** A store with something in every table. */
import assert from 'node:assert/strict'
import { addKeyUsage } from '../../../src/database/open.ts'
import type { keptState } from './kept-state.ts'
import {
  account,
  apply,
  dids,
  mark,
  noteDatabases,
  noteLexicons,
  openNotes,
  put,
  refuse,
  remove,
  rev,
  settleAll,
  spot,
  uriOf,
} from '../records/notes.ts'
import type { Engine } from './postgres.ts'
import { databaseCopies, openTestStore, type TestStore } from './store.ts'

const newUrl = noteDatabases()
const copied = databaseCopies()

async function fillWithEverything(store: TestStore): Promise<void> {
  const { write } = store.database
  await store.database.write.applyBatch(
    [
      ...['c', 'a', 'b'].map((rkey, n) => put(store, spot(rkey), n, { rev: rev(n + 1) })),
      put(store, spot('gone'), 1, { rev: rev(1) }),
      put(store, spot('early', 0, mark), 1, { rev: rev(2), indexedAt: '2019-01-01T00:00:00.000001Z' }),
      put(store, spot('unversioned', 0, mark), 2),
      ...['x', 'y'].flatMap((rkey) => [
        put(store, spot(rkey, 1), 3, { rev: rev(3) }),
        put(store, spot(rkey, 2), 1, { rev: rev(3) }),
      ]),
      refuse(store, spot('bad'), rev(4)),
      {
        kind: 'reject',
        source: 'file',
        uri: null,
        reason: 'malformed',
        message: 'It is no JSON.',
        record: 'a\0b',
      },
      remove(spot('gone'), rev(5)),
    ],
    { source: 'jetstream:wss://example.com', cursor: '12345', eventAt: 1_770_000_000_000_123n },
  )
  await apply(store, put(store, spot('a'), 3, { rev: rev(9) }))
  await apply(store, account(1, 'suspended', 7))
  await settleAll(store)
  // The rows of this one are still where they were, and must not be seen.
  await apply(store, account(2, 'takendown', 8), { kind: 'identity', did: dids[0] as string })
  await write.metadata.writeHandle(dids[0] as string, 'alice.example', 1_790_000_000_000_000n)
  await write.metadata.addJobs(
    'backfill',
    [{ did: dids[0] as string, host: 'https://pds.example', reason: 'all' }],
    {
      target: 'https://pds.example',
      cursor: 'next',
      done: false,
    },
  )
  await write.metadata.addJobs('ingest', [{ did: dids[1] as string, host: null, reason: 'It has diverged.' }])
  const [job] = await write.metadata.dueJobs('ingest', 1)
  if (job !== undefined) await write.metadata.failJob(job, 'It does not answer.', null)
  await write.metadata.addKey(
    {
      id: 'old',
      name: 'Zeitung "Ä"',
      tier: 'research',
      contact: 'a@example.org',
      validUntil: 2_000_000_000_000_000n,
    },
    'hash of the old one',
  )
  await write.metadata.replaceKey('old', { id: 'new', hash: 'hash of the new one' }, 1_790_000_000_000_001n)
  await write.metadata.revokeKey('new')
  await addKeyUsage(store.path, [{ key: 'old', day: 20_000, requests: 7, points: 41 }], 20_001)
  await apply(store, put(store, spot('spam', 0, mark), 3, { rev: rev(6) }))
  const [shown, hidden] = [uriOf(spot('unversioned', 0, mark)), uriOf(spot('spam', 0, mark))]
  for (const subject of [shown, hidden])
    await write.metadata.hide({ subject, reason: 'It is "spam"', hiddenBy: 'root' })
  await write.metadata.unhide(shown, 'Ä')
  await write.metadata.purge({ subject: hidden, reason: 'A court ordered it.', purgedBy: 'root' })
  await write.metadata.endPurges()
  await expireOne(store)
}

/** A store of its own that has it: filled once for each engine and copied. */
export async function openEverything(engine: Engine): Promise<TestStore> {
  const url = await copied(engine, async () => {
    const original = await newUrl(engine)
    await using store = await openNotes(original)
    await fillWithEverything(store)
    return original
  })
  return openNotes(url)
}

/** Older than all others. */
async function expireOne(store: TestStore): Promise<void> {
  const retention = new Map([[mark, 2_800n * 86_400_000_000n]])
  await apply(store, put(store, spot('old', 0, mark), 3, { rev: rev(1), indexedAt: '2017-01-01T00:00:00Z' }))
  await using expiring = await openTestStore({ path: store.path, lexicons: noteLexicons, retention })
  assert.equal(await expiring.database.write.metadata.expireRecords(9), 1)
}

/** Not every engine takes the character that nothing has. */
export function received(state: Awaited<ReturnType<typeof keptState>>) {
  const rejection = state['rejection']?.map((row) => ({
    ...row,
    record: String(row['record']).replaceAll('\0', '\uFFFD'),
  }))
  return { ...state, rejection }
}
