import assert from 'node:assert/strict'
import { newUrl, hide, show } from '../../../test/support/store/note-stores.ts'
import { test } from 'node:test'
import fc from 'fast-check'
import { openEverything, received } from '../../../test/support/store/everything.ts'
import { keptState } from '../../../test/support/store/kept-state.ts'
import {
  account,
  apply,
  assertDerived,
  assertHolds,
  assertOrder,
  contentCount,
  dids,
  mark,
  note,
  noteLexicons,
  openNotes,
  put,
  refuse,
  remove,
  repoEnd,
  rev,
  settleAll,
  spot,
  uriOf,
  visibleRecords,
  widerLexicons,
} from '../../../test/support/records/notes.ts'
import { stopTimers } from '../../../test/support/stopped-timers.ts'
import { databases, type Engine } from '../../../test/support/store/postgres.ts'
import {
  author,
  book,
  laterReviewLines,
  link,
  openReviews,
  review,
  reviewLexicons,
  reviewLine,
  reviewLines,
  reviewReferences,
} from '../../../test/support/records/reviews.ts'
import {
  assertCounts,
  emptyDatabases,
  tamperWith,
  type TestStore,
} from '../../../test/support/store/store.ts'
import { understand } from '../../../test/support/records/understand.ts'
import type { Change } from '../database.ts'
import { openCopyTarget, openSnapshot } from '../open.ts'
import { compare, type CopyTarget, fill } from './database-copy.ts'
import { partsOf, titleOf } from './parts.ts'
import { readHidings } from '../metadata/hidings.ts'

const emptyUrl = emptyDatabases()
const { set, tables } = understand(noteLexicons, {})
const parts = partsOf(tables)
const options = { tables, fingerprint: set.fingerprint, check: () => null, now: () => 1_780_000_000_000_000n }
const titles = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

/** A test for each pair of engines, or for those alone in which each is read once and written once. */
function onEveryPair(
  sentence: string,
  holds: (from: Engine, to: Engine) => Promise<void>,
  engines = databases.flatMap((from) => databases.map((to) => [from, to] as const)),
): void {
  for (const [from, to] of engines)
    test(`${sentence} (${titles[from]} to ${titles[to]})`, (t) => {
      stopTimers(t)
      return holds(from, to)
    })
}

function onUnlikePairs(sentence: string, holds: (from: Engine, to: Engine) => Promise<void>): void {
  const others = databases.toReversed()
  onEveryPair(
    sentence,
    holds,
    databases.map((from, index) => [from, others[index] ?? from] as const),
  )
}

onEveryPair('a copy has everything that is kept, and becomes a database like any other', async (from, to) => {
  await using store = await openEverything(from)
  const url = await emptyUrl(to)
  await copy(store.path, url)
  await using copied = await openNotes(url)
  const state = await keptState(store)
  for (const [name, rows] of Object.entries(state))
    if (name !== 'fetched') assert.ok(rows.length > 0, `${name} is empty, so that this says little.`)
  assert.deepEqual(await keptState(copied), received(state))
  assert.deepEqual(await visibleRecords(copied), await visibleRecords(store))
  assert.equal(await copied.metadata.readCursor('jetstream:wss://example.com'), '12345')
  await assertDerived(copied)

  // Hidden accounts come back there as they do here, and what was deleted stays so.
  for (const one of [store, copied]) {
    await apply(one, account(1, null, 100), put(one, spot('gone'), 1, { rev: rev(1) }))
    await settleAll(one)
  }
  assert.deepEqual(await visibleRecords(copied), await visibleRecords(store))
  await assertDerived(copied)
})

onUnlikePairs('a copy has its sums, of records that changed before its end too', async (from, to) => {
  const understood = understand(reviewLexicons, reviewReferences)
  const given = { ...options, tables: understood.tables, fingerprint: understood.set.fingerprint }
  await using store = await openReviews(await emptyUrl(from))
  await store.load(reviewLines)
  const url = await emptyUrl(to)
  const copyAll = async (finishes: boolean): Promise<void> => {
    await using source = await openSnapshot(store.path, given)
    await using target = await openCopyTarget(url, source, given)
    await fill(source, target, partsOf(given.tables), () => {})
    if (finishes) await target.finish()
  }
  await copyAll(false)
  await store.apply(...laterReviewLines, reviewLine(book, '1', { author: link(author, '2').uri }))
  await copyAll(true)
  await using copied = await openReviews(url)
  await assertCounts(copied.database.read, copied.tables)
  await copied.apply(reviewLine(book, '1', {}), reviewLine(review, '1', { stars: 3, book: link(book, '2') }))
  await assertCounts(copied.database.read, copied.tables)
})

