/** What becomes of stored and of refused records when the lexicons change, and change back. */
import assert from 'node:assert/strict'
import { hide, newUrl, show } from '../../test/support/store/note-stores.ts'
import { onEveryEngine } from '../../test/support/store/databases.ts'
import {
  account,
  apply,
  assertDerived,
  dids,
  mark,
  note,
  noteLexicons,
  openNotes,
  put,
  refuse,
  rev,
  settleAll,
  spot,
  uriOf,
  widerLexicons,
} from '../../test/support/records/notes.ts'
import { recordText, openTestStore, recordLexicon, type TestStore } from '../../test/support/store/store.ts'
import { understand } from '../../test/support/records/understand.ts'
import { createRejectionJudge } from '../ingest/retry.ts'
import { createRecordReader } from '../lexicon/records/validate.ts'
import type { Change, RebuildPolicy } from './database.ts'
import { previewRebuild } from './open.ts'
import type { RebuildReport } from './rebuild/rebuild-report.ts'
import { readRejections } from './metadata/read-rejections.ts'

const marks = noteLexicons[1] as (typeof noteLexicons)[number]
/** No note that has a text fits these. */
const strictLexicons = [recordLexicon(note, { text: { type: 'integer' } }), marks]

onEveryEngine('records that stop fitting come back with the lexicons that they fit', async (database) => {
  const path = await newUrl(database)
  let before: unknown
  {
    await using store = await openNotes(path)
    await apply(store, put(store, spot('imported'), 0, { indexedAt: '2026-01-02T03:04:05.000006Z' }))
    await apply(store, put(store, spot('vouched'), 1, { rev: rev(3) }))
    await apply(store, put(store, spot('changed'), 0, { rev: rev(3), indexedAt: '2025-01-01T00:00:00Z' }))
    await apply(store, put(store, spot('changed'), 3, { rev: rev(4) }))
    await apply(store, put(store, spot('fits'), 2, { rev: rev(3) }), put(store, spot('m', 1, mark), 1))
    await apply(store, put(store, spot('of-hidden', 1), 0), put(store, spot('of-inactive', 2), 1))
    await apply(store, put(store, spot('hidden'), 0, { rev: rev(5) }))
    await settleAll(store)
    before = await content(store)
    for (const subject of [uriOf(spot('hidden')), dids[1] as string]) await hide(store, subject)
    await apply(store, account(2, 'deactivated', 1))
    await settleAll(store)
  }
  {
    await using store = await openNotes(path, undefined, strictLexicons)
    assert.deepEqual(
      (await content(store)).map(({ uri }) => uri),
      [uriOf(spot('fits')), uriOf(spot('m', 1, mark))].filter((uri) => !uri.includes(dids[1] as string)),
    )
    // What is shown again meanwhile is refused then.
    await show(store, uriOf(spot('hidden')))
    await apply(store, account(2, null, 2))
    await settleAll(store)
  }
  await using store = await openNotes(path)
  await show(store, dids[1] as string)
  await settleAll(store)
  assert.deepEqual(await content(store), before)
  assert.deepEqual(await store.database.read.readSteps(() => readRejections(9, null)), [])
  assert.deepEqual(await store.rows('select * from parked'), [])
  assert.deepEqual(await store.rows('select * from tombstone'), [])
  await assertDerived(store)
})

onEveryEngine('what was refused by an import is stored once the lexicons take it', async (database) => {
  const path = await newUrl(database)
  {
    await using store = await openNotes(path, undefined, strictLexicons)
    await using wide = await openNotes(':memory:')
    await apply(store, ...['a', 'b'].map((rkey) => refusedLine(wide, rkey, 1)))
    await apply(store, refuse(store, spot('never'), rev(9)))
  }
  await using store = await openNotes(path)
  assert.deepEqual(
    (await content(store)).map(({ uri }) => uri),
    [uriOf(spot('a')), uriOf(spot('b'))],
  )
  const left = await store.database.read.readSteps(() => readRejections(9, null))
  assert.deepEqual(
    left.map(({ uri }) => uri),
    [uriOf(spot('never'))],
  )
})

onEveryEngine('a rejection of a stored record outlasts rebuilds until the record fits', async (database) => {
  const path = await newUrl(database)
  const narrow = [recordLexicon(note, { text: { type: 'string', maxLength: 12 } }), marks]
  {
    await using store = await openNotes(path, undefined, narrow)
    await using wide = await openNotes(':memory:')
    await apply(store, put(store, spot('a'), 2), refusedLine(wide, 'a', 0))
  }
  {
    const others = [recordLexicon(note, { text: { type: 'string', maxLength: 13 } }), marks]
    await using store = await openNotes(path, undefined, others)
    assert.equal((await store.database.read.readSteps(() => readRejections(9, null))).length, 1)
  }
  await using store = await openNotes(path)
  assert.match(String((await content(store))[0]?.json), /Äpfel/)
  assert.deepEqual(await store.database.read.readSteps(() => readRejections(9, null)), [])
})

