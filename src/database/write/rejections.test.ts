import assert from 'node:assert/strict'
import { newUrl, onNotes, onStoppedNotes, assertOutcome } from '../../../test/support/store/note-stores.ts'
import { test } from 'node:test'
import { onEveryEngine } from '../../../test/support/store/databases.ts'
import {
  apply,
  dids,
  note,
  noteLexicons,
  openNotes,
  put,
  refuse,
  remove,
  repoEnd,
  rev,
  spot,
  uriOf,
  visibleRecords,
} from '../../../test/support/records/notes.ts'
import { recordLexicon } from '../../../test/support/store/store.ts'
import type { Change, Rejection } from '../database.ts'
import { maxRejectedLength, maxRejections, RejectionLimit } from './rejections.ts'
import { readRejections } from '../metadata/read-rejections.ts'

const nameless = (record: string, source = 'test'): Change => ({
  kind: 'reject',
  source,
  uri: null,
  reason: 'malformed',
  message: 'It is no JSON.',
  record,
})

onNotes('only the beginning of a record that is too long is kept, marked as cut', async (store) => {
  const [fits, tooLong] = ['x'.repeat(maxRejectedLength), '😀'.repeat(maxRejectedLength)]
  await apply(store, nameless(fits), nameless(`y${tooLong}`))
  const kept = (await store.database.read.readSteps(() => readRejections(9, null))).toSorted(
    (a, b) => Number(a.cut) - Number(b.cut),
  )
  assert.deepEqual(
    kept.map(({ cut }) => cut),
    [false, true],
  )
  assert.equal(kept[0]?.record, fits)
  const cut = kept[1]?.record as string
  // No half of a character at the end.
  assert.ok(cut.length <= 1_001 && cut.isWellFormed() && cut.startsWith('y😀'))
})

onNotes('what is refused without a URI is kept once for its text', async (store) => {
  await apply(store, nameless('x'), nameless('x'), nameless('y'))
  assert.deepEqual(await store.column('select record from rejection order by record'), ['x', 'y'])
})

onNotes('the newest are kept, up to a number', async (store) => {
  const count = maxRejections + 1_000
  for (let from = 0; from < count; from += 1_000)
    await apply(store, ...Array.from({ length: 1_000 }, (_, n) => nameless(`number ${from + n}`)))
  const kept = await store.column('select record from rejection order by seen_at')
  assert.ok(kept.length >= maxRejections && kept.length < count)
  assert.deepEqual(
    kept,
    Array.from({ length: kept.length }, (_, n) => `number ${count - kept.length + n}`),
  )
})

onEveryEngine('rejections of a rebuild are neither cut nor dropped', async (database) => {
  const path = await newUrl(database)
  const long = 'long '.repeat(20_000)
  const tall = [
    recordLexicon(note, { text: { type: 'string', maxLength: 200_000 } }),
    ...noteLexicons.slice(1),
  ]
  {
    await using store = await openNotes(path, undefined, tall)
    await store.load([{ uri: uriOf(spot('long')), value: { $type: note, text: long } }])
  }
  await using store = await openNotes(path)
  for (let from = 0; from <= maxRejections; from += 1_000)
    await apply(store, ...Array.from({ length: 1_000 }, (_, n) => nameless(`number ${from + n}`)))
  // Nor does what nobody vouches for take its place.
  await apply(store, refuse(store, spot('long')))
  const [kept] = await store.database.read.readSteps(() => readRejections(1, null))
  assert.deepEqual([kept?.uri, kept?.source, kept?.cut], [uriOf(spot('long')), 'rebuild', false])
  assert.equal(JSON.parse(kept?.record ?? '').value.text, long)
})

onEveryEngine('rejections of a rebuild give way to newer ones, or return', async (database) => {
  const path = await newUrl(database)
  const strict = [recordLexicon(note, { text: { type: 'integer' } }), ...noteLexicons.slice(1)]
  {
    await using store = await openNotes(path)
    await apply(store, ...['a', 'b', 'c'].map((rkey) => put(store, spot(rkey), 1, { rev: rev(5) })))
  }
  {
    await using store = await openNotes(path, undefined, strict)
    const older = { ...put(store, spot('a'), 2, { rev: rev(4) }), columns: [null], arrays: [] }
    const refusal = (rkey: string, n: number) => ({
      ...(refuse(store, spot(rkey)) as Rejection),
      rev: rev(n),
    })
    await assertOutcome(apply(store, older, { kind: 'reject', ...refusal('b', 4) }), { older: 2 })
    await apply(store, { kind: 'reject', ...refusal('c', 6) })
  }
  await using store = await openNotes(path)
  assert.deepEqual([...(await visibleRecords(store)).keys()], [uriOf(spot('a')), uriOf(spot('b'))])
  const kept = await store.database.read.readSteps(() => readRejections(9, null))
  assert.deepEqual(
    kept.map(({ uri, source }) => [uri, source]),
    [[uriOf(spot('c')), 'test']],
  )
})

