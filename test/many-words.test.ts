/** The words of more records than are read. */
import assert from 'node:assert/strict'
import { createReference } from './reference/reference.ts'
import { onEveryEngine } from './support/store/databases.ts'
import { buildRecord } from './support/records/records.ts'
import { openTestService } from './support/service/service.ts'
import { recordLexicon } from './support/store/store.ts'

const nsid = 'org.example.note'
const text = { type: 'string', maxGraphemes: 1_000 }
const lexicon = recordLexicon(nsid, {
  title: text,
  text,
  day: { type: 'integer' },
  number: { type: 'integer' },
})

/** Number of records: of the first half of the days a part, of the second another one. */
const few = 5_300
const many = 11_000

const records = await Promise.all(
  Array.from({ length: few + many }, (_, number) => {
    const words = ['the', `w${number % 40}`, ...(number < few && number % 9 === 0 ? ['flood'] : [])]
    return buildRecord(nsid, {
      rkey: `r${number}`,
      value: { text: words.join(' '), day: number < few ? 1 : 2, number },
    })
  }),
)
const asked = { field: 'text', against: {} }
const expected = createReference([lexicon], {}, records).unusualWords(
  nsid,
  { where: { day: { eq: 1 } } },
  asked,
)

onEveryEngine('of more than 5,000 records the words of a sample are counted', async (database) => {
  await using service = await openTestService({ lexicons: [lexicon], database, records })
  const { all } = await service.data(`{ all: orgExampleNoteAggregate(where: {day: {eq: 1}}) {
    unusualWords(field: text, against: {}) { recordsRead againstRecordsRead
      words { word count significance { share againstCount againstShare score } } } } }`)
  const found = all.unusualWords
  assert.deepEqual(found, expected)
  assert.equal(found.words[0]?.word, 'flood')
  // Of records that are many among all, the sample is found; of others it is looked for.
  const samplesFound =
    service.opened.lastStatement().split('indexed by "org.example.note/:sample"').length - 1
  assert.equal(samplesFound, database === 'sqlite' ? 1 : 0)
  // A half of the few, a quarter of the many, about.
  assert.ok(Math.abs(found.recordsRead - few / 2) < 300, String(found.recordsRead))
  assert.ok(Math.abs(found.againstRecordsRead - many / 4) < 400, String(found.againstRecordsRead))
})
