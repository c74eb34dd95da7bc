/** Each answer sees one state of the data, however many parts it has, while a writer writes without rest. */
import assert from 'node:assert/strict'
import { noteLexicons } from './support/records/notes.ts'
import { rounds, seed } from './support/rounds.ts'
import { openTestService } from './support/service/service.ts'
import { onEveryEngine } from './support/store/databases.ts'

const pairs = 30
const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const uri = (collection: string, rkey: string): string => `at://${did}/org.example.${collection}/${rkey}`
const cid = 'bafyreibjk2zm52hfizr454i2vrctndr2q2oimlwxu36s3or2icabptr6by'

/** All records of a state: each mark, and each note about one, names it; one note is another in each state. */
function stateOf(number: number) {
  const name = `s${number}`
  const note = (rkey: string, mark: number) => ({
    uri: uri('note', rkey),
    value: {
      $type: 'org.example.note',
      text: name,
      language: number % 2 === 0 ? 'en' : 'de',
      tags: [name],
      about: { uri: uri('mark', `m${mark}`), cid },
    },
  })
  return Array.from({ length: pairs }, (_, pair) => [
    note(`n${pair}`, pair),
    { uri: uri('mark', `m${pair}`), value: { $type: 'org.example.mark', name } },
  ]).flat()
}

const notes = 'orgExampleNote'
const mark = 'aboutResolved { ... on OrgExampleMark { name } }'
const questions = [
  `{ ${notes}(first: 100) { totalCount nodes { text ${mark} } } }`,
  `{ ${notes}(first: 7, sortBy: [{field: language}]) { nodes { text tags ${mark} } pageInfo { hasNextPage } } ${notes}Aggregate { count } }`,
  `{ orgExampleMark(first: 100) { nodes { name orgExampleNoteViaAbout(first: 2) { totalCount nodes { text ${mark} } } } } }`,
  `{ ${notes}Aggregate(groupBy: [tags]) { count groups { tags count nodes(first: 3) { text ${mark} } } } }`,
  `{ ${notes}Aggregate(groupBy: [about]) { count groups { aboutResolved { ... on OrgExampleMark { name } } } } ${notes}(first: 3) { nodes { text } } }`,
  '{ orgExampleMark(where: {orgExampleNoteViaAbout: {some: {language: {in: ["de", "en"]}}}}, first: 100) { totalCount nodes { name } } }',
]

onEveryEngine('an answer sees one state, of all records it reads', async (database) => {
  await using service = await openTestService({
    lexicons: noteLexicons,
    references: { 'org.example.note#about': ['org.example.mark'] },
    database,
    records: stateOf(0),
  })
  let state = 0
  const over = new AbortController()
  const writing = (async () => {
    while (!over.signal.aborted) await service.store(stateOf((state += 1)))
  })()
  let asked = 0
  const ask = async (first: number): Promise<void> => {
    for (let turn = 0; turn < 4 * rounds(1); turn += 1) {
      const query = questions[(first + turn + seed) % questions.length] as string
      const before = state
      const text = JSON.stringify(await service.data(query))
      const seen = new Set(text.match(/(?<=")s\d+(?=")/g))
      assert.equal(seen.size, 1, `${query}\n${text}`)
      // Nor is it older than what was committed when it was asked.
      assert.ok(Number([...seen][0]?.slice(1)) >= before - 1, `${[...seen][0]} after s${before}`)
      for (const [, count] of text.matchAll(/"(?:totalCount|count)":(\d+)/g))
        assert.ok([1, pairs].includes(Number(count)), `${query}\n${text}`)
      asked += 1
    }
  }
  try {
    await Promise.all([0, 1, 2].map(ask))
  } finally {
    over.abort()
    await writing
  }
  assert.equal(asked, 12 * rounds(1))
})
