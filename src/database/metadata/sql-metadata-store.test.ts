import assert from 'node:assert/strict'
import { newUrl, onNotes, onStoppedNotes } from '../../../test/support/store/note-stores.ts'
import { onEveryEngine } from '../../../test/support/store/databases.ts'
import { apply, dids, openNotes, put, refuse, rev, spot } from '../../../test/support/records/notes.ts'
import { onlyJob, wanted } from '../../../test/support/store/repo-jobs.ts'
import type { RepoJob } from './metadata-store.ts'

const [one, two, three] = dids.toSorted() as [string, string, string]

onEveryEngine('a source goes on from its last cursor; a batch without one keeps it', async (database) => {
  const path = await newUrl(database)
  {
    await using store = await openNotes(path)
    const { metadata } = store
    assert.equal(await metadata.readCursor('live'), null)
    await metadata.writeState('live', 'connecting', null, 0)
    assert.equal(await metadata.readCursor('live'), null)
    await store.database.write.applyBatch([], { source: 'live', cursor: '17', eventAt: null })
    await store.database.write.applyBatch([], { source: 'live', cursor: null, eventAt: 4n })
    await store.database.write.applyBatch([], { source: 'other', cursor: '99', eventAt: null })
    await metadata.writeState('live', 'stopped', 'The end.', 0)
  }
  await using store = await openNotes(path)
  assert.equal(await store.metadata.readCursor('live'), '17')
})

onNotes('a page of a listing is stored together with its jobs', async (_store, { metadata }) => {
  assert.equal(await metadata.readListing('backfill', 'https://host'), null)
  const listing = { target: 'https://host', cursor: 'p2', done: false }
  await metadata.addJobs('backfill', [wanted(one, 'https://host'), wanted(two)], listing)
  assert.deepEqual(await metadata.readListing('backfill', 'https://host'), listing)
  assert.equal(await metadata.readListing('reconcile', 'https://host'), null)
  assert.equal(await metadata.readListing('backfill', 'https://elsewhere'), null)
  const jobs = await metadata.dueJobs('backfill', 9)
  assert.deepEqual(
    jobs.map(({ kind, did, host, reason, attempts }) => ({ kind, did, host, reason, attempts })),
    [
      { kind: 'backfill', did: one, host: 'https://host', reason: 'It was asked for', attempts: 0 },
      { kind: 'backfill', did: two, host: null, reason: 'It was asked for', attempts: 0 },
    ],
  )
  await metadata.addJobs('backfill', [], { target: 'https://host', cursor: null, done: true })
  assert.deepEqual(await metadata.readListing('backfill', 'https://host'), {
    target: 'https://host',
    cursor: null,
    done: true,
  })
})

onNotes('the end of a run forgets its own listings and failures', async (_store, { metadata }) => {
  for (const kind of ['backfill', 'reconcile'] as const) {
    await metadata.addJobs(kind, [wanted(one), wanted(two)], {
      target: 'https://host',
      cursor: null,
      done: true,
    })
    const [job] = await metadata.dueJobs(kind, 1)
    await metadata.failJob(job as RepoJob, 'No.', null)
  }
  await metadata.endRun('backfill')
  assert.deepEqual(await metadata.countJobs('backfill'), { waiting: 1, failed: 0 })
  assert.equal(await metadata.readListing('backfill', 'https://host'), null)
  assert.deepEqual(await metadata.countJobs('reconcile'), { waiting: 1, failed: 1 })
  assert.notEqual(await metadata.readListing('reconcile', 'https://host'), null)
})

onStoppedNotes('handles of new accounts are due, the oldest first', async (store, { clock, metadata }) => {
  assert.deepEqual(await metadata.dueHandles(9), [])
  await apply(store, ...[0, 1, 2].map((did) => put(store, spot('a', did), 0, { rev: rev(1) })))
  assert.deepEqual((await metadata.dueHandles(9)).toSorted(), [one, two, three])
  assert.equal((await metadata.dueHandles(2)).length, 2)
  await metadata.writeHandle(one, 'one.example', clock.now() + 300n)
  await metadata.writeHandle(two, null, clock.now() + 100n)
  await metadata.writeHandle(three, 'three.example', clock.now() + 200n)
  assert.deepEqual(await metadata.dueHandles(9), [])
  clock.advance(250n)
  assert.deepEqual(await metadata.dueHandles(9), [two, three])
  assert.deepEqual(await store.column('select handle from actor order by did'), [
    'one.example',
    null,
    'three.example',
  ])
  // It may have changed: due before the others.
  await apply(store, { kind: 'identity', did: one })
  assert.deepEqual(await metadata.dueHandles(9), [one, two, three])
})

onNotes('accounts with records are known by their DIDs, if hidden too', async (store, { metadata }) => {
  await apply(
    store,
    put(store, spot('a', 2), 0, { rev: rev(1) }),
    put(store, spot('a'), 0),
    refuse(store, spot('a', 1), rev(1)),
    { kind: 'account', did: one, active: false, status: 'suspended', eventAt: 1n },
  )
  assert.deepEqual(await metadata.readActors(9, null), [one, two])
  assert.deepEqual(await metadata.readActors(1, null), [one])
  assert.deepEqual(await metadata.readActors(1, one), [two])
})

onEveryEngine('the ledger works while others write to the same database', async (database) => {
  const path = await newUrl(database)
  await using mine = await openNotes(path)
  await using theirs = await openNotes(path)
  await apply(theirs, put(theirs, spot('a'), 0, { rev: rev(1) }))
  const { metadata } = mine
  await apply(mine, { kind: 'repo-request', did: one, reason: 'It has diverged', ifKnown: true })
  const job = await onlyJob(theirs.metadata)
  await metadata.addJobs('ingest', [wanted(one)])
  await theirs.metadata.finishJob(job)
  assert.notEqual(await metadata.nextJobAt('ingest'), null)
  assert.deepEqual(await metadata.readActors(9, null), [one])
})
