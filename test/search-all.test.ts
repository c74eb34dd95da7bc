/** The search of all collections, where random records rarely lead. */
import assert from 'node:assert/strict'
import type { Json } from './reference/shapes.ts'
import { onEveryDatabase } from './support/store/databases.ts'
import { openTestService } from './support/service/service.ts'
import { recordLexicon } from './support/store/store.ts'

const text = { type: 'string', maxLength: 300, maxGraphemes: 100 }
const lexicons = [
  recordLexicon('org.example.essay', { title: text }),
  recordLexicon('org.example.poem', { verse: text }),
  recordLexicon('org.example.rating', { stars: { type: 'integer' } }),
]
const dids = ['did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', 'did:plc:bbbbbbbbbbbbbbbbbbbbbbbb']

/** Every one has a record of the same name and time in each collection. */
const records = ['3a', '3b'].flatMap((rkey) =>
  dids.flatMap((did) =>
    ['essay', 'poem', 'rating'].map((name) => {
      const collection = `org.example.${name}`
      const value = { essay: { title: 'Rain' }, poem: { verse: 'rain' }, rating: { stars: 5 } }[name]
      return {
        uri: `at://${did}/${collection}/${rkey}`,
        indexedAt: '2026-01-01T00:00:00Z',
        value: { $type: collection, ...value },
      }
    }),
  ),
) as never

async function pagesOf(ask: (query: string) => Promise<Json>, first: number): Promise<string[]> {
  const found: string[] = []
  let after = ''
  for (;;) {
    const { search } = await ask(`{ search(text: "rain", first: ${first}${after}) {
      nodes { uri } pageInfo { hasNextPage hasPreviousPage endCursor } } }`)
    assert.equal(search.pageInfo.hasPreviousPage, found.length > 0)
    found.push(...search.nodes.map(({ uri }: Json) => uri))
    if (!search.pageInfo.hasNextPage) return found
    after = `, after: ${JSON.stringify(search.pageInfo.endCursor)}`
  }
}

onEveryDatabase(
  'records that differ in their collection alone are in its order, page by page',
  async (database) => {
    await using service = await openTestService({ lexicons, records, database })
    const expected = ['3b', '3a'].flatMap((rkey) =>
      dids
        .toReversed()
        .flatMap((did) => ['essay', 'poem'].map((name) => `at://${did}/org.example.${name}/${rkey}`)),
    )
    for (const first of [1, 2, 3, 5, 8]) assert.deepEqual(await pagesOf(service.data, first), expected)
  },
)

onEveryDatabase('a schema without free text has no search of all collections', async (database) => {
  await using service = await openTestService({ lexicons: lexicons.slice(2), database })
  const { message } = await service.refusal('{ search(text: "rain") { nodes { uri } } }')
  assert.match(message, /Cannot query field "search"/)
})

onEveryDatabase('a cursor of another list, and a page that is too large, are refused', async (database) => {
  await using service = await openTestService({ lexicons, records, database })
  const { orgExampleEssay } = await service.data('{ orgExampleEssay(first: 1) { pageInfo { endCursor } } }')
  const after = JSON.stringify(orgExampleEssay.pageInfo.endCursor)
  const code = async (args: string) => (await service.refusal(`{ search(${args}) { nodes { uri } } }`)).code
  assert.equal(await code(`text: "rain", after: ${after}`), 'INVALID_CURSOR')
  assert.equal(await code('text: "rain", first: 1001'), 'BAD_USER_INPUT')
  assert.equal(await code('text: "-"'), 'BAD_USER_INPUT')
})