onNotes('a rejection without a revision does not replace one that has it', async (store) => {
  const kept = async () => await store.column('select rev from rejection')
  await apply(store, put(store, spot('b'), 0, { rev: rev(2) }), refuse(store, spot('b')))
  await apply(store, remove(spot('b'), rev(1)), repoEnd(0, rev(2)))
  assert.deepEqual(await kept(), [null])
  await apply(store, remove(spot('b'), rev(3)))
  assert.deepEqual(await kept(), [])
  await apply(store, refuse(store, spot('c', 1)), put(store, spot('c', 1), 0))
  assert.deepEqual(await kept(), [])
  await apply(store, refuse(store, spot('a'), rev(5)), refuse(store, spot('a')))
  assert.deepEqual(await kept(), [rev(5)])
  await apply(store, put(store, spot('a'), 0), remove(spot('a'), rev(4)))
  assert.deepEqual(await kept(), [rev(5)])
})

onNotes('the same rejection again changes nothing, another one replaces it', async (store) => {
  const row = async () => (await store.rows('select reason, rev, seen_at from rejection'))[0]
  const refused = refuse(store, spot('a'), rev(1)) as Extract<Change, { kind: 'reject' }>
  await apply(store, refused)
  const first = await row()
  await apply(store, refused)
  assert.deepEqual(await row(), first)
  await apply(store, { ...refused, reason: 'bad-datetime' })
  assert.equal((await row())?.reason, 'bad-datetime')
  await apply(store, { ...refused, rev: rev(2) })
  assert.equal((await row())?.rev, rev(2))
  assert.ok(Number((await row())?.seen_at) > Number(first?.seen_at))
})

onNotes('a refusal is bounded whatever the publisher does: one for each URI', async (store) => {
  const again = Array.from({ length: 50 }, (_, n) => refuse(store, spot('a'), rev(n + 1)))
  await assertOutcome(apply(store, ...again), { rejected: 50 })
  assert.deepEqual(await store.rows('select uri, rev from rejection'), [
    { uri: uriOf(spot('a')), rev: rev(50) },
  ])
  assert.deepEqual(await store.rows('select did from actor'), [])
  assert.equal((await store.rows('select * from base where did = ?', dids[0] as string)).length, 1)
})

onStoppedNotes('rejections are read in pages, in the order of their keys', async (store, { clock }) => {
  const { read } = store.database
  await apply(store, ...['c', 'a', 'b'].map((rkey) => refuse(store, spot(rkey), rev(3))))
  await apply(store, nameless('x'))
  const pages: string[][] = []
  for (let after: string | null = null; ; ) {
    const page = await read.readSteps(() => readRejections(3, after))
    if (page.length === 0) break
    pages.push(page.map(({ key }) => key))
    after = page.at(-1)?.key ?? null
  }
  const [first, second] = pages
  assert.deepEqual(
    first,
    ['a', 'b', 'c'].map((rkey) => uriOf(spot(rkey))),
  )
  assert.match(second?.join() ?? '', /^sha256:[0-9a-f]{64}$/)
  const [kept, , , without] = await read.readSteps(() => readRejections(9, null))
  assert.deepEqual(
    {
      ...kept,
      record: JSON.parse(kept?.record ?? '').uri,
      message: '',
      seenAt: (kept?.seenAt ?? 0n) >= clock.now(),
    },
    {
      key: uriOf(spot('a')),
      source: 'test',
      uri: uriOf(spot('a')),
      reason: 'invalid-record',
      message: '',
      record: uriOf(spot('a')),
      rev: rev(3),
      cut: false,
      seenAt: true,
    },
  )
  assert.ok(without !== undefined && !('rev' in without) && without.uri === null)
})

test('stored rejections are counted once for five hundred new ones', () => {
  const limit = new RejectionLimit()
  const statements = (stored: number): number => {
    const steps = limit.hold(stored)
    let count = 0
    for (let step = steps.next(); step.done !== true; step = steps.next([{ n: 0n }])) count += 1
    return count
  }
  // How many there are already is unknown at first.
  assert.deepEqual([1, 1, 0, 498, 1, 1].map(statements), [1, 0, 0, 0, 1, 0])
})
