import assert from 'node:assert/strict'
import { newUrl, onNotes, onStoppedNotes } from '../../../test/support/store/note-stores.ts'
import fc from 'fast-check'
import { onEveryEngine } from '../../../test/support/store/databases.ts'
import {
  apply,
  dids,
  openNotes,
  put,
  rev,
  spot,
  stoppedClock,
  refuse,
} from '../../../test/support/records/notes.ts'
import { rounds, seed } from '../../../test/support/rounds.ts'
import type { RepoJob } from './metadata-store.ts'
import type { MetadataStore } from './sql-metadata-store.ts'

/** Microseconds. */
const tenMinutes = 600_000_000n
const aMinute = 60_000_000n
const [one, two, three] = dids.toSorted() as [string, string, string]

onNotes('each kind of job is worked on by itself, the longest due first', async (store, { metadata }) => {
  await metadata.addJobs('reconcile', [wanted(two)])
  await metadata.addJobs('reconcile', [wanted(one)])
  await apply(store, { kind: 'repo-request', did: three, reason: 'It has diverged' })
  assert.deepEqual(await dueDids(metadata, 'reconcile'), [two, one])
  assert.deepEqual(await dueDids(metadata, 'reconcile', 1), [two])
  assert.deepEqual(await dueDids(metadata, 'ingest'), [three])
  assert.deepEqual(await dueDids(metadata, 'backfill'), [])
  assert.deepEqual(await metadata.countJobs('reconcile'), { waiting: 2, failed: 0 })
  for (const job of await metadata.dueJobs('reconcile', 9)) await metadata.finishJob(job)
  assert.deepEqual(await metadata.countJobs('reconcile'), { waiting: 0, failed: 0 })
  assert.deepEqual(await metadata.countJobs('ingest'), { waiting: 1, failed: 0 })
})

onStoppedNotes('a failed job waits, and counts its attempts', async (_store, { clock, metadata }) => {
  assert.equal(await metadata.nextJobAt('ingest'), null)
  await metadata.addJobs('ingest', [wanted(one)])
  assert.equal(await metadata.nextJobAt('ingest'), clock.now())
  for (const attempts of [1, 2]) {
    await metadata.failJob(await onlyJob(metadata), 'The host is down.', clock.now() + 100n)
    assert.deepEqual(await metadata.dueJobs('ingest', 9), [])
    assert.equal(await metadata.nextJobAt('ingest'), clock.now() + 100n)
    clock.advance(100n)
    assert.equal((await onlyJob(metadata)).attempts, attempts)
  }
  assert.deepEqual(await metadata.failedJobs('ingest'), [])
})

onStoppedNotes('a job that is requested while it runs is run again', async (store, { clock, metadata }) => {
  await apply(store, { kind: 'repo-request', did: one, reason: 'It has diverged' })
  const job = await onlyJob(metadata)
  // In the same microsecond.
  await apply(store, { kind: 'repo-request', did: one, reason: 'It has diverged again' })
  await metadata.finishJob(job)
  assert.equal(await metadata.nextJobAt('ingest'), clock.now() + tenMinutes)
  clock.advance(tenMinutes)
  const again = await onlyJob(metadata)
  assert.equal(again.reason, 'It has diverged again')
  await metadata.finishJob(again)
  assert.deepEqual(await metadata.dueJobs('ingest', 9), [])
})

onStoppedNotes('another request keeps to the pause of a failure', async (_store, { clock, metadata }) => {
  await metadata.addJobs('ingest', [wanted(one, 'https://host')])
  await metadata.failJob(await onlyJob(metadata), 'The host is down.', clock.now() + 100n)
  await metadata.addJobs('ingest', [wanted(one)])
  assert.equal(await metadata.nextJobAt('ingest'), clock.now() + 100n)
  clock.advance(100n)
  const job = await onlyJob(metadata)
  assert.deepEqual([job.attempts, job.host], [1, 'https://host'])
  // Nor does one that is asked for while it fails.
  await metadata.addJobs('ingest', [wanted(one)])
  await metadata.failJob(job, 'The host is down.', clock.now() + 200n)
  assert.equal(await metadata.nextJobAt('ingest'), clock.now() + 200n)
  clock.advance(200n)
  assert.equal((await onlyJob(metadata)).attempts, 2)
})

