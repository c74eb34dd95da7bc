/** The short form of the soak; `npm run soak` is the long one, and the only one that can tell slow growth from none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeSoaked } from './soak/report.ts'
import { soak } from './soak/soak.ts'

const seed = Number(process.env.SOAK_SEED ?? Date.now() % 2 ** 31)

test('while a stream never rests and others attack, every answer is exact and nothing fails that is not the caller’s', {
  skip: process.platform !== 'linux' && 'It reads /proc.',
}, async (t) => {
  const soaked = await soak({
    seed,
    duration: 6,
    period: 3,
    questions: 60,
    checks: 15,
    sets: 2,
    crowd: 2,
    eventsPerSecond: 100,
    bounds: {
      growth: { megabytes: 400, share: 0.5 },
      memory: 2_500,
      descriptors: 400,
      processes: 9,
      log: 200,
    },
  })
  t.diagnostic(`Seed ${seed}:\n${describeSoaked(soaked)}`)
  const { tally, events, checkpoints } = soaked
  assert.deepEqual(tally.problems, [], `Replay with SOAK_SEED=${seed}.`)
  assert.ok(checkpoints > 0)
  // Of some three hundred until each; a busy machine publishes fewer.
  assert.ok(events > 10 * checkpoints, `${events} events until ${checkpoints} checkpoints.`)
  for (const kind of ['list', 'moving', 'checkpoint', 'walk', 'hidden'])
    assert.ok(tally.of(kind, 'ok') > 0, `Nobody asked for ${kind}.`)
})
