import assert from 'node:assert/strict'
import { newUrl, onNotes, onStoppedNotes } from '../../../test/support/store/note-stores.ts'
import fc from 'fast-check'
import { onEveryEngine } from '../../../test/support/store/databases.ts'
import { apply, dids, openNotes, put, rev, spot, stoppedClock } from '../../../test/support/records/notes.ts'
import { onlyJob, wanted } from '../../../test/support/store/repo-jobs.ts'
import { rounds, seed } from '../../../test/support/rounds.ts'
import type { MetadataStore, RepoJob } from './metadata-store.ts'

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

onStoppedNotes('a fetch does not satisfy requests for later', async (store, { clock, metadata }) => {
  const request = { kind: 'repo-request', did: one, reason: 'Too many events' } as const
  const later = clock.now() + 3n * tenMinutes
  await apply(store, request, { ...request, dueAt: later })
  await metadata.finishJob(await onlyJob(metadata))
  assert.equal(await metadata.nextJobAt('ingest'), later)
  clock.advance(3n * tenMinutes)
  // Nor does one that fails for good.
  await apply(store, { ...request, dueAt: later + tenMinutes })
  await metadata.failJob(await onlyJob(metadata), 'There is no such host.', null)
  assert.equal(await metadata.nextJobAt('ingest'), later + tenMinutes)
  clock.advance(tenMinutes)
  const last = await onlyJob(metadata)
  assert.equal(last.attempts, 1)
  await metadata.finishJob(last)
  assert.equal(await metadata.nextJobAt('ingest'), null)
})

onEveryEngine('after any requests and fetches, a fetch covers the last request', async (database) => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('ask' as const), after: fc.integer({ min: 0, max: 20 }) }),
    fc.record({ kind: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 15 }) }),
    fc.constant({ kind: 'begin' as const }),
    fc.constantFrom({ kind: 'finish' as const }, { kind: 'fail' as const }),
  )
  const minute = 60_000_000n
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
            const dueAt = clock.now() + BigInt(move.after) * minute
            if (wanted === null || dueAt > wanted) wanted = dueAt
            await apply(store, { kind: 'repo-request', did: one, reason: 'It was asked for', dueAt })
            break
          }
          case 'wait':
            clock.advance(BigInt(move.minutes) * minute)
            break
          case 'begin':
            underWay ??= await begin()
            break
          case 'finish':
          case 'fail':
            if (underWay === null) break
            if (move.kind === 'finish') await metadata.finishJob(underWay)
            else await metadata.failJob(underWay, 'No.', null)
            pause = move.kind === 'finish' ? tenMinutes : minute
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