onEveryPair(
  'a copy that is broken off goes on, whatever has changed meanwhile',
  async (from, to) =>
    await assertHolds(
      fc.record({
        before: fc.array(step, { minLength: 1, maxLength: 25 }),
        meanwhile: fc.array(step, { maxLength: 25 }),
        later: fc.array(step, { maxLength: 10 }),
        /** What is written and built before each of the ends. */
        lengths: fc.array(fc.nat(25), { minLength: 1, maxLength: 3 }),
      }),
      async ({ before, meanwhile, later, lengths }) => {
        await using store = await openNotes(await newUrl(from))
        const url = await emptyUrl(to)
        let turn = 0
        const live = async (steps: readonly Step[]): Promise<void> => {
          for (const one of steps) await happen(store, one, (turn += 1))
        }
        await live(before)
        for (const length of lengths) {
          await breakOff(store.path, url, length)
          await live(meanwhile)
        }
        await copy(store.path, url)
        await using copied = await openNotes(url)
        // Bases are never removed.
        assert.deepEqual(withoutBases(await keptState(copied)), withoutBases(await keptState(store)))
        await assertDerived(copied)
        for (const one of later) for (const each of [store, copied]) await happen(each, one, turn + 1)
        await assertOrder(copied)
        assert.deepEqual(await visibleRecords(copied), await visibleRecords(store))
      },
      from === 'sqlite' && to === 'sqlite' ? 8 : 1,
    ),
)

onUnlikePairs('what was shown and hidden again meanwhile is hidden once', async (from, to) => {
  await using store = await openNotes(await newUrl(from))
  const [subject, url] = [uriOf(spot('a')), await emptyUrl(to)]
  await hide(store, subject)
  await breakOff(store.path, url, Number.POSITIVE_INFINITY)
  await show(store, subject)
  await hide(store, subject)
  await copy(store.path, url)
  await using copied = await openNotes(url)
  assert.deepEqual(
    await copied.database.read.readSteps(readHidings),
    await store.database.read.readSteps(readHidings),
  )
})

onUnlikePairs('what is not the same is told, and mended by the next copy', async (from, to) => {
  await using store = await openEverything(from)
  const url = await emptyUrl(to)
  const damages: readonly Readonly<Record<string, string>>[] = [
    {
      [note]: `update "${note}" set changed_at = changed_at + 1 where rkey = 'a'`,
      tombstone: `delete from tombstone where rkey = 'gone'`,
      source: `update source set cursor = '1'`,
      hidden: `insert into hidden (base) select id from base where uri = 'at://${dids[0]}/${note}/'`,
    },
    { [note]: `delete from "${note}" where rkey = 'b'` },
    {
      expired: `insert into expired (base, rkey, indexed_at)
        select id, 'x', 5 from base where uri = 'at://${dids[0]}/${note}/'`,
    },
  ]
  for (const damaged of damages) {
    await using source = await openSnapshot(store.path, options)
    await using target = await openCopyTarget(url, source, options)
    await fill(source, target, parts, () => {})
    for (const damage of Object.values(damaged)) await tamperWith(url, damage)
    const found = await compare(source, target, parts, () => {})
    const different = found.filter(({ differing }) => differing > 0)
    assert.deepEqual(
      different.map((one) => [titleOf(one.part), one.source.digest === one.target.digest]).toSorted(),
      Object.keys(damaged)
        .map((part) => [part, false])
        .toSorted(),
    )
  }
  await copy(store.path, url)
  await using copied = await openNotes(url)
  assert.deepEqual(await keptState(copied), received(await keptState(store)))
})

onUnlikePairs('a copy is of the moment at which it began', async (from, to) => {
  await using store = await openNotes(await newUrl(from))
  await apply(store, put(store, spot('a'), 0, { rev: rev(1) }))
  const then = await keptState(store)
  const url = await emptyUrl(to)
  {
    await using source = await openSnapshot(store.path, options)
    await apply(store, put(store, spot('b'), 0), remove(spot('a'), rev(2)))
    await using target = await openCopyTarget(url, source, options)
    await fill(source, target, parts, () => {})
    assert.ok((await compare(source, target, parts, () => {})).every(({ differing }) => differing === 0))
    await target.finish()
  }
  await using copied = await openNotes(url)
  assert.deepEqual(await keptState(copied), then)
})

