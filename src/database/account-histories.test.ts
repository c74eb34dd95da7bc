import assert from 'node:assert/strict'
import { newUrl } from '../../test/support/store/note-stores.ts'
import { onEveryEngine } from '../../test/support/store/databases.ts'
import fc from 'fast-check'
import {
  account,
  apply,
  assertDerived,
  assertHolds,
  assertOrder,
  contentCount,
  contentJson,
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
  spotOf,
  uriOf,
  visibleRecords,
  widerLexicons,
} from '../../test/support/records/notes.ts'
import type { Engine } from '../../test/support/store/postgres.ts'
import { assertCounts, risingClock, type TestStore } from '../../test/support/store/store.ts'

onEveryEngine('changes of accounts and hidings hide the right records, and no other', (database) =>
  assertHolds(
    fc.array(step, { minLength: 5, maxLength: 60 }),
    (steps) => follow(database, steps),
    database === 'sqlite' ? 6 : 1,
  ),
)

/** One thing that happens; `at` and `did` say to whom. */
const step = fc.record({
  what: fc.constantFrom(
    ...'put,put,put,put,delete,refuse,import,old put,end,old end'.split(','),
    ...'suspended,deactivated,deleted,back,back,old account,settle,settle,settle,reopen,rebuild'.split(','),
    ...'hide record,hide record,show record,hide account,show account,show account'.split(','),
  ),
  did: fc.constantFrom(0, 1),
  rkey: fc.constantFrom('a', 'b', 'c', 'd'),
  collection: fc.constantFrom(note, note, mark),
  content: fc.nat(contentCount - 1),
  limit: fc.constantFrom(1, 2, 7, 1000),
})

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** What may be seen of an account, and what is known of the rest. */
interface Known {
  status: string | null
  floor: string
  /** The last revision that is known of a record, empty for none; its content, null when it is gone. */
  readonly records: Map<
    string,
    { readonly rev: string; readonly content: number | null; readonly made: number }
  >
}

