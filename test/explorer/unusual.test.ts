/** Unusual words of more records than are read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openExplorer } from '../support/service/explorer.ts'
import { buildRecord } from '../support/records/records.ts'
import { recordLexicon } from '../support/store/store.ts'

const nsid = 'org.example.note'
const lexicon = recordLexicon(nsid, {
  title: { type: 'string', maxGraphemes: 1_000 },
  day: { type: 'integer' },
  // So that CIDs differ, by which the sample is chosen.
  number: { type: 'integer' },
})
const few = 300
const many = 10_200

test('a chart and a file of unusual words say that they are of a sample', async () => {
  const records = await Promise.all(
    Array.from({ length: few + many }, (_, number) => {
      const day = number < few ? 1 : 2
      const title = ['the', ...(number % 4 === 0 ? ['flood'] : []), ...(day === 1 ? [] : ['storm'])].join(' ')
      return buildRecord(nsid, { rkey: `r${number}`, value: { title, day, number } })
    }),
  )
  await using explorer = await openExplorer({ lexicons: [lexicon], records })
  const query = 'part=unusual&on=words-title&day=2'
  const { body } = await explorer.get(`/c/${nsid}/charts?${query}`)
  const read =
    /in ([\d,]+) records of this view and in 300 others\. Where there are more than 10,000, these are a sample/.exec(
      body,
    )
  assert.ok(read !== null, body)
  const [head, first] = (await explorer.get(`/c/${nsid}/chart.csv?${query}`)).body.split('\r\n')
  assert.equal(head, 'word,recordsReadWithWord,recordsRead,againstRecordsRead,share,againstShare,score')
  const number = Number(read[1]?.replace(',', ''))
  // All records read have the word.
  assert.equal(first?.split(',').slice(0, 6).join(), `storm,${number},${number},300,1,0`)
  assert.ok(number < many, String(number))
  const whole = await explorer.get(`/c/${nsid}/charts?part=unusual&on=words-title&day=1`)
  assert.ok(whole.body.includes(`in 300 records of this view and in ${read[1]} others`), whole.body)
})
