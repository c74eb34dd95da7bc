import assert from 'node:assert/strict'
import { newUrl, onNotes, onStoppedNotes } from '../../../test/support/store/note-stores.ts'
import { onEveryEngine } from '../../../test/support/store/databases.ts'
import { openNotes, stoppedClock } from '../../../test/support/records/notes.ts'
import { keyOf } from '../../../test/support/service/callers.ts'
import type { ApiKey } from './metadata-store.ts'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { addKeyUsage } from '../open.ts'
import { findKey, readKeys, readUsage, usageDays } from './keys.ts'

const hour = 3_600_000_000n

onStoppedNotes('a key is found by its hash alone, from the moment it was added', async (store, { clock }) => {
  const { read, write } = store.database
  assert.equal(await read.readSteps(() => findKey('h1')), null)
  await write.metadata.addKey({ id: 'k1', name: 'Ärzteblatt "x"', tier: 'research' }, 'h1')
  const added = key('k1', clock.now(), { name: 'Ärzteblatt "x"' })
  assert.deepEqual(await read.readSteps(() => findKey('h1')), added)
  for (const other of ['k1', 'H1', 'h', '', 'h1 '])
    assert.equal(await read.readSteps(() => findKey(other)), null)
  assert.deepEqual(await read.readSteps(readKeys), [added])
})

onStoppedNotes('keys are listed from the oldest, and all of them', async (store, { clock, metadata }) => {
  const start = clock.now()
  await metadata.addKey({ id: 'z', name: 'a', tier: 'public' }, '1')
  clock.advance(1n)
  await metadata.addKey({ id: 'b', name: 'a', tier: 'public' }, '2')
  await metadata.addKey({ id: 'a', name: 'a', tier: 'public' }, '3')
  await metadata.revokeKey('b')
  const keys = await store.database.read.readSteps(readKeys)
  assert.deepEqual(
    keys.map(({ id, createdAt, revokedAt }) => [id, createdAt - start, revokedAt]),
    [
      ['z', 0n, null],
      ['a', 1n, null],
      ['b', 1n, start + 1n],
    ],
  )
})

onNotes('two keys are never one: ids and hashes are taken once', async (store, { metadata }) => {
  await metadata.addKey({ id: 'k1', name: 'a', tier: 'public' }, 'h1')
  await assert.rejects(metadata.addKey({ id: 'k1', name: 'b', tier: 'research' }, 'h2'))
  await assert.rejects(metadata.addKey({ id: 'k2', name: 'b', tier: 'research' }, 'h1'))
  const keys = await store.database.read.readSteps(readKeys)
  assert.deepEqual(
    keys.map(({ id, name }) => [id, name]),
    [['k1', 'a']],
  )
})

onStoppedNotes('a replaced key ends as told, and its successor does not', async (store, { clock }) => {
  const { read, write } = store.database
  const start = clock.now()
  await write.metadata.addKey({ id: 'k1', name: 'a', tier: 'research' }, 'h1')
  clock.advance(hour)
  assert.equal(await write.metadata.replaceKey('k1', { id: 'k2', hash: 'h2' }, start + 3n * hour), true)
  assert.deepEqual(
    await read.readSteps(() => findKey('h1')),
    key('k1', start, { expiresAt: start + 3n * hour }),
  )
  assert.deepEqual(await read.readSteps(() => findKey('h2')), key('k2', start + hour))

  // Not again while it still holds, later or earlier: it has its successor.
  for (const hours of [9n, 2n])
    assert.equal(await write.metadata.replaceKey('k1', { id: 'k3', hash: 'h3' }, start + hours * hour), false)
  assert.deepEqual(await read.readSteps(readKeys), [
    key('k1', start, { expiresAt: start + 3n * hour }),
    key('k2', start + hour),
  ])
})

onStoppedNotes('what has ended is not replaced, and nothing is added for it', async (store, { clock }) => {
  const { read, write } = store.database
  const { metadata } = write
  for (const id of ['ended', 'revoked'])
    await metadata.addKey({ id, name: 'a', tier: 'research' }, `hash of ${id}`)
  await metadata.revokeKey('revoked')
  await metadata.replaceKey('ended', { id: 'next', hash: 'h' }, clock.now())
  const before = await read.readSteps(readKeys)
  for (const id of ['ended', 'revoked', 'unknown', ''])
    assert.equal(await metadata.replaceKey(id, { id: 'new', hash: 'n' }, clock.now() + hour), false, id)
  assert.deepEqual(await read.readSteps(readKeys), before)

  // It is over at that very moment, not after it.
  await metadata.replaceKey('next', { id: 'last', hash: 'l' }, clock.now() + 5n)
  clock.advance(5n)
  assert.equal(await metadata.replaceKey('next', { id: 'new', hash: 'n' }, clock.now() + hour), false)
})

