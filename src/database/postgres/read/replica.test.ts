import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Positions } from './positions.ts'
import { judgeReplica } from './servers.ts'
import type { ServerState } from '../watch.ts'

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
  const positions = new Positions(maxLag * 1000)
  for (const [at, position] of samples) positions.add('a', at, position)
  return positions
}
