import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Positions, parsePosition } from './positions.ts'
import { judgeReplica } from './servers.ts'
import type { ServerState } from '../watch.ts'

test('a place in the log is one number', () => {
  assert.equal(parsePosition('0/0'), 0n)
  assert.equal(parsePosition('16/B374D848'), 0x16b374d848n)
})

test('who has replayed the newest sample is not behind', () => {
  const positions = sampled([0, 100n], [1000, 200n])
  assert.equal(positions.lag(200n), 0)
  assert.equal(positions.lag(300n), 0)
})

test('the lag is the age of the oldest sample that is not replayed', () => {
  const positions = sampled([0, 100n], [1000, 200n], [2000, 200n], [3000, 300n])
  assert.equal(positions.lag(100n), 2000)
  assert.equal(positions.lag(199n), 2000)
  assert.equal(positions.lag(200n), 0)
})

test('as long as not even the first sample is replayed, the lag is unknown', () => {
  const positions = sampled([0, 100n], [1000, 200n])
  assert.equal(positions.lag(99n), Number.POSITIVE_INFINITY)
  assert.equal(new Positions(5000).lag(99n), Number.POSITIVE_INFINITY)
})

test('samples older than the span are forgotten but for one, which is over the bound for sure', () => {
  const positions = new Positions(5000)
  for (let second = 0; second < 100; second++) positions.add('a', second * 1000, BigInt(second))
  assert.ok(positions.known > 5000 && positions.known < 7000)
  assert.equal(positions.lag(90n), Number.POSITIVE_INFINITY)
  assert.equal(positions.lag(94n), 4000)
})

test('what is written to the end of a page need not be the end of a record', () => {
  const positions = sampled([0, 10n * 8192n], [1000, 20n * 8192n], [2000, 20n * 8192n])
  assert.equal(positions.lag(20n * 8192n - 100n), 0)
  assert.equal(positions.lag(15n * 8192n), 1000)
})

test('another history begins from nothing', () => {
  const positions = sampled([0, 100n], [1000, 200n])
  positions.add('b', 2000, 150n)
  assert.equal(positions.lag(150n), 0)
  assert.equal(positions.lag(149n), Number.POSITIVE_INFINITY)
})

const maxLag = 1

test('a replica that was near stays in use while the primary is away, however long', () => {
  const positions = sampled([0, 100n], [1000, 200n])
  assert.deepEqual(judge({ at: 1_000_000, position: 200n }, positions), { kind: 'near' })
  assert.deepEqual(judge({ at: 1_000_000, position: 150n }, positions), { kind: 'near' })
})

test('a replica is behind when it lacks what was written longer ago than it may', () => {
  const positions = sampled([0, 100n], [1000, 200n], [2500, 300n])
  assert.deepEqual(judge({ at: 2500, position: 300n }, positions), { kind: 'near' })
  const atTheBound = sampled([0, 100n], [1000, 200n], [2000, 300n])
  assert.deepEqual(judge({ at: 2000, position: 150n }, atTheBound), { kind: 'near' })
  assert.deepEqual(judge({ at: 2500, position: 150n }, positions), {
    kind: 'behind',
    reason: 'It is more than 1 second behind the primary (--max-replica-lag).',
  })
})

test('a replica that lacks even what was seen first is judged when the time it may lack is over', () => {
  assert.equal(judge({ at: 1000, position: 99n }, sampled([0, 100n], [1000, 200n])).kind, 'unknown')
  assert.equal(judge({ at: 2000, position: 99n }, sampled([0, 100n], [2000, 200n])).kind, 'behind')
})

function judge(found: Pick<ServerState, 'at' | 'position'>, positions: Positions) {
  const state = { isStandby: true, timeline: 0, identity: 'one', ...found }
  return judgeReplica(state, 'one', positions, maxLag)
}

function sampled(...samples: readonly (readonly [number, bigint])[]): Positions {
  const positions = new Positions(5000)
  for (const [at, position] of samples) positions.add('a', at, position)
  return positions
}
