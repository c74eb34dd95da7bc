import assert from 'node:assert/strict'
import { newUrl, onNotes, onStoppedNotes } from '../../../test/support/store/note-stores.ts'
import { DatabaseSync } from 'node:sqlite'
import { mock, test } from 'node:test'
import { onEveryEngine } from '../../../test/support/store/databases.ts'
import {
  account,
  apply,
  dids,
  mark,
  note,
  openNotes,
  put,
  refuse,
  remove,
  repoEnd,
  rev,
  spot,
  uriOf,
  widerLexicons,
} from '../../../test/support/records/notes.ts'
import { recordLexicon, type TestStore } from '../../../test/support/store/store.ts'
import type { StoredLine } from '../../../test/support/service/engine.ts'
import { readStatus } from './status.ts'
import type {
  BatchOutcome,
  Change,
  RejectionReason,
  SourceMark,
  SourceState,
  SourceStatus,
} from '../database.ts'

const seconds = (n: number): bigint => BigInt(n * 1_000_000)

onNotes('a new database has its collections, and nothing else to tell', async (store) => {
  const empty = { records: 0, newestIndexedAt: null, outcomes: {}, rejections: 0, served: true }
  assert.deepEqual(await store.database.read.readStatus(), {
    collections: [
      { name: mark, ...empty },
      { name: note, ...empty },
    ],
    sources: [],
    rejections: {},
    keptRejections: {},
    repositories: { waiting: 0, failed: 0 },
    unfinishedPurges: 0,
  })
})

onNotes('outcomes are counted as they were reported, over all sources', async (store) => {
  const told = new Map<string, Partial<Record<keyof BatchOutcome, number>>>()
  const reasons: Partial<Record<RejectionReason, number>> = {}
  const steps = Array.from({ length: 300 }, (_, n): Change => {
    const at = spot(`k${(n * 7) % 5}`, n % 2, n % 3 === 0 ? mark : note)
    // Revisions go up and down, and come again.
    const revision = rev((n * 13) % 40)
    switch ((n * 11) % 9) {
      case 0:
        return account(n % 2, n % 4 === 0 ? 'suspended' : null, n)
      case 1:
        return remove(at, revision)
      case 2:
        return refuse(store, at, revision)
      case 3:
        return { ...refuse(store, at, revision), reason: 'bad-datetime' } as Change
      default:
        return put(store, at, n % 4, n % 5 === 0 ? {} : { rev: revision })
    }
  })
  for (const [n, change] of steps.entries()) {
    const source = n % 2 === 0 ? 'live' : 'tap'
    const outcome = await store.database.write.applyBatch([change], { source, cursor: null, eventAt: null })
    if (!('rkey' in change) && change.kind !== 'reject') continue
    const collection = 'rkey' in change ? change.collection : (change.uri?.split('/')[3] as string)
    const counts = told.get(collection) ?? {}
    for (const [recordOutcome, records] of Object.entries(outcome) as [keyof BatchOutcome, number][])
      if (records > 0) counts[recordOutcome] = (counts[recordOutcome] ?? 0) + records
    told.set(collection, counts)
    if (change.kind === 'reject' && outcome.rejected > 0)
      reasons[change.reason] = (reasons[change.reason] ?? 0) + 1
  }
  const { collections, rejections } = await store.database.read.readStatus()
  assert.deepEqual(new Map(collections.map(({ name, outcomes }) => [name, outcomes])), told)
  // Every outcome is among them, or the test would say little.
  assert.equal(Object.keys(told.get(note) ?? {}).length, 7)
  assert.deepEqual(rejections, reasons)
})

