/** Conditions on records of other lexicons than the library's: arrays of objects with texts, objects inside themselves. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import fc from 'fast-check'
import { closeCorpora, corpusNamed } from '../golden/corpora.ts'
import { wheres } from '../support/random/where.ts'
import { rounds, seed } from '../support/rounds.ts'
import { onEveryDatabase as test } from '../support/store/databases.ts'

after(closeCorpora)

for (const name of ['demo', 'network'] as const)
  test(`conditions on records of ${name} find what the reference evaluator finds`, async (database) => {
    const { service, reference } = await corpusNamed(name, database)
    const questions = fc
      .constantFrom(...reference.shapes.keys())
      .chain((collection) => fc.tuple(fc.constant(collection), wheres(reference, collection, 2)))
    const check = fc.asyncProperty(questions, async ([collection, where]) => {
      const { typeName, rootField } = reference.shapes.get(collection)!
      const query = `query ($where: ${typeName}WhereInput) { list: ${rootField}(where: $where, first: 0) { totalCount } }`
      const { list } = await service.data(query, { where })
      assert.equal(list.totalCount, reference.count(collection, where))
    })
    await fc.assert(check, { seed, numRuns: 25 * rounds(), includeErrorInReport: true })
  })
