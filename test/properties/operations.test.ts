import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertAnswered } from '../support/random/ask.ts'
import { aggregateOperations, operations } from '../support/random/operations.ts'
import { loadCorpus, points, property } from '../support/random/property.ts'
import { replayable } from '../support/random/replay.ts'
import { rounds, seed } from '../support/rounds.ts'
import { unchargedLimits } from '../support/service/engine.ts'
import { databases } from '../support/store/postgres.ts'

property(
  'any selection of fields of lists, records and aggregates has the reference evaluator’s answer',
  ({ reference }) => operations(reference),
  async ({ service }, operation) => void (await assertAnswered(service, operation)),
  40,
)

test('both engines answer with the same bytes, cursors included', {
  skip: databases.length < 2,
}, async () => {
  await using sqlite = await loadCorpus(seed)
  await using postgres = await loadCorpus(seed, { database: 'postgres' })
  const limits = { ...unchargedLimits, points }
  const asked = fc.oneof(operations(sqlite.reference), aggregateOperations(sqlite.reference))
  const check = fc.asyncProperty(asked, async ({ text: query }) => {
    const [one, other] = await Promise.all(
      [sqlite, postgres].map(async ({ service }) => {
        const answer = await service.engine.execute({ query }, limits)
        return answer.kind === 'data' ? Buffer.from(answer.body).toString() : answer.errors
      }),
    )
    assert.deepEqual(other, one, query)
  })
  await replayable(seed, () => fc.assert(check, { seed, numRuns: rounds(40), includeErrorInReport: true }))
})