onStoppedNotes('a request shortens a long pause to a minute', async (store, { clock, metadata }) => {
  const request = { kind: 'repo-request', did: one, reason: 'Its key is another' } as const
  await apply(store, request)
  await metadata.failJob(
    await onlyJob(metadata),
    'It is not signed with the key.',
    clock.now() + 6n * tenMinutes,
  )
  const failed = clock.now()
  clock.advance(1n)
  await apply(store, request)
  assert.equal(await metadata.nextJobAt('ingest'), failed + aMinute)
  clock.advance(aMinute)
  assert.equal((await onlyJob(metadata)).attempts, 1)
  // A command that names it again keeps to the pause.
  await metadata.addJobs('backfill', [wanted(two)])
  await metadata.failJob(
    (await metadata.dueJobs('backfill', 1))[0] as RepoJob,
    'No.',
    clock.now() + tenMinutes,
  )
  await metadata.addJobs('backfill', [wanted(two)])
  assert.equal(await metadata.nextJobAt('backfill'), clock.now() + tenMinutes)
})

onStoppedNotes('a request for later is due then, or at once', async (store, { clock, metadata }) => {
  const request = { kind: 'repo-request', did: one, reason: 'Too many events' } as const
  await apply(store, { ...request, dueAt: clock.now() + 500n })
  assert.deepEqual(await metadata.dueJobs('ingest', 9), [])
  assert.equal(await metadata.nextJobAt('ingest'), clock.now() + 500n)
  await apply(store, { ...request, dueAt: clock.now() + 900n })
  assert.equal(await metadata.nextJobAt('ingest'), clock.now() + 500n)
  await apply(store, request)
  assert.equal((await onlyJob(metadata)).did, one)
})

onStoppedNotes('a fetch satisfies no request for later', async (store, { clock, metadata }) => {
  const request = { kind: 'repo-request', did: one, reason: 'Too many events' } as const
  const later = clock.now() + 3n * tenMinutes
  await apply(store, request, { ...request, dueAt: later })
  await metadata.finishJob(await onlyJob(metadata))
  assert.equal(await metadata.nextJobAt('ingest'), later)
  clock.advance(3n * tenMinutes)
  await metadata.finishJob(await onlyJob(metadata))
  assert.equal(await metadata.nextJobAt('ingest'), null)
})

onEveryEngine('after any requests and fetches, a fetch covers the last request', async (database) => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('ask' as const), after: fc.integer({ min: 0, max: 20 }) }),
    fc.record({ kind: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 15 }) }),
    fc.constant({ kind: 'begin' as const }),
    fc.constantFrom({ kind: 'finish' as const }, { kind: 'fail' as const }),
  )
  const inMemory = database === 'sqlite' ? ':memory:' : null
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const clock = stoppedClock()
      await using store = await openNotes(inMemory ?? (await newUrl(database)), clock.now)
      const { metadata } = store
      let wanted: bigint | null = null
      const begun: bigint[] = []
      let pause = tenMinutes
      const begin = async (): Promise<RepoJob | null> => {
        const job = (await metadata.dueJobs('ingest', 1))[0] ?? null
        if (job === null) return null
        assert.ok(
          begun.length === 0 || (begun.at(-1) as bigint) + pause <= clock.now(),
          'It was fetched again too early.',
        )
        begun.push(clock.now())
        return job
      }
      let underWay: RepoJob | null = null
      for (const move of steps) {
        switch (move.kind) {
          case 'ask': {
            const dueAt = clock.now() + BigInt(move.after) * aMinute
            if (wanted === null || dueAt > wanted) wanted = dueAt
            await apply(store, { kind: 'repo-request', did: one, reason: 'It was asked for', dueAt })
            break
          }
          case 'wait':
            clock.advance(BigInt(move.minutes) * aMinute)
            break
          case 'begin':
            underWay ??= await begin()
            break
          case 'finish':
          case 'fail':
            if (underWay === null) break
            if (move.kind === 'finish') await metadata.finishJob(underWay)
            else await metadata.failJob(underWay, 'No.', null)
            pause = move.kind === 'finish' ? tenMinutes : aMinute
            underWay = null
        }
      }
      if (underWay !== null) await metadata.finishJob(underWay)
      if (underWay !== null) pause = tenMinutes
      for (
        let at = await metadata.nextJobAt('ingest');
        at !== null;
        at = await metadata.nextJobAt('ingest')
      ) {
        if (at > clock.now()) clock.advance(at - clock.now())
        await metadata.finishJob((await begin()) as RepoJob)
        pause = tenMinutes
      }
      if (wanted !== null) assert.ok((begun.at(-1) ?? 0n) >= wanted, 'The last request was not followed.')
    }),
    // Laying out a database takes PostgreSQL longer than all the steps.
    { seed, numRuns: rounds(inMemory === null ? 3 : 60) },
  )
})

