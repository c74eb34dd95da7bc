/** Searches over records that the demo and random corpora lack. */
import assert from 'node:assert/strict'
import { onEveryDatabase } from './support/store/databases.ts'
import { openTestService } from './support/service/service.ts'
import { line, thing } from './support/records/things.ts'

const free = { type: 'string', maxGraphemes: 1_000 }
const lexicons = [thing({ title: free, text: free })]

onEveryDatabase('records without words are ranked where a search finds them', async (database) => {
  await using service = await openTestService({
    lexicons,
    database,
    records: [line('a', {}), line('b', { text: '…' }), line('c', {})],
  })
  const ask = (search: string, more = '') =>
    service.data(
      `query ($search: String!) { list: orgExampleThing(search: $search, sortBy: [{field: RELEVANCE}]${more}) {
        ranked edges { score node { rkey } } pageInfo { hasNextPage endCursor } } }`,
      { search },
    )
  const { list } = await ask('storm OR -flood', ', first: 2')
  assert.equal(list.ranked, 3)
  assert.deepEqual(list.edges, [
    { score: 0, node: { rkey: 'c' } },
    { score: 0, node: { rkey: 'b' } },
  ])
  const { list: next } = await ask('storm OR -flood', `, after: "${list.pageInfo.endCursor}"`)
  assert.deepEqual(next.edges, [{ score: 0, node: { rkey: 'a' } }])
})

onEveryDatabase('no part of a search is in the text of a statement', async (database) => {
  await using service = await openTestService({ lexicons, database, records: [line('a', { text: 'zebra' })] })
  const { list } = await service.data(`{ list: orgExampleThing(
    search: "zebra OR \\"quagga's text\\" OR okapi* -title:tapir"
    where: {text: {matches: "zebra -tapir"}}
    sortBy: [{field: RELEVANCE}]
    first: 1
  ) {
    totalCount
    ranked
    edges { cursor score snippet(field: text) { text } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  } }`)
  assert.equal(list.totalCount, 1)
  assert.doesNotMatch(service.opened.lastStatement(), /zebra|quagga|okapi|tapir/)
})