onEveryEngine('a rebuild reports what its preview reported, which wrote nothing', async (database) => {
  const path = await newUrl(database)
  {
    await using store = await openNotes(path)
    await apply(store, ...[0, 1, 2, 3].map((n) => put(store, spot(`n${n}`), n)))
    await apply(store, ...[0, 1].map((n) => put(store, spot(`m${n}`, 0, mark), n)))
    await apply(store, put(store, spot('hidden'), 0))
    await hide(store, uriOf(spot('hidden')))
    // It fits where a text is an integer.
    const value = { $type: note, text: 7 }
    await apply(store, store.change({ uri: uriOf(spot('accepted')), value }))
  }
  const only = strictLexicons.slice(0, 1)
  const counts = ({ collections }: RebuildReport) =>
    collections.map(({ name, served, stored, refused, accepted }) => [
      name,
      served,
      stored,
      refused,
      accepted,
    ])
  const preview = await previewOf(path, only)
  assert.deepEqual(counts(preview), [
    [mark, false, 2, 0, 0],
    [note, true, 5, 4, 1],
  ])
  const [reason] = preview.collections[1]?.reasons ?? []
  assert.match(reason?.message ?? '', /text must be an integer/)
  assert.deepEqual([reason?.records, reason?.example], [4, uriOf(spot('n0'))])
  {
    await using store = await openNotes(path)
    assert.equal((await content(store)).length, 6)
  }
  let told: RebuildReport | null = null
  const onRebuilt = (report: RebuildReport): void => void (told = report)
  await (await openTestStore({ path, lexicons: only, onRebuilt }))[Symbol.asyncDispose]()
  // The hidden one waits, and is judged when it is shown again.
  assert.deepEqual(counts(told as never), [
    [mark, false, 2, 0, 0],
    [note, true, 4, 3, 1],
  ])
  const back = await previewOf(path, noteLexicons)
  assert.deepEqual(counts(back), [
    [mark, true, 2, 0, 0],
    [note, true, 3, 1, 3],
  ])
})

onEveryEngine(
  'a rebuild back within an hour needs permission, one to other lexicons does not',
  async (database) => {
    const path = await newUrl(database)
    let now = 1_900_000_000_000_000n
    const open = async (lexicons: typeof noteLexicons, rebuild: RebuildPolicy = 'unless-lost') =>
      (await openTestStore({ path, lexicons, rebuild, now: () => now }))[Symbol.asyncDispose]()
    const [first, second] = [noteLexicons, widerLexicons]
    const refused = {
      name: 'ReplacedLexiconsError',
      message: /rebuilt it from these lexicons to others at 2030-/,
    }
    await open(first)
    await open(second)
    await assert.rejects(open(first), refused)
    await open(second)
    await open(first, 'always')
    // A process with the lexicons that were replaced is refused now.
    await assert.rejects(open(second), refused)
    now += 3_600_000_000n
    await open(second)
    await assert.rejects(open(first), refused)
  },
)

onEveryEngine('a collection with records disappears only when that is asked for', async (database) => {
  const path = await newUrl(database)
  // More than an hour passes each time.
  let now = BigInt(Date.now()) * 1_000n
  const later = (): bigint => (now += 4_000_000_000n)
  const lost = (lexicons: typeof noteLexicons) =>
    openTestStore({ path, lexicons, rebuild: 'unless-lost', now: later }).then(
      async (store) => void (await store[Symbol.asyncDispose]()),
      (error) => error.collections,
    )
  {
    await using store = await openNotes(path)
    await apply(store, ...[0, 1].map((n) => put(store, spot(`n${n}`), n)))
    await apply(store, put(store, spot('m', 0, mark), 0))
  }
  assert.deepEqual(await lost(noteLexicons.slice(0, 1)), [{ name: mark, records: 1, refusal: null }])
  const [unfit] = await lost(strictLexicons)
  assert.deepEqual([unfit.name, unfit.records, unfit.refusal.uri], [note, 2, uriOf(spot('n0'))])
  assert.match(unfit.refusal.message, /text must be an integer/)
  {
    await using store = await openNotes(path)
    assert.equal((await content(store)).length, 3)
    // One that fits is enough.
    await apply(store, put(store, spot('n2'), 2))
  }
  assert.equal(await lost(strictLexicons), undefined)
  assert.equal(await lost(widerLexicons), undefined)
  // What was given up once is not asked about again.
  const fewer = widerLexicons.slice(0, 1)
  await (await openTestStore({ path, lexicons: fewer }))[Symbol.asyncDispose]()
  assert.equal(await lost(noteLexicons.slice(0, 1)), undefined)
  assert.equal(await lost(noteLexicons), undefined)
  await using store = await openNotes(path)
  assert.equal((await content(store)).length, 4)
  assert.deepEqual(await lost(noteLexicons.slice(0, 1)), [{ name: mark, records: 1, refusal: null }])
})

/** What can be seen, as it is kept. */
async function content(store: TestStore) {
  const rows = await Array.fromAsync(store.tables, ({ name }) =>
    store.rows(
      `select b.uri || t.rkey as uri, t.rev, t.indexed_at, t.changed_at, ${recordText(store)} as json
       from "${name}" t join base b on b.id = t.base
       where t.base not in (select base from hidden) order by 1`,
    ),
  )
  return rows.flat()
}

/** A line of an import that fits the lexicons of `wide`, as other lexicons refused it. */
function refusedLine(wide: TestStore, rkey: string, content: number): Change {
  const change = put(wide, spot(rkey), content)
  assert.equal(change.kind, 'put')
  const { json } = change as Extract<Change, { kind: 'put' }>
  const uri = uriOf(spot(rkey))
  const record = JSON.stringify({ uri, value: JSON.parse(json) })
  return { kind: 'reject', source: 'test', uri, reason: 'invalid-record', message: 'It did not fit.', record }
}

async function previewOf(path: string, lexicons: typeof noteLexicons): Promise<RebuildReport> {
  const { set, tables } = understand(lexicons, {})
  const read = createRecordReader(set)
  return previewRebuild(path, {
    tables,
    check: (uri, json) => {
      const reading = read({ uri, value: JSON.parse(json) })
      return reading.ok ? null : { reason: reading.reason, message: reading.message }
    },
    judge: createRejectionJudge({ lexicons: set, tables }),
  })
}
