import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  apply,
  assertDerived,
  assertHolds,
  contentCount,
  contentJson,
  mark,
  note,
  noteLexicons,
  openNotes,
  put,
  type RecordAddress,
  remove,
  rev,
  settleAll,
  spot,
  spotOf,
  uriOf,
  visibleRecords,
} from '../../test/support/records/notes.ts'
import { understand } from '../../test/support/records/understand.ts'
import { onEveryEngine } from '../../test/support/store/databases.ts'
import { applyAtOnce, interrupted, writeAtOnce } from '../../test/support/store/interrupted.ts'
import { hide, newUrl, seen, show } from '../../test/support/store/note-stores.ts'
import { databases, type Engine } from '../../test/support/store/postgres.ts'
import { risingClock, type TestStore } from '../../test/support/store/store.ts'
import { type CopyTarget, fill } from './copy/database-copy.ts'
import { type CopyPart, partsOf } from './copy/parts.ts'
import { type Change, DatabaseBusyError } from './database.ts'
import { openCopyTarget, openSnapshot } from './open.ts'

onEveryEngine('writers that open, write, hide and show in turns give no id twice', (database) =>
  assertHolds(
    fc.array(step, { minLength: 2, maxLength: 60 }),
    (steps) => follow(database, steps),
    database === 'sqlite' ? 6 : 1,
  ),
)

onSqlite('a writer that opens a file while another process writes gives no id twice', async (path) => {
  await using store = await openNotes(path, now)
  const write = (one: TestStore, rkey: string) => apply(one, ...puts(one, rkey))
  await write(store, 'a')
  const writeBeside = (statement: number) => applyAtOnce(path, options, puts(store, `b${statement}`))
  for await (const [opened, statement] of openings(path, writeBeside)) {
    const newest = uriOf(spot(`b${statement}`))
    await hide(opened, newest)
    await write(store, `c${statement}`)
    assert.equal(await show(opened, newest), 1)
    await write(opened, `d${statement}`)
    await assertIds(store)
  }
  await assertDerived(store)
})

onSqlite(
  'a writer that opens a file while a rebuild for other lexicons ends writes nothing',
  async (path) => {
    await using store = await openNotes(path, now)
    const derivation = async () => String((await store.column('select derivation from state'))[0])
    const own = await derivation()
    const setDerivation = (given: string) =>
      writeAtOnce(path, (database) => database.prepare('update state set derivation = ?').run(given))
    let refused = 0
    for await (const [opened, statement] of openings(path, () => setDerivation('another'))) {
      // It has noticed that, and has rebuilt the file for its own lexicons.
      if ((await derivation()) === own) continue
      refused += 1
      await assert.rejects(apply(opened, ...puts(opened, `a${statement}`)), /rebuilt for other lexicons/)
      setDerivation(own)
    }
    assert.ok(refused > 0)
    assert.deepEqual(await seen(store), [])
  },
)

onSqlite('of two processes that copy into one file, only one writes', async (path) => {
  await using store = await openNotes(path)
  const parts = partsOf(tables)
  const ofNotes = parts.find(({ name }) => name === note) as CopyPart
  await apply(store, ...Array.from({ length: 400 }, (_, n) => put(store, spot(`k${n}`), 0)))
  await using source = await openSnapshot(path, options)
  const rows = await Array.fromAsync(source.rows(ofNotes))
  const open = () => openCopyTarget(`${path}.copy`, source, options)
  const writeOne = (target: CopyTarget) => target.write(ofNotes, { written: rows.splice(0, 1), removed: [] })
  {
    await using first = await open()
    await fill(source, first, parts.slice(0, 1), () => {})
  }
  let refused = 0
  for (let statement = 1; ; statement += 1) {
    await using first = await open()
    // A write to a file is done when the call returns.
    const { result, wasInterrupted } = await interrupted(statement, () => void writeOne(first), open)
    await using second = result
    if (!wasInterrupted) break
    try {
      await writeOne(second)
    } catch (error) {
      if (!(error instanceof DatabaseBusyError)) throw error
      refused += 1
    }
  }
  assert.ok(refused > 0)
})

function onSqlite(sentence: string, holds: (path: string) => Promise<void>): void {
  if (databases.includes('sqlite')) test(sentence, async () => holds(await newUrl('sqlite')))
}

