import assert from 'node:assert/strict'
import { onStoppedNotes } from '../../../test/support/store/note-stores.ts'
import { apply, refuse, rev, spot, uriOf } from '../../../test/support/records/notes.ts'

onStoppedNotes('rejections are read in pages, in the order of their keys', async (store, { clock }) => {
  const { read } = store.database
  await apply(store, ...['c', 'a', 'b'].map((rkey) => refuse(store, spot(rkey), rev(3))))
  await apply(store, {
    kind: 'reject',
    source: 's',
    uri: null,
    reason: 'malformed',
    message: 'No.',
    record: 'x',
  })
  const pages: string[][] = []
  for (let after: string | null = null; ; ) {
    const page = await read.readRejections(3, after)
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
  const [kept, , , nameless] = await read.readRejections(9, null)
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
  assert.ok(nameless !== undefined && !('rev' in nameless) && nameless.uri === null)
})
