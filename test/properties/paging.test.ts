import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { ListArguments } from '../reference/reference.ts'
import type { Json } from '../reference/shapes.ts'
import { onEveryDatabase as test } from '../support/store/databases.ts'
import { argumentList, literal, sortLiteral } from '../support/service/graphql-text.ts'
import { collections } from '../support/records/lexicons.ts'
import { anyCollection, type Loaded, loadCorpus, property } from '../support/random/property.ts'
import { distincts, sorts } from '../support/random/questions.ts'
import { buildRecord } from '../support/records/records.ts'
import { wheres } from '../support/random/where.ts'

const { book } = collections

const walks = ({ reference }: Loaded) =>
  anyCollection.chain((collection) =>
    fc.record({
      collection: fc.constant(collection),
      where: fc.oneof(fc.constant({}), wheres(reference, collection, 1)),
      sortBy: sorts(reference, collection),
      distinctOn: fc.oneof(fc.constant([]), distincts(reference, collection)),
      sizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
    }),
  )

interface Walk extends ListArguments {
  readonly collection: string
  readonly sizes: readonly number[]
}

property(
  'pages forwards and backwards give every matching record once, in order, with honest page bounds and one cursor',
  walks,
  async (loaded, walk) => {
    const ordered = loaded.reference.sorted(walk.collection, walk).map(({ uri }) => uri)
    const forwards = await walkPages(loaded, walk, 'forwards', ordered)
    const backwards = await walkPages(loaded, walk, 'backwards', ordered)
    assert.deepEqual(backwards, forwards)
    assert.equal(new Set(forwards.values()).size, ordered.length)
  },
  25,
)

/** Cursors by URI, checking each page against where it stands in the whole. */
async function walkPages(
  loaded: Loaded,
  walk: Walk,
  direction: 'forwards' | 'backwards',
  ordered: readonly string[],
) {
  const cursors = new Map<string, string>()
  let seen: string[] = []
  let cursor: string | undefined
  for (let page = 0; page <= ordered.length; page++) {
    const size = String(walk.sizes[page % walk.sizes.length])
    const at = cursor === undefined ? undefined : literal(cursor)
    const given = direction === 'forwards' ? { first: size, after: at } : { last: size, before: at }
    const { edges, pageInfo } = await readPage(loaded, walk, given)
    const uris = edges.map((edge: Json) => edge.node.uri)
    seen = direction === 'forwards' ? [...seen, ...uris] : [...uris, ...seen]
    for (const { cursor, node } of edges) cursors.set(node.uri, cursor)
    const start = ordered.indexOf(uris[0])
    assert.deepEqual(pageInfo, {
      hasPreviousPage: uris.length === 0 ? false : start > 0,
      hasNextPage: uris.length === 0 ? false : start + uris.length < ordered.length,
      startCursor: edges.at(0)?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    })
    if (!(direction === 'forwards' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) break
    cursor = direction === 'forwards' ? pageInfo.endCursor : pageInfo.startCursor
  }
  assert.deepEqual(seen, ordered)
  return direction === 'forwards' ? cursors : new Map(ordered.map((uri) => [uri, cursors.get(uri) ?? '']))
}

async function readPage(
  loaded: Loaded,
  walk: Walk,
  given: Readonly<Record<string, string | undefined>>,
): Promise<Json> {
  const list = argumentList({
    where: literal(walk.where),
    sortBy: sortLiteral(walk.sortBy ?? []),
    distinctOn: walk.distinctOn && `[${walk.distinctOn.join(', ')}]`,
    ...given,
  })
  const { rootField } = loaded.reference.shapes.get(walk.collection)!
  const data = await loaded.service.data(`{ list: ${rootField}${list} {
    edges { cursor node { uri } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`)
  return data.list
}

property(
  'a cursor belongs to a position, whatever the condition it was read under',
  walks,
  async (loaded, walk) => {
    const narrow = await readPage(loaded, { ...walk, distinctOn: [] }, { first: '100' })
    const wide = await readPage(loaded, { ...walk, distinctOn: [], where: {} }, { first: '100' })
    const wideCursors = new Map(wide.edges.map((edge: Json) => [edge.node.uri, edge.cursor]))
    for (const { cursor, node } of narrow.edges) assert.equal(cursor, wideCursors.get(node.uri))
  },
  10,
)

property(
  'past the last cursor there is an empty page with something before it',
  walks,
  async (loaded, walk) => {
    const all = await readPage(loaded, walk, { first: '100' })
    if (all.edges.length === 0) return
    const beyond = await readPage(loaded, walk, { first: '5', after: literal(all.pageInfo.endCursor) })
    assert.deepEqual(beyond.edges, [])
    assert.deepEqual(beyond.pageInfo, {
      hasNextPage: false,
      hasPreviousPage: true,
      startCursor: null,
      endCursor: null,
    })
    const before = await readPage(loaded, walk, { last: '5', before: literal(all.pageInfo.startCursor) })
    assert.deepEqual(before.edges, [])
    assert.deepEqual(before.pageInfo, {
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: null,
      endCursor: null,
    })
  },
  10,
)

for (const seed of [1, 2, 3]) {
  test(`records that arrive between two pages do not disturb the rest (order ${seed})`, async (database) => {
    await using loaded = await loadCorpus(seed, { database })
    const { reference, service } = loaded
    // Stories of what arrives are derived later, and may change those of others.
    const withoutStories = sorts(reference, book).filter((keys) => !/story/i.test(JSON.stringify(keys)))
    const [sortBy = []] = fc.sample(withoutStories, { seed, numRuns: 1 })
    const walk: Walk = { collection: book, where: {}, sortBy, sizes: [] }
    const first = await readPage(loaded, walk, { first: '7' })
    const arriving = await Promise.all(
      reference
        .list(book, {})
        .records.map(({ value, indexedAt }, index) =>
          buildRecord(book, { did: 'did:plc:newcomer', rkey: `new-${index}`, indexedAt, value }),
        ),
    )
    await service.store(arriving)

    const last = reference.sorted(book, walk)[6]!
    const after = [...reference.sorted(book, walk), ...arriving]
      .filter((record) => reference.compare(record, last, sortBy) > 0)
      .sort((a, b) => reference.compare(a, b, sortBy))
    const rest = await readPage(loaded, walk, { first: '100', after: literal(first.pageInfo.endCursor) })
    assert.deepEqual(
      rest.edges.map((edge: Json) => edge.node.uri),
      after.map((record) => record.uri),
    )
  })
}

test('an update of a field outside the sort leaves every page where it was', async (database) => {
  await using loaded = await loadCorpus(5, { database })
  const { reference, service } = loaded
  const walk: Walk = { collection: book, where: {}, sortBy: [{ field: 'publishedAt' }], sizes: [] }
  const ordered = reference.sorted(book, walk)
  const first = await readPage(loaded, walk, { first: '10' })
  await service.store(
    await Promise.all(
      ordered.map(({ did, rkey, value }) =>
        buildRecord(book, { did, rkey, value: { ...value, title: 'New title' } }),
      ),
    ),
  )
  const rest = await readPage(loaded, walk, { first: '100', after: literal(first.pageInfo.endCursor) })
  const uris = [...first.edges, ...rest.edges].map((edge: Json) => edge.node.uri)
  assert.deepEqual(
    uris,
    ordered.map(({ uri }) => uri),
  )
})
