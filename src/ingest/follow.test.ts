import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { libraryLexicons } from '../../test/support/records/lexicons.ts'
import { openTestStore } from '../../test/support/store/store.ts'
import { createFloodGuard } from './pump.ts'
import { follow } from './follow.ts'
import { createIngestLog } from './log.ts'
import type { Source } from './source.ts'

const given = {
  signal: new AbortController().signal,
  log: createIngestLog(() => {}, Date.now),
  flood: createFloodGuard(1_000, () => 0n),
}

test('what fails beside the sources stops them first and is told then', async () => {
  await using store = await openTestStore({ path: 'sqlite::memory:', lexicons: libraryLexicons })
  const endless: Source = {
    name: 'test:endless',
    async *deliveries({ onState, signal }) {
      onState('live', null)
      yield { changes: [], cursor: '1', eventAt: null, events: 1 }
      if (!signal.aborted) await once(signal, 'abort')
    },
  }
  const fail = async (): Promise<void> => {
    throw new Error('The disk is full.')
  }
  await assert.rejects(follow([endless], store.database.write, { ...given, beside: [fail] }), {
    message: 'The disk is full.',
  })
  assert.deepEqual(await store.rows('select state, cursor from source'), [{ state: 'stopped', cursor: '1' }])
})

test('what goes on beside the sources ends with the last of them', async () => {
  await using store = await openTestStore({ path: 'sqlite::memory:', lexicons: libraryLexicons })
  const short: Source = {
    name: 'test:short',
    async *deliveries() {
      yield { changes: [], cursor: '7', eventAt: null, events: 1 }
    },
  }
  let ended = false
  const beside = async (signal: AbortSignal): Promise<void> => {
    await once(signal, 'abort')
    ended = true
  }
  await follow([short], store.database.write, { ...given, beside: [beside] })
  assert.ok(ended)
  assert.deepEqual(await store.rows('select state, cursor from source'), [{ state: 'finished', cursor: '7' }])
})