onUnlikePairs('an unfinished copy is no database, and no database is its copy', async (from, to) => {
  await using store = await openEverything(from)
  await using other = await openNotes(await newUrl(from))
  const url = await emptyUrl(to)
  const refuses = async (what: RegExp, work: Promise<AsyncDisposable>): Promise<void> => {
    await assert.rejects(async () => {
      await using _opened = await work
    }, what)
  }
  const copying = async (path: string, into: string, lexicons = options): Promise<AsyncDisposable> => {
    await using source = await openSnapshot(path, options)
    return await openCopyTarget(into, source, lexicons)
  }
  await refuses(/^Error: it is the very database /, copying(store.path, store.path))
  const state = await keptState(store)
  const isWhole = async (path: string, into: string): Promise<boolean> => {
    await using source = await openSnapshot(path, options)
    await using target = await openCopyTarget(into, source, options)
    return target.isWhole
  }
  assert.equal(await isWhole(other.path, store.path), true)
  assert.deepEqual(await keptState(store), state)
  await breakOff(store.path, url, 4)
  await refuses(/unfinished copy of .* again completes it/, openNotes(url))
  await refuses(/unfinished copy of .* again completes it/, openNotes(url, undefined, widerLexicons))
  await refuses(/unfinished copy of .* again completes it/, openSnapshot(url, options))
  await refuses(
    /it is an unfinished copy of .*\. Complete that one, or name an empty database\./,
    copying(other.path, url),
  )
  const wider = understand(widerLexicons, {})
  const widerOptions = { ...options, tables: wider.tables, fingerprint: wider.set.fingerprint }
  await refuses(/begun with other lexicons/, copying(store.path, url, widerOptions))
  await refuses(/built with other lexicons/, copying(store.path, other.path, widerOptions))
  await refuses(/built with other lexicons/, openSnapshot(store.path, widerOptions))
  await copy(store.path, url)
  assert.equal(await isWhole(store.path, url), true)
  await using copied = await openNotes(url)
  assert.deepEqual(await keptState(copied), received(state))
})

/** Whether both hold the same is asserted, and that digests do not depend on the engine. */
async function copy(from: string, to: string): Promise<void> {
  await using source = await openSnapshot(from, options)
  await using target = await openCopyTarget(to, source, options)
  await fill(source, target, parts, () => {})
  for (const one of await compare(source, target, parts, () => {})) {
    assert.equal(one.differing, 0, `${one.part.name}: ${one.first}`)
    assert.equal(one.source.digest, one.target.digest)
  }
  await target.finish()
}

class BrokenOff extends Error {}

/** Does so many of its steps. */
async function breakOff(from: string, to: string, length: number): Promise<void> {
  await using source = await openSnapshot(from, options)
  await using target = await openCopyTarget(to, source, options)
  let left = length
  const count = (): void => {
    if (left === 0) throw new BrokenOff()
    left -= 1
  }
  const breaking: CopyTarget = {
    isWhole: false,
    snapshot: () => target.snapshot(),
    finish: () => target.finish(),
    write: async (part, changes) => {
      count()
      await target.write(part, changes)
    },
    complete: async (part) => {
      count()
      await target.complete(part)
    },
    [Symbol.asyncDispose]: async () => {},
  }
  try {
    await fill(source, breaking, parts, () => {})
  } catch (error) {
    if (!(error instanceof BrokenOff)) throw error
  }
}

function withoutBases(state: Awaited<ReturnType<typeof keptState>>) {
  return { ...state, base: [] }
}

const step = fc.record({
  what: fc.constantFrom(
    ...'put,put,put,put,put,delete,refuse,import,end,early'.split(','),
    ...'suspended,deleted,back,settle,settle,settle'.split(','),
    ...'hide record,hide account,show record,show account'.split(','),
  ),
  did: fc.constantFrom(0, 1, 2),
  rkey: fc.constantFrom('a', 'b', 'c', 'd'),
  collection: fc.constantFrom(note, note, mark),
  content: fc.nat(contentCount - 1),
  limit: fc.constantFrom(1, 2, 1000),
})

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

async function happen(store: TestStore, one: Step, turn: number): Promise<void> {
  const { what, did, rkey, collection, content, limit } = one
  const at = spot(rkey, did, collection)
  const subject = what.endsWith('record') ? uriOf(at) : at.did
  const its = { rev: rev(turn) }
  // Of an earlier moment than any other; a deletion makes it one that is new.
  const indexedAt = `2020-01-${String(1 + (turn % 28)).padStart(2, '0')}T00:00:00Z`
  const changes: Readonly<Record<string, () => readonly Change[]>> = {
    put: () => [put(store, at, content, its)],
    early: () => [remove(at, its.rev), put(store, at, content, { ...its, indexedAt })],
    import: () => [put(store, at, content)],
    delete: () => [remove(at, its.rev)],
    refuse: () => [refuse(store, at, its.rev)],
    end: () => [repoEnd(did, its.rev)],
  }
  if (what.startsWith('hide')) await hide(store, subject)
  else if (what.startsWith('show')) await show(store, subject)
  else if (what === 'settle') await store.metadata.settleAccounts(limit)
  else await apply(store, ...(changes[what]?.() ?? [account(did, what === 'back' ? null : what, turn)]))
}
