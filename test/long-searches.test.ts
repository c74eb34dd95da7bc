/** Searches in texts that are longer than what an engine's own index of words takes, and what is in their statements. */
import assert from 'node:assert/strict'
import { mostBytes } from '../src/search/indexed-words.ts'
import { onEveryEngine } from './support/store/databases.ts'
import { openTestService, type TestService } from './support/service/service.ts'
import { line, thing } from './support/records/things.ts'

const free = { type: 'string', maxGraphemes: 1_000_000 }
const lexicons = [thing({ title: free, text: free })]

/** Words that are all different, of a few bytes each. */
function distinctWords(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `w${index.toString(36)}`)
}

/** The last segment of the URI of each record that is found, in default order. */
async function found(service: TestService, search: string): Promise<string> {
  const { list } = await service.data(
    'query ($search: String!) { list: orgExampleThing(search: $search) { nodes { rkey } } }',
    { search },
  )
  return list.nodes.map(({ rkey }: { rkey: string }) => rkey).join(' ')
}

onEveryEngine('phrases are found behind the last position that an index holds', async (database) => {
  const far = distinctWords(20_000).join(' ')
  await using service = await openTestService({
    lexicons,
    database,
    records: [
      line('a', { title: 'storm', text: `${far} storm warning` }),
      line('b', { title: 'storm', text: `${far} warning storm` }),
      line('c', { title: 'storm warning', text: 'short' }),
    ],
  })
  assert.equal(await found(service, '"storm warning"'), 'c a')
  assert.equal(await found(service, 'text:"storm warning"'), 'a')
  assert.equal(await found(service, 'title:"storm warning"'), 'c')
  assert.equal(await found(service, 'storm-warn*'), 'c a')
  assert.equal(await found(service, 'storm -"storm warning"'), 'b')
  assert.equal(await found(service, 'text:storm NOT ("storm warning" OR short)'), 'b')
  assert.equal(await found(service, '-"storm warning"'), 'b')
  assert.equal(await found(service, '"warning storm" OR short'), 'c b')
  // The words of one text do not continue those of another.
  assert.equal(await found(service, '"storm w0"'), '')
  assert.equal(await found(service, 'w0 warn*'), 'b a')
})

onEveryEngine('phrases are found among hundreds of occurrences of a word', async (database) => {
  const often = 'storm calm '.repeat(300)
  await using service = await openTestService({
    lexicons,
    database,
    records: [
      line('a', { text: `${often} storm warning` }),
      line('b', { text: `${often} warning` }),
      line('c', { text: `storm calm` }),
    ],
  })
  assert.equal(await found(service, '"storm warning"'), 'a')
  assert.equal(await found(service, 'storm -"storm warning"'), 'c b')
  assert.equal(await found(service, '"calm storm"'), 'b a')
  const { list } = await service.data(
    '{ list: orgExampleThing(search: "calm", sortBy: [{field: RELEVANCE}]) { edges { score node { rkey } } } }',
  )
  assert.deepEqual(
    list.edges.map(({ node }: { node: { rkey: string } }) => node.rkey),
    ['b', 'a', 'c'],
  )
})

onEveryEngine('a record holds as many bytes of words as the limit says', async (database) => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789']
  const short = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => `${a}${b}${c}`)))
  const han = Array.from({ length: mostBytes / 3 - short.length }, (_, index) =>
    String.fromCodePoint(0x4e00 + index),
  )
  await using service = await openTestService({
    lexicons,
    database,
    records: [
      line('a', { title: [...short, ...han].join(' '), text: 'storm' }),
      line('b', { text: `${'ж'.repeat(mostBytes / 2)} storm` }),
    ],
  })
  assert.equal(await found(service, `abc ${han.at(-1)}`), 'a')
  // A long word counts by its first hundred characters.
  assert.equal(await found(service, 'storm'), 'b')
})

onEveryEngine('no part of a search is in the text of a statement', async (database) => {
  await using service = await openTestService({ lexicons, database, records: [line('a', { text: 'zebra' })] })
  const { list } = await service.data(`{ list: orgExampleThing(
    search: "zebra OR \\"quagga's text\\" OR okapi* -title:tapir"
    where: {text: {matches: "zebra -tapir"}}
    sortBy: [{field: RELEVANCE}]
    first: 1
  ) {
    totalCount ranked edges { cursor score snippet(field: text) { text } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  } }`)
  assert.equal(list.totalCount, 1)
  assert.doesNotMatch(service.opened.lastStatement(), /zebra|quagga|okapi|tapir/)
})
