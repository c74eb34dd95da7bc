import assert from 'node:assert/strict'
import { newUrl } from '../../../test/support/store/note-stores.ts'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { onEveryEngine } from '../../../test/support/store/databases.ts'
import { openNotes } from '../../../test/support/records/notes.ts'
import { addKeyUsage } from '../open.ts'
import { usageDays } from './keys.ts'

const today = 20_000

onEveryEngine('what keys were used for is added up by day, whoever adds it', async (engine) => {
  const url = await newUrl(engine)
  await using store = await openNotes(url)
  const { read } = store.database
  assert.deepEqual(await read.readUsage(0), [])
  const usage = [
    { key: 'b', day: today, requests: 1, points: 10 },
    { key: 'a', day: today, requests: 2, points: 3_000_000_000 },
    { key: 'a', day: today - 1, requests: 5, points: 5 },
  ]
  await Promise.all([1, 2, 3].map(() => addKeyUsage(url, usage, today)))
  assert.deepEqual(await read.readUsage(today - 1), [
    { key: 'a', day: today - 1, requests: 15, points: 15 },
    { key: 'a', day: today, requests: 6, points: 9_000_000_000 },
    { key: 'b', day: today, requests: 3, points: 30 },
  ])
  assert.equal((await read.readUsage(today)).length, 2)
})

onEveryEngine('usage is kept for some days and no longer', async (engine) => {
  const url = await newUrl(engine)
  await using store = await openNotes(url)
  const days = [today - usageDays, today - usageDays + 1, today]
  await addKeyUsage(
    url,
    days.map((day) => ({ key: 'a', day, requests: 1, points: 1 })),
    today,
  )
  const kept = await store.database.read.readUsage(0)
  assert.deepEqual(
    kept.map(({ day }) => day),
    days.slice(1),
  )
})

test('usage is added to a file when those who write to it are done', async () => {
  const url = await newUrl('sqlite')
  await using store = await openNotes(url)
  const writer = new DatabaseSync(url)
  writer.exec('begin immediate; delete from fetched')
  const adding = addKeyUsage(url, [{ key: 'a', day: today, requests: 1, points: 2 }], today)
  // It does not hold this process up, which would wait here for ever otherwise.
  assert.deepEqual(await store.database.read.readUsage(0), [])
  writer.exec('commit')
  writer.close()
  await adding
  assert.equal((await store.database.read.readUsage(0)).length, 1)
})
