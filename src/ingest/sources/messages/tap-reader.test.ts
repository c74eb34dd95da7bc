import assert from 'node:assert/strict'
import { test } from 'node:test'
import { membersOf } from '../../../../test/network/fake-server.ts'
import { collection, didOf, gist, noteOf, noteReader, tid } from '../../../../test/network/follow.ts'
import { createChangeReader } from '../change-reader.ts'
import { createGroupReader, packMessage, type ParsedGroup } from './message-reader.ts'
import { createTapReader } from './tap-reader.ts'

const now = 1_790_000_000_000_000n
const [alice, bob] = [didOf(1), didOf(2)]
const rev = tid(1_789_999_999_123_456)
const record = { live: true, action: 'create', ...membersOf(noteOf(alice, 'a', rev, 'text')) }
const identity = { did: alice, handle: 'alice.test', is_active: true, status: 'active' }
const put = `ab/a ${rev} text`

/** Ahead of the clock, as far as clocks may differ. */
const soon = 1_790_000_200_000_000

test('an event gives its changes, its time if it is live, and its number', () => {
  const table: [event: object, says: string[], at: bigint | null][] = [
    [{ type: 'record', record }, [put], 1_789_999_999_123_456n],
    [{ type: 'record', record: { ...record, action: 'update', live: false } }, [put], null],
    [
      { type: 'record', record: { ...record, rev: tid(soon), action: 'delete' } },
      [`ab/a ${tid(soon)} gone`],
      now,
    ],
    [{ type: 'identity', identity }, ['account ab active', 'identity ab'], now],
    [
      { type: 'identity', identity: { ...identity, is_active: false, status: 'takendown' } },
      ['account ab takendown', 'identity ab'],
      now,
    ],
  ]
  for (const [event, says, at] of table) {
    const reading = read({ id: 12, ...event })
    assert.deepEqual([reading.changes.map(gist), reading.at, reading.ids], [says, at, [12]])
  }
})

test('what is not wanted is passed over and acknowledged', () => {
  for (const event of [
    { type: 'record', record: { ...record, did: bob } },
    { type: 'record', record: { ...record, collection: 'org.example.other', rev: 7 } },
    { type: 'identity', identity: { ...identity, did: bob } },
  ]) {
    const { changes, ids } = read({ id: 12, ...event }, [alice])
    assert.deepEqual([changes, ids], [[], [12]])
  }
})

test('what is broken is refused, and acknowledged where it has a number', () => {
  const table: [event: object, reason: string][] = [
    [{}, 'malformed'],
    [{ type: 7 }, 'malformed'],
    [{ type: 'label', label: {} }, 'unknown-event'],
    [{ type: 'record', record: { ...record, action: 'merge' } }, 'unknown-event'],
    [{ type: 'record' }, 'malformed'],
    [{ type: 'record', record: { ...record, did: 'did:nobody' } }, 'bad-uri'],
    [{ type: 'record', record: { ...record, rkey: '..' } }, 'bad-uri'],
    [{ type: 'record', record: { ...record, rev: 'latest' } }, 'malformed'],
    [{ type: 'record', record: { ...record, cid: undefined } }, 'malformed'],
    [{ type: 'record', record: { ...record, record: [] } }, 'malformed'],
    [{ type: 'record', record: { ...record, record: { $type: collection, text: 7 } } }, 'invalid-record'],
    [{ type: 'identity', identity: [] }, 'malformed'],
    [{ type: 'identity', identity: { ...identity, is_active: 1 } }, 'malformed'],
    [{ type: 'identity', identity: { ...identity, did: null } }, 'malformed'],
  ]
  for (const [event, reason] of table) {
    const reading = read({ id: 12, ...event })
    assert.deepEqual([reading.changes.map(gist), reading.ids], [[`reject ${reason}`], [12]])
  }
  assert.deepEqual(read({ id: 0, type: 'record', record }).ids, [0])
  for (const id of [undefined, '12', -1, 1.5, null]) {
    const reading = read({ id, type: 'record', record })
    assert.deepEqual([reading.changes.map(gist), reading.ids], [['reject malformed'], []])
  }
})

function read(event: object, publishers: readonly string[] | null = null): ParsedGroup {
  const reader = createChangeReader(noteReader(publishers))
  const readEvent = createTapReader(reader, 'tap:test', () => now)
  return createGroupReader('tap:test', readEvent)([packMessage(JSON.stringify(event), null)])
}

test('a revision from the future is refused, and its repository asked for', () => {
  for (const action of ['create', 'delete']) {
    const { changes, isFuture } = read({
      id: 12,
      type: 'record',
      record: { ...record, rev: tid(2.1e15), action },
    })
    assert.deepEqual([changes.map(gist), isFuture], [['repo-request ab', 'reject future-revision'], true])
  }
})
