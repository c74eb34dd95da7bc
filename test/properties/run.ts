/**
 * The long form of `operations.test.ts`: `npm run questions -- [COUNT] [SEED] [aggregates]`. So many random operations
 * over random corpora, with `aggregates` of one aggregate each and at any price, each asked of every engine and of the
 * reference evaluator. It fails if there is any difference, any INTERNAL or any TIMEOUT. `TEST_DATABASES` restricts the
 * engines.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertAnswered } from '../support/random/ask.ts'
import { aggregateOperations, operations } from '../support/random/operations.ts'
import { databases } from '../support/store/postgres.ts'
import { type Loaded, loadCorpus } from '../support/random/property.ts'
import { seed as randomSeed } from '../support/rounds.ts'

const [count, firstSeed] = [Number(process.argv[2] ?? 10_000), Number(process.argv[3] ?? randomSeed)]
const isOfAggregates = process.argv[4] === 'aggregates'
const perCorpus = 500
const totals = { asked: 0, answered: 0, refused: 0, differences: 0 }

// A test, because the test runner ends the servers that were started.
test(`${count} operations are answered alike by ${databases.join(', ')} and the reference evaluator, from seed ${firstSeed} on`, async () => {
  for (let seed = firstSeed; totals.asked < count; seed++) {
    await askOneCorpus(seed, Math.min(perCorpus, count - totals.asked))
    console.log(`seed ${seed}: ${describe()}`)
  }
  assert.equal(totals.differences, 0)
})

/** Every third corpus has hidden accounts. */
async function askOneCorpus(seed: number, numRuns: number): Promise<void> {
  const hiding = seed % 3 === 0
  await using stack = new AsyncDisposableStack()
  const loaded: Loaded[] = []
  for (const database of databases) loaded.push(stack.use(await loadCorpus(seed, { database, hiding })))
  const [first] = loaded
  const questionsOf = isOfAggregates ? aggregateOperations : operations
  if (first === undefined) throw new Error('No engine is to be asked.')
  const property = fc.asyncProperty(questionsOf(first.reference), async (operation) => {
    totals.asked += 1
    for (const { service } of loaded) {
      if (await assertAnswered(service, operation, isOfAggregates ? 100_000 : undefined)) totals.answered += 1
      else totals.refused += 1
    }
  })
  const details = await fc.check(property, { seed, numRuns, includeErrorInReport: true })
  if (!details.failed) return
  totals.differences += 1
  console.log(`With seed ${seed}:\n${await fc.asyncDefaultReportMessage(details)}`)
}

function describe(): string {
  const { asked, answered, refused, differences } = totals
  return `${asked} operations, ${answered} answers, ${refused} over the price, ${differences} differences`
}
