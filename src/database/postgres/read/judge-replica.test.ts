import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerState } from '../watch.ts'
import { hasReplayed, judgeReplica } from './servers.ts'

const never = Number.NEGATIVE_INFINITY
const state = { position: 100n, timeline: 0, identity: 'one' }
const primary = { ...state, isStandby: false, at: 100_000 }
const behind = {
  kind: 'behind',
  reason: 'It is more than 1 second behind the primary (--max-replica-lag).',
}

test('a replica is as far behind as the commit that it replayed last is old', () => {
  assert.deepEqual(judge(100_000), { kind: 'near' })
  assert.deepEqual(judge(99_000), { kind: 'near' })
  assert.deepEqual(judge(98_999), behind)
})

test('a replica that had everything a moment ago is near, however old its last commit is', () => {
  assert.deepEqual(judge(0, 99_000), { kind: 'near' })
  assert.deepEqual(judge(null, 99_000), { kind: 'near' })
  assert.deepEqual(judge(0, 98_999), behind)
})

test('a replica that has replayed no commit and lacks something is behind', () => {
  assert.deepEqual(judge(null), behind)
})

test('a replica is not used before the primary has answered', () => {
  assert.deepEqual(judgeReplica(standby(100_000), null, never, 1), { kind: 'unknown' })
})

test('a replica has everything from the position of the primary on', () => {
  assert.equal(hasReplayed({ ...standby(0), position: 99n }, primary), false)
  assert.equal(hasReplayed({ ...standby(0), position: 100n }, primary), true)
})

test('a page that is written to its end may end within a record', () => {
  const written = { ...primary, position: 20n * 8192n }
  assert.equal(hasReplayed({ ...standby(0), position: 20n * 8192n - 100n }, written), true)
  assert.equal(hasReplayed({ ...standby(0), position: 15n * 8192n }, written), false)
})

function judge(at: number | null, wholeAt = never) {
  return judgeReplica(standby(at), primary, wholeAt, 1)
}

function standby(at: number | null): ServerState {
  return { ...state, isStandby: true, at }
}
