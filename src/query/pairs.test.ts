import assert from 'node:assert/strict'
import { onEveryDatabase } from '../../test/support/store/databases.ts'
import { openTestService } from '../../test/support/service/service.ts'
import { recordLexicon } from '../../test/support/store/store.ts'

const nsid = 'org.example.note'
const lexicon = recordLexicon(nsid, {
  tags: { type: 'array', items: { type: 'string' } },
  day: { type: 'integer' },
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