onStoppedNotes('a successor inherits contact and expiry, unless told otherwise', async (store, { clock }) => {
  const { read, write } = store.database
  const { metadata } = write
  const [validUntil, later] = [clock.now() + 5n * hour, clock.now() + 9n * hour]
  const given = { contact: 'Ann <ann@example.org>', validUntil }
  await metadata.addKey({ id: 'k1', name: 'a', tier: 'research', ...given }, 'h1')
  assert.deepEqual(await read.readSteps(() => findKey('h1')), key('k1', clock.now(), given))
  assert.equal(await metadata.replaceKey('k1', { id: 'k2', hash: 'h2' }, clock.now() + hour), true)
  assert.deepEqual(await read.readSteps(() => findKey('h2')), key('k2', clock.now(), given))
  await metadata.replaceKey('k2', { id: 'k3', hash: 'h3', validUntil: later }, clock.now() + hour)
  assert.deepEqual(
    await read.readSteps(() => findKey('h3')),
    key('k3', clock.now(), { ...given, validUntil: later }),
  )
  // What has expired is over, at that very moment.
  clock.advance(9n * hour)
  assert.equal(await metadata.replaceKey('k3', { id: 'k4', hash: 'h4' }, clock.now() + hour), false)
  assert.equal(await read.readSteps(() => findKey('h4')), null)
})

onStoppedNotes('a successor that cannot be added leaves the key as it was', async (store, { clock }) => {
  const { read, write } = store.database
  await write.metadata.addKey({ id: 'k1', name: 'a', tier: 'research' }, 'h1')
  await assert.rejects(write.metadata.replaceKey('k1', { id: 'k2', hash: 'h1' }, clock.now()))
  assert.deepEqual(await read.readSteps(readKeys), [key('k1', clock.now())])
})

onEveryEngine('a key is revoked once, for good, and all processes know at once', async (database) => {
  const clock = stoppedClock()
  const path = await newUrl(database)
  await using store = await openNotes(path, clock.now)
  const { metadata } = store
  const start = clock.now()
  await metadata.addKey({ id: 'k1', name: 'a', tier: 'research' }, 'h1')
  await using other = await openNotes(path, clock.now)
  assert.deepEqual(await other.database.read.readSteps(() => findKey('h1')), key('k1', start))
  assert.equal(await metadata.revokeKey('k2'), false)
  clock.advance(hour)
  assert.equal(await metadata.revokeKey('k1'), true)
  assert.deepEqual(
    await other.database.read.readSteps(() => findKey('h1')),
    key('k1', start, { revokedAt: start + hour }),
  )
  clock.advance(hour)
  assert.equal(await metadata.revokeKey('k1'), true)
  assert.deepEqual(
    await other.database.read.readSteps(() => findKey('h1')),
    key('k1', start, { revokedAt: start + hour }),
  )
})

function key(id: string, createdAt: bigint, more: Partial<ApiKey> = {}): ApiKey {
  return keyOf(id, { name: 'a', createdAt, ...more })
}

const today = 20_000

onEveryEngine('what keys were used for is added up by day over all processes', async (engine) => {
  const url = await newUrl(engine)
  await using store = await openNotes(url)
  const { read } = store.database
  assert.deepEqual(await read.readSteps(() => readUsage(0)), [])
  const usage = [
    { key: 'b', day: today, requests: 1, points: 10 },
    { key: 'a', day: today, requests: 2, points: 3_000_000_000 },
    { key: 'a', day: today - 1, requests: 5, points: 5 },
  ]
  await Promise.all([1, 2, 3].map(() => addKeyUsage(url, usage, today)))
  assert.deepEqual(await read.readSteps(() => readUsage(today - 1)), [
    { key: 'a', day: today - 1, requests: 15, points: 15 },
    { key: 'a', day: today, requests: 6, points: 9_000_000_000 },
    { key: 'b', day: today, requests: 3, points: 30 },
  ])
  assert.equal((await read.readSteps(() => readUsage(today))).length, 2)
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
  const kept = await store.database.read.readSteps(() => readUsage(0))
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
  assert.deepEqual(await store.database.read.readSteps(() => readUsage(0)), [])
  writer.exec('commit')
  writer.close()
  await adding
  assert.equal((await store.database.read.readSteps(() => readUsage(0))).length, 1)
})
