/** Pairs of elements of arrays: what they leave out, and how they are read. */
import assert from 'node:assert/strict'
import { onEveryDatabase } from '../../test/support/store/databases.ts'
import { buildRecord } from '../../test/support/records/records.ts'
import { openTestService } from '../../test/support/service/service.ts'
import { recordLexicon } from '../../test/support/store/store.ts'

const nsid = 'org.example.note'
const lexicon = recordLexicon(nsid, {
  tags: { type: 'array', items: { type: 'string' } },
  day: { type: 'integer' },
})

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `t${n}`)

onEveryDatabase('records of more than 100 different elements have no pairs', async (database) => {
  const tags = [['b', 'a', 'b'], ['a'], [], numbered(100), [...numbered(101), 'a', 'b'], ['a', 'b', 'c']]
  const records = await Promise.all(
    tags.map((each, n) => buildRecord(nsid, { rkey: `r${n}`, value: { tags: each } })),
  )
  await using service = await openTestService({ lexicons: [lexicon], records, database })
  for (const where of ['{}', '{day: {isNull: true}}']) {
    const { found } = await service.data(
      `{ found: orgExampleNoteAggregate(where: ${where}) { frequent: pairs(field: tags, minCount: 2) { values count } pairs(field: tags, limit: 1000) { values } } }`,
    )
    assert.deepEqual(found.frequent, [{ values: ['a', 'b'], count: 2 }], where)
    assert.deepEqual(
      found.pairs.slice(0, 4).map(({ values }: { values: string[] }) => values.join(' ')),
      ['a b', 'a c', 'b c', 't0 t1'],
      where,
    )
  }
})

onEveryDatabase('pairs of all records are found without records', async (database) => {
  await using service = await openTestService({ lexicons: [lexicon], database })
  const explained = async (where: string): Promise<string> => {
    const query = `{ orgExampleNoteAggregate(where: ${where}) { pairs(field: tags) { count } } }`
    return (await service.engine.explain({ query })).sql ?? ''
  }
  assert.doesNotMatch(await explained('{}'), /"org\.example\.note" /)
  assert.match(await explained('{day: {eq: 3}}'), /"org\.example\.note" /)
})