onEveryEngine('an import counts its outcomes, and a rebuild counts nothing', async (database) => {
  const path = await newUrl(database)
  const lines = (n: number): StoredLine[] => [
    { uri: uriOf(spot('a')), value: { $type: note, text: `${n}` } },
    { uri: uriOf(spot(`b${n}`)), value: { $type: note } },
    { uri: uriOf(spot('c')), value: { $type: note, text: n } },
  ]
  {
    await using store = await openNotes(path)
    for (const n of [1, 2, 2]) await store.load(lines(n))
  }
  await using store = await openNotes(path, undefined, widerLexicons)
  const { collections, rejections, sources } = await store.database.read.readStatus()
  const outcomes = { stored: 3, updated: 1, unchanged: 2, rejected: 3 }
  assert.deepEqual([collections[1]?.outcomes, rejections], [outcomes, { 'invalid-record': 3 }])
  assert.deepEqual(sources, [])
})

onEveryEngine('kept rejections are counted by collection and reason, rebuilt too', async (database) => {
  const path = await newUrl(database)
  const strict = [recordLexicon(note, { text: { type: 'integer' } })]
  {
    await using store = await openNotes(path)
    await apply(store, ...['a', 'b', 'c'].map((rkey) => put(store, spot(rkey), 0)))
    await apply(store, put(store, spot('m', 0, mark), 0), refuse(store, spot('d')))
    const change = {
      kind: 'reject',
      source: 'test',
      uri: null,
      reason: 'malformed',
      message: 'No.',
    } as const
    await apply(store, { ...change, record: '{' })
  }
  await using store = await openNotes(path, undefined, strict)
  const { collections, keptRejections } = await store.database.read.readStatus()
  assert.deepEqual(
    collections.map(({ name, records, rejections, served }) => [name, records, rejections, served]),
    [
      [mark, 1, 0, false],
      [note, 0, 4, true],
    ],
  )
  assert.deepEqual(keptRejections, { 'invalid-record': 4, malformed: 1 })
})

onNotes('records of hidden accounts are not among those that are counted, nor the newest', async (store) => {
  const newest = async () => {
    const { collections } = await store.database.read.readStatus()
    return [collections[1]?.records, collections[1]?.newestIndexedAt]
  }
  const moment = (day: number) => BigInt(Date.UTC(2026, 0, day)) * 1000n
  const on = (day: number) => ({ indexedAt: `2026-01-0${day}T00:00:00Z` })
  await apply(store, put(store, spot('a'), 0, on(1)), put(store, spot('b', 1), 0, on(3)))
  assert.deepEqual(await newest(), [2, moment(3)])
  await apply(store, account(1, 'suspended', 1))
  assert.deepEqual(await newest(), [1, moment(1)])
  // Ids no longer follow the moments.
  await apply(store, account(1, null, 2), put(store, spot('c'), 0, on(2)))
  assert.deepEqual(await newest(), [3, moment(3)])
  await apply(store, account(1, 'suspended', 3))
  assert.deepEqual(await newest(), [2, moment(2)])
})

onStoppedNotes('a source stops after half a minute of silence', async (store, { clock, metadata }) => {
  const state = async () => {
    const { state: is, eventsPerSecond, detail } = await onlySource(store)
    return [is, eventsPerSecond, detail]
  }
  for (const said of ['connecting', 'live', 'unavailable', 'stopped'] as const) {
    await metadata.writeState('live', said, `It is ${said}.`, 12.5)
    assert.deepEqual(await state(), [said, 12.5, `It is ${said}.`])
    clock.advance(seconds(30))
    assert.deepEqual(await state(), [said, 12.5, `It is ${said}.`])
    clock.advance(1n)
    assert.deepEqual(await state(), ['stopped', 0, `It is ${said}.`])
  }
  // A batch is a sign of life too.
  await metadata.writeState('live', 'live', null, 3)
  clock.advance(seconds(25))
  await heard(store)
  clock.advance(seconds(25))
  assert.deepEqual(await state(), ['live', 3, null])
  await metadata.writeState('live', 'finished', null, 0)
  clock.advance(seconds(3600))
  assert.deepEqual(await state(), ['finished', 0, null])
})