onStoppedNotes('the live stream fetches once in ten minutes', async (store, { clock, metadata }) => {
  const request = { kind: 'repo-request', did: one, reason: 'It has diverged' } as const
  await apply(store, put(store, spot('a'), 0, { rev: rev(1) }), request)
  await metadata.finishJob(await onlyJob(metadata))
  clock.advance(1n)
  const account = { kind: 'account', did: one } as const
  await apply(
    store,
    { ...request, ifKnown: true },
    { ...account, active: false, status: 'suspended', eventAt: 1n },
    { ...account, active: true, status: null, eventAt: 2n },
  )
  assert.equal(await metadata.nextJobAt('ingest'), clock.now() - 1n + tenMinutes)
  // What was given up on is tried again sooner, but not all the time.
  clock.advance(tenMinutes)
  await metadata.failJob(await onlyJob(metadata), 'There is no such host.', null)
  await apply(store, request)
  assert.equal(await metadata.nextJobAt('ingest'), clock.now() + aMinute)
  // A command fetches when it is told to.
  await metadata.addJobs('backfill', [wanted(one)])
  assert.deepEqual(await dueDids(metadata, 'backfill'), [one])
  clock.advance(tenMinutes)
  await metadata.finishJob(await onlyJob(metadata))
  clock.advance(2n * tenMinutes)
  await apply(store, { ...request, did: two })
  await metadata.finishJob(await onlyJob(metadata))
  assert.deepEqual(await store.rows('select did from fetched'), [{ did: two }])
})

onNotes('only a known repository is fetched for its changes', async (store, { metadata }) => {
  const request = { kind: 'repo-request', reason: 'It has diverged', ifKnown: true } as const
  await apply(store, put(store, spot('a'), 0, { rev: rev(1) }))
  await apply(store, { ...request, did: one }, { ...request, did: two })
  assert.deepEqual(await dueDids(metadata, 'ingest'), [one])
})

onNotes('a failed job keeps its error, and a request restarts it', async (_store, { metadata }) => {
  await metadata.addJobs('backfill', [wanted(one), wanted(two), wanted(three)])
  for (const job of await metadata.dueJobs('backfill', 2))
    await metadata.failJob(job, 'There is no such host.', null)
  assert.deepEqual(await dueDids(metadata, 'backfill'), [three])
  assert.deepEqual(await metadata.countJobs('backfill'), { waiting: 1, failed: 2 })
  assert.deepEqual(
    await metadata.failedJobs('backfill'),
    [one, two].map((did) => ({ did, error: 'There is no such host.' })),
  )
  await metadata.addJobs('backfill', [wanted(two)])
  assert.deepEqual(await dueDids(metadata, 'backfill'), [three, two])
  const again = (await metadata.dueJobs('backfill', 9)).find(({ did }) => did === two) as RepoJob
  assert.equal(again.attempts, 0)
  // Asked for once more while it fails for good: it is tried once more.
  await metadata.addJobs('backfill', [wanted(two)])
  await metadata.failJob(again, 'There is no such host.', null)
  assert.deepEqual(await metadata.countJobs('backfill'), { waiting: 2, failed: 1 })
})

async function dueDids(metadata: MetadataStore, kind: RepoJob['kind'], limit = 9): Promise<string[]> {
  return (await metadata.dueJobs(kind, limit)).map(({ did }) => did)
}

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

onEveryEngine('the metadata store works while others write to the same database', async (database) => {
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

function wanted(did: string, host: string | null = null) {
  return { did, host, reason: 'It was asked for' }
}

/** The one job of `ingest` that is due. */
async function onlyJob(metadata: MetadataStore): Promise<RepoJob> {
  const jobs = await metadata.dueJobs('ingest', 9)
  assert.equal(jobs.length, 1)
  return jobs[0] as RepoJob
}