async function follow(database: Engine, steps: readonly Step[]): Promise<void> {
  const path = await newUrl(database)
  const first = { rev: rev(0), content: 0, made: -1 }
  /** What operators hide: URIs and DIDs. */
  const hidden = new Set<string>()
  const model = [0, 1].map(
    (did): Known => ({ status: null, floor: '', records: new Map([[uriOf(spot('a', did)), first]]) }),
  )
  let lexicons = noteLexicons
  // One for all openings, as the clock of a machine goes on.
  const now = risingClock()
  let store = await openNotes(path, now)
  await apply(store, ...[0, 1].map((did) => put(store, spot('a', did), 0, { rev: rev(0) })))
  /** Ids and first moments of all rows that were seen, which nothing but a deletion may change. */
  const seen = new Map<string, unknown>()
  /** When the rows that were seen last changed, which nothing sets back. */
  const changedAt = new Map<string, number>()
  let before = await store.database.read.readPlanState()
  try {
    for (const [turn, { what, did, rkey, collection, content, limit }] of steps.entries()) {
      const known = model[did] as Known
      const at = spot(rkey, did, collection)
      const revision = rev(what.startsWith('old') ? Math.floor(turn / 2) : turn + 1)
      const last = known.records.get(uriOf(at))
      const settled = [last?.rev ?? '', known.floor].toSorted().at(-1) as string
      const learn = (becomes: number | null, revised = revision): void => {
        if (known.status === 'deleted' || revised < settled) return
        const made = last === undefined || last.content === null ? turn : last.made
        known.records.set(uriOf(at), { rev: revised, content: becomes, made })
      }
      let rebuilt = false
      switch (what) {
        case 'put':
        case 'old put':
          await apply(store, put(store, at, content, { rev: revision }))
          learn(content)
          break
        case 'import':
          await apply(store, put(store, at, content))
          learn(content, '')
          break
        case 'delete':
        case 'refuse':
          await apply(store, what === 'delete' ? remove(at, revision) : refuse(store, at, revision))
          learn(null)
          break
        case 'end':
        case 'old end':
          await apply(store, repoEnd(did, revision))
          if (known.status === 'deleted' || revision < known.floor) break
          known.floor = revision
          for (const [uri, record] of known.records)
            if (record.rev < revision) known.records.set(uri, { ...record, rev: '', content: null })
          break
        case 'suspended':
        case 'deactivated':
        case 'deleted':
        case 'back': {
          const status = what === 'back' ? null : what
          await apply(store, account(did, status, turn + 1))
          known.status = status
          if (status === 'deleted') {
            const last = [known.floor, ...[...known.records.values()].map((record) => record.rev)]
              .toSorted()
              .at(-1)
            known.records.clear()
            // What comes again of that time is old.
            known.floor = last === undefined || last === '' || last.endsWith('~') ? known.floor : `${last}~`
          }
          break
        }
        case 'hide record':
        case 'hide account':
        case 'show record':
        case 'show account': {
          const subject = what.endsWith('record') ? uriOf(at) : at.did
          const { metadata } = store
          const was = [...(await visibleRecords(store)).keys()]
          const shows = what.startsWith('show')
          const given = { subject, reason: `In turn ${turn}.`, hiddenBy: 'ann' }
          const moved = await (shows ? metadata.unhide(subject, 'ben') : metadata.hide(given))
          const changes = shows ? hidden.delete(subject) : !hidden.has(subject)
          if (!shows) hidden.add(subject)
          assert.equal(moved !== null, changes)
          const isOf = (uri: string): boolean => uri === subject || uri.startsWith(`at://${subject}/`)
          const shown = [...known.records].filter(
            ([uri, { content }]) =>
              isOf(uri) && content !== null && known.status === null && !hidden.has(uri),
          )
          if (!shows && changes) assert.equal(moved, was.filter(isOf).length)
          if (shows && changes) assert.equal(moved, hidden.has(at.did) ? 0 : shown.length)
          break
        }
        case 'old account':
          await apply(store, account(did, 'suspended', -1))
          break
        case 'settle':
          await store.metadata.settleAccounts(limit)
          break
        case 'reopen':
        case 'rebuild':
          await store[Symbol.asyncDispose]()
          rebuilt = what === 'rebuild'
          if (rebuilt) {
            lexicons = lexicons === noteLexicons ? widerLexicons : noteLexicons
            seen.clear()
            // A collection may be new here, so that a floor no longer says that all is known.
            for (const one of model) one.floor = ''
          }
          store = await openNotes(path, now, lexicons)
          break
      }
      await assertSeen(store, model, hidden, seen, changedAt)
      const state = await store.database.read.readPlanState()
      assert.equal(state.hiding, (await store.rows('select * from hidden')).length > 0)
      const changed = state.hiding !== before.hiding || state.ordered.size !== before.ordered.size
      if (!rebuilt && what !== 'reopen') assert.equal(state.version > before.version, changed, what)
      before = state
    }
    await settleAll(store, 3)
    await assertSeen(store, model, hidden, seen, changedAt)
    assert.deepEqual(await store.rows('select * from hidden'), [])
    assert.equal((await store.rows(allRows)).length, (await visibleRecords(store)).size)
    await assertDerived(store, lexicons)
    await apply(store, account(0, null, 1000), account(1, null, 1000))
    for (const known of model) known.status = null
    await settleAll(store, 2)
    await assertSeen(store, model, hidden, seen, changedAt)
    for (const subject of hidden) await store.metadata.unhide(subject, 'ben')
    hidden.clear()
    await settleAll(store, 2)
    await assertSeen(store, model, hidden, seen, changedAt)
    assert.deepEqual(await store.rows('select * from parked'), [])
    await assertDerived(store, lexicons)
  } finally {
    await store[Symbol.asyncDispose]()
  }
}

async function assertSeen(
  store: TestStore,
  model: readonly Known[],
  hidden: ReadonlySet<string>,
  seen: Map<string, unknown>,
  changedAt: Map<string, number>,
): Promise<void> {
  const visible = await visibleRecords(store)
  const returning = await store.column("select did from actor where move = 'return'")
  const expected = new Map<string, string>()
  for (const { status, records } of model)
    for (const [uri, { content }] of records) {
      if (content === null || status !== null) continue
      if (hidden.has(uri) || hidden.has(spotOf(uri).did)) continue
      // It may not be back yet.
      if (returning.includes(spotOf(uri).did) && !visible.has(uri)) continue
      expected.set(uri, contentJson(spotOf(uri).collection, content))
    }
  assert.deepEqual(visible, new Map([...expected].toSorted()))
  for (const { uri, id, indexed_at, changed_at } of await store.rows(allRows)) {
    const record = model.flatMap(({ records }) => records.get(String(uri)) ?? [])[0]
    if (record === undefined || record.content === null) continue
    const key = `${uri} ${record.made}`
    assert.deepEqual(seen.get(key) ?? { id, indexed_at }, { id, indexed_at }, key)
    seen.set(key, { id, indexed_at })
    assert.ok(Number(changed_at) >= (changedAt.get(key) ?? 0), `${key} changed at ${changed_at} and later`)
    changedAt.set(key, Number(changed_at))
  }
  await assertOrder(store)
  await assertCounts(store.database.read, store.tables)
}

const allRows = [note, mark]
  .map(
    (name) =>
      `select b.uri || t.rkey as uri, t.id, t.indexed_at, t.changed_at
       from "${name}" t join base b on b.id = t.base`,
  )
  .join(' union all ')