onStoppedNotes('the lag of a live source is that of its last event', async (store, { clock, metadata }) => {
  const lag = async (state: SourceState): Promise<number | null> => {
    await metadata.writeState('live', state, null, 0)
    return (await onlySource(store)).lagSeconds
  }
  assert.equal(await lag('live'), null)
  const eventAt = clock.now() - seconds(4)
  await heard(store, { cursor: '1', eventAt })
  assert.equal(await lag('live'), 4)
  clock.advance(seconds(10))
  // A batch that says nothing of time leaves both as they are.
  await heard(store, { cursor: '2' })
  assert.equal(await lag('live'), 4)
  for (const state of ['connecting', 'unavailable', 'stopped', 'finished'] as const)
    assert.equal(await lag(state), 14)
  const { cursor, lastEventAt } = await onlySource(store)
  assert.deepEqual([cursor, lastEventAt], ['2', eventAt])
  await lag('live')
  clock.advance(seconds(31))
  assert.equal((await onlySource(store)).lagSeconds, 45)
  // A clock that is ahead of ours.
  await heard(store, { eventAt: clock.now() + seconds(9) })
  assert.equal(await lag('live'), 0)
  assert.equal(await lag('stopped'), 0)
})

onNotes('sources are in the order of their names, those without a state too', async (store) => {
  await heard(store, { source: 'tap' })
  await store.metadata.writeState('jetstream', 'live', null, 1)
  const { sources } = await store.database.read.readStatus()
  assert.deepEqual(
    sources.map(({ name, state }) => [name, state]),
    [
      ['jetstream', 'live'],
      ['tap', 'connecting'],
    ],
  )
})

onNotes('waiting and failed repositories are counted over all jobs', async (store, { metadata }) => {
  const job = (did: number) => ({ did: dids[did] as string, host: null, reason: 'all' })
  await metadata.addJobs('backfill', [job(0), job(1)])
  await metadata.addJobs('reconcile', [job(0)])
  await apply(store, { kind: 'repo-request', did: dids[2] as string, reason: 'It has diverged' })
  const [first] = await metadata.dueJobs('backfill', 1)
  assert.ok(first !== undefined)
  await metadata.failJob(first, 'No.', null)
  const { repositories } = await store.database.read.readStatus()
  assert.deepEqual(repositories, { waiting: 3, failed: 1 })
})

onNotes('records that the end of a repository removes are counted', async (store) => {
  await apply(
    store,
    put(store, spot('a'), 0, { rev: rev(1) }),
    put(store, spot('a', 0, mark), 0, { rev: rev(1) }),
  )
  await heard(store, {}, repoEnd(0, rev(2)))
  assert.deepEqual(await store.rows('select collection, outcome, records from outcome'), [
    { collection: '', outcome: 'deleted', records: 2 },
  ])
})

/** A batch of the source `live`, unless another is given. */
function heard(store: TestStore, mark: Partial<SourceMark> = {}, ...changes: readonly Change[]) {
  return store.database.write.applyBatch(changes, { source: 'live', cursor: null, eventAt: null, ...mark })
}

async function onlySource(store: TestStore): Promise<SourceStatus> {
  const { sources } = await store.database.read.readStatus()
  assert.equal(sources.length, 1)
  return sources[0] as SourceStatus
}

test('accounts are looked up for the status only while some are hidden', async () => {
  await using store = await openNotes(await newUrl('sqlite'))
  const prepare = mock.method(DatabaseSync.prototype, 'prepare').mock
  try {
    const countsOf = async (): Promise<readonly string[]> => {
      prepare.resetCalls()
      await store.database.read.readSteps(() => readStatus(0n, (uri) => uri))
      const texts = prepare.calls.map(({ arguments: [text] }) => text)
      return texts.filter((text) => /count\(\*\) from "org/.test(text))
    }
    const before = await countsOf()
    assert.ok(before.length > 0)
    assert.deepEqual(
      before.filter((text) => text.includes('hidden')),
      [],
    )
    await apply(store, put(store, spot('a'), 0), account(0, 'suspended', 1))
    assert.ok((await countsOf()).every((text) => text.includes('hidden')))
  } finally {
    prepare.restore()
  }
})
