/** A short soak; `npm run soak` is longer, and the only one that can tell slow growth from none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rounds, seed } from './support/rounds.ts'
import { describeSoaked } from './soak/report.ts'
import { soak } from './soak/soak.ts'

test('while a stream never rests and others attack, every answer is exact and nothing fails that is not the caller’s', {
  skip: process.platform !== 'linux' && 'It reads /proc.',
}, async (t) => {
  const soaked = await soak({
    seed,
    isEnough: (checkpoints) => checkpoints >= rounds(6),
    events: 150,
    acts: 2,
    questions: 60,
    checks: 15,
    sets: 2,
    crowd: 2,
    growth: { megabytes: 400, share: 0.5 },
  })
  t.diagnostic(`Seed ${seed}:\n${describeSoaked(soaked)}`)
  const { tally, events, checkpoints } = soaked
  assert.deepEqual(tally.problems, [], `Replay with TEST_SEED=${seed}.`)
  assert.ok(events >= 150 * checkpoints && checkpoints > 0, `${events} events, ${checkpoints} checkpoints.`)
  for (const kind of ['list', 'moving', 'checkpoint', 'walk', 'hidden'])
    assert.ok(tally.of(kind, 'ok') > 0, `Nobody asked for ${kind}.`)
})