/** What one of two writers does. */
const step = fc.record({
  what: fc.constantFrom(...'put,put,put,update,delete,hide,hide,show,show,settle,open,open,open'.split(',')),
  writer: fc.constantFrom(0, 1),
  did: fc.constantFrom(0, 1),
  collection: fc.constantFrom(note, note, mark),
  content: fc.nat(contentCount - 1),
  /** How many records are newer than the one that it is about. */
  newer: fc.nat(5),
  /** Whether the whole account is hidden or shown. */
  whole: fc.boolean(),
  /** The statement of an opening before which another process writes. */
  statement: fc.integer({ min: 1, max: 90 }),
})

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

async function follow(database: Engine, steps: readonly Step[]): Promise<void> {
  const path = await newUrl(database)
  const stores: [TestStore, TestStore] = [await openNotes(path, now), await openNotes(path, now)]
  /** By URI; null for a record that is gone. */
  const records = new Map<string, string | null>()
  const hidden = new Set<string>()
  try {
    for (const [turn, one] of steps.entries()) {
      const { what, writer, did, collection, content } = one
      const [store, other] = writer === 0 ? stores : (stores.toReversed() as typeof stores)
      const putAt = (at: RecordAddress): Change => {
        records.set(uriOf(at), contentJson(at.collection, content))
        return put(store, at, content, { rev: rev(turn) })
      }
      const next = spot(`k${turn}`, did, collection)
      const known = [...records.keys()].at(-1 - (one.newer % Math.max(records.size, 1)))
      const at = known === undefined ? next : spotOf(known)
      const subject = one.whole ? at.did : uriOf(at)
      switch (what) {
        case 'put':
        case 'update':
          await apply(store, putAt(what === 'put' ? next : at))
          break
        case 'delete':
          await apply(store, remove(at, rev(turn)))
          records.set(uriOf(at), null)
          break
        case 'hide':
          await hide(store, subject)
          hidden.add(subject)
          break
        case 'show':
          await show(store, subject)
          hidden.delete(subject)
          break
        case 'settle':
          await settleAll(store)
          break
        case 'open':
          stores[writer] = await openBeside(other, one.statement, putAt(next))
          await store[Symbol.asyncDispose]()
          break
      }
      await assertIds(other)
    }
    for (const subject of hidden) await show(stores[0], subject)
    await settleAll(stores[1])
    const expected = [...records].filter(([, json]) => json !== null).toSorted()
    assert.deepEqual([...(await visibleRecords(stores[0]))], expected)
    await assertDerived(stores[1])
  } finally {
    for (const store of stores) await store[Symbol.asyncDispose]()
  }
}

/** Opens a file once for each statement of an opening, which is interrupted before it. */
async function* openings(
  path: string,
  interruption: (statement: number) => void,
): AsyncGenerator<readonly [opened: TestStore, statement: number]> {
  for (let statement = 1; ; statement += 1) {
    const opening = await interrupted(
      statement,
      () => interruption(statement),
      () => openNotes(path, now),
    )
    await using opened = opening.result
    if (!opening.wasInterrupted) return
    yield [opened, statement]
  }
}

/** Opens a database while another process applies a change: in SQLite before that statement, or afterwards. */
async function openBeside(
  { engine, path, ...other }: TestStore,
  statement: number,
  change: Change,
): Promise<TestStore> {
  if (engine === 'postgres') {
    const [opened] = await Promise.all([openNotes(path, now), other.database.write.applyBatch([change])])
    return opened
  }
  const write = (): void => applyAtOnce(path, options, [change])
  const { result, wasInterrupted } = await interrupted(statement, write, () => openNotes(path, now))
  if (!wasInterrupted) write()
  return result
}

/** No row has the id of another one of its collection, quarantined ones included. */
async function assertIds(store: TestStore): Promise<void> {
  const places = [...tables.map(({ name }) => `"${name}"`), 'parked where id is not null']
  const rows = places.map((place) => `select base, id from ${place}`).join(' union all ')
  const twice = `select b.collection, r.id from (${rows}) r join base b on b.id = r.base
    group by b.collection, r.id having count(*) > 1`
  assert.deepEqual(await store.rows(twice), [])
}

function spots(rkey: string): readonly RecordAddress[] {
  return [note, mark].map((collection) => spot(rkey, 0, collection))
}

function puts(store: TestStore, rkey: string): readonly Change[] {
  return spots(rkey).map((at) => put(store, at, 0, { rev: rev(1) }))
}

const { set, tables } = understand(noteLexicons, {})
/** One clock for all writers, as those on one machine have. */
const now = risingClock()
const options = { tables, fingerprint: set.fingerprint, check: () => null, now }
