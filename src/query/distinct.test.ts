/** Lists of the first record of each value, where most of the records are not among the first that are read. */
import assert from 'node:assert/strict'
import type { Json } from '../../test/reference/shapes.ts'
import { createReference } from '../../test/reference/reference.ts'
import { onEveryDatabase } from '../../test/support/store/databases.ts'
import { buildRecord } from '../../test/support/records/records.ts'
import { openTestService } from '../../test/support/service/service.ts'
import { recordLexicon } from '../../test/support/store/store.ts'

const nsid = 'org.example.thing'
const lexicons = [
  recordLexicon(nsid, {
    kind: { type: 'string', knownValues: ['a'] },
    at: { type: 'string', format: 'datetime' },
  }),
]

/** 2,400 records: kinds of growing rarity among the newest 1,000, and older ones that none of these has. */
async function buildThings() {
  return Promise.all(
    Array.from({ length: 2_400 }, (_, index) => {
      const rank = 2_400 - index
      const kind = rank <= 1_000 ? `near ${Math.floor(Math.log2(rank))}` : `far ${rank % 7}`
      const value = { kind, at: new Date(rank * 1_000).toISOString() }
      const given = rank % 11 === 0 ? { at: value.at } : value
      return buildRecord(nsid, {
        did: `did:plc:${'abc'[index % 3]}`,
        rkey: `r${index}`,
        indexedAt: BigInt(index) * 1_000_000n,
        value: given,
      })
    }),
  )
}

const orders: readonly (readonly [sortBy: string, field: string, direction: 'ASC' | 'DESC'])[] = [
  ['', 'indexedAt', 'DESC'],
  ['sortBy: [{field: indexedAt}],', 'indexedAt', 'ASC'],
  ['sortBy: [{field: at}],', 'at', 'ASC'],
  ['sortBy: [{field: rkey, direction: DESC}],', 'rkey', 'DESC'],
]

onEveryDatabase('pages go on behind the first rows, which are searched first', async (database) => {
  const records = await buildThings()
  await using service = await openTestService({ lexicons, records, database })
  const reference = createReference(lexicons, {}, records)
  for (const [sortBy, field, direction] of orders) {
    const given = { sortBy: [{ field, direction }], distinctOn: ['kind'] }
    const expected = reference.sorted(nsid, given).map(({ uri }) => uri)
    assert.ok(expected.length > 15)
    const seen: string[] = []
    let after = ''
    for (let isMore = true; isMore; ) {
      const { list } =
        (await service.data(`{ list: orgExampleThing(first: 4, ${after} ${sortBy} distinctOn: [kind]) {
        totalCount nodes { uri } pageInfo { hasPreviousPage hasNextPage endCursor } } }`)) as Json
      assert.equal(list.totalCount, expected.length)
      assert.equal(list.pageInfo.hasPreviousPage, seen.length > 0)
      seen.push(...list.nodes.map(({ uri }: Json) => uri))
      after = `after: ${JSON.stringify(list.pageInfo.endCursor)},`
      isMore = list.pageInfo.hasNextPage
    }
    assert.deepEqual(seen, expected)
    const { list } = (await service.data(
      `{ list: orgExampleThing(last: 3, ${sortBy} distinctOn: [kind]) { nodes { uri } } }`,
    )) as Json
    assert.deepEqual(
      list.nodes.map(({ uri }: Json) => uri),
      expected.slice(-3),
    )
  }
})

onEveryDatabase('explain says where the first of each value is looked for', async (database) => {
  await using service = await openTestService({ lexicons, records: [], database })
  const plan = async (query: string) => (await service.engine.explain({ query })).plan?.join('\n') ?? ''
  const page = '{ nodes { uri } }'
  const first = await plan(`{ orgExampleThing(distinctOn: [kind]) ${page} }`)
  assert.match(first, /the first for each kind; through the first 1000 rows of .+, and if these do not/)
  const last = await plan(`{ orgExampleThing(last: 5, distinctOn: [kind]) ${page} }`)
  assert.doesNotMatch(last, /1000 rows/)
  const total = await plan('{ orgExampleThing(distinctOn: [kind]) { totalCount } }')
  assert.match(total, /total from materialized counts org\.example\.thing\/\.kind:count/)
})
