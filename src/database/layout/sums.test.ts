import assert from 'node:assert/strict'
import { StatementSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import { onEveryEngine } from '../../../test/support/store/databases.ts'
import {
  author,
  book,
  laterReviewLines,
  link as linkTo,
  openReviews,
  place,
  review,
  reviewLexicons,
  reviewLine,
  reviewLines,
  reviewReferences,
} from '../../../test/support/records/reviews.ts'
import { hide, show } from '../../../test/support/store/note-stores.ts'
import {
  account,
  apply,
  assertHolds,
  dids,
  remove,
  repoEnd,
  rev,
  settleAll,
} from '../../../test/support/records/notes.ts'
import type { Engine } from '../../../test/support/store/postgres.ts'
import { assertCounts, emptyDatabases, recordLexicon } from '../../../test/support/store/store.ts'
import { understand } from '../../../test/support/records/understand.ts'
import type { Json } from '../../../test/reference/shapes.ts'
import type { Change } from '../database.ts'
import { ownSums } from './sums.ts'

const collections = [review, book, author]
/** Every record fits these too, but all that is derived must be derived again. */
const wider = [...reviewLexicons, recordLexicon('org.example.other', { size: { type: 'integer' } })]

const emptyUrl = emptyDatabases()

test('what refers to a record is read only when its own reference changes', async (t) => {
  await using store = await openReviews(':memory:')
  await store.load([...reviewLines, ...laterReviewLines])
  const get = t.mock.method(StatementSync.prototype, 'get').mock
  const readings = async (value: Json): Promise<number> => {
    get.resetCalls()
    await store.apply(reviewLine(book, '1', value))
    return get.calls.filter((call) => {
      const { sourceSQL } = call.this as StatementSync
      return /^select .*sum\(.* cross join .* where d\.id = \?$/.test(sourceSQL)
    }).length
  }
  const same = linkTo(author, '1', 'did:web:b.example').uri
  assert.equal(await readings({ pages: 10, author: same }), 0)
  assert.ok((await readings({ pages: 10, author: linkTo(author, '2').uri })) > 0)
})

test('sums are kept along two references that lead to one collection each, and of integers with few and small values', () => {
  const { tables } = understand(reviewLexicons, reviewReferences)
  const found = tables
    .flatMap(ownSums)
    .map(({ of, first, between, second, measured }) =>
      [of, first.base, between, second.base, ...measured].join(' '),
    )
  assert.deepEqual(found.toSorted(), [
    `${book} .author:base ${author} .home:base .pages`,
    `${book} .best:base ${review} .by:base .pages`,
    `${review} .book:base ${book} .author:base .stars .mood`,
    `${review} .by:base ${author} .book:base .stars .mood`,
    `${review} .by:base ${author} .home:base .stars .mood`,
  ])
  assert.deepEqual(
    tables.map(({ name, sums }) => [name, sums.length]),
    [
      [author, 3],
      [book, 3],
      [place, 0],
      [review, 4],
    ],
  )
})

onEveryEngine('after any changes on either side, sums are what adding up finds', (database) =>
  assertHolds(
    // Laying out a database takes PostgreSQL longer than many steps.
    fc.array(step, {
      minLength: database === 'sqlite' ? 5 : 15,
      maxLength: database === 'sqlite' ? 60 : 30,
      size: 'max',
    }),
    (steps) => follow(database, steps),
    database === 'sqlite' ? 4 : 1,
  ),
)

const did = fc.constantFrom(...dids.slice(0, 2))
const spot = fc.record({
  did,
  collection: fc.constantFrom(review, book, ...collections),
  rkey: fc.constantFrom('a', 'b'),
})
const uri = spot.map(({ did, collection, rkey }) => `at://${did}/${collection}/${rkey}`)
const cid = 'bafyreibjk2zm52hfizr454i2vrctndr2q2oimlwxu36s3or2icabptr6by'
const link = uri.map((its) => ({ uri: its, cid }))
const to = (collection: string) =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc
        .tuple(did, fc.constantFrom('a', 'b'))
        .map(([its, rkey]) => ({ uri: `at://${its}/${collection}/${rkey}`, cid })),
    },
    { weight: 1, arbitrary: link },
  )
const content: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  [review]: fc.record(
    {
      stars: fc.nat(5),
      mood: fc.integer({ min: -2_000_000_000, max: -1_999_999_990 }),
      book: to(book),
      answers: to(review),
      by: to(author),
    },
    { requiredKeys: [] },
  ),
  [book]: fc.record(
    {
      pages: fc.integer({ min: 1, max: 9_000 }),
      author: to(author).map(({ uri: its }) => its),
      best: to(review),
    },
    { requiredKeys: [] },
  ),
  [author]: fc.record({ mentor: to(author), book: to(book), home: to(place) }, { requiredKeys: [] }),
}
const event = spot.chain((at) =>
  fc.record({
    at: fc.constant(at),
    what: fc.constantFrom(...'put,put,put,put,put,delete,refuse,end,hidden,back,back'.split(',')),
    value: content[at.collection] as fc.Arbitrary<Json>,
  }),
)
type Event = typeof event extends fc.Arbitrary<infer One> ? One : never

const kinds = [...Array<string>(8).fill('batch'), ...'settle,settle,hide,hide,show,show'.split(',')]
const step = fc.record({
  kind: fc.constantFrom(...kinds, 'fail', 'reopen', 'rebuild'),
  events: fc.array(event, { minLength: 1, maxLength: 8 }),
  limit: fc.constantFrom(1, 3, 1000),
  uri,
})
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

const unknown = { did: 'did:web:b.example', collection: 'org.example.unknown', rkey: 'a' }

async function follow(database: Engine, steps: readonly Step[]): Promise<void> {
  const path = await emptyUrl(database)
  let serves = reviewLexicons
  let store = await openReviews(path, serves)
  let turn = 0
  const changeOf = ({ at, what, value }: Event): Change => {
    turn += 1
    const { did: its, collection, rkey } = at
    switch (what) {
      case 'delete':
        return remove(at, rev(turn))
      case 'end':
        return repoEnd(dids.indexOf(its), rev(turn))
      case 'hidden':
      case 'back':
        return account(dids.indexOf(its), what === 'back' ? null : 'suspended', turn)
      default:
        return store.change({
          uri: `at://${its}/${collection}/${rkey}`,
          rev: rev(turn),
          value:
            what === 'put'
              ? { $type: collection, ...value }
              : { $type: collection, stars: true, pages: true, book: true },
        })
    }
  }
  try {
    for (const one of steps) {
      switch (one.kind) {
        case 'batch':
          await apply(store, ...one.events.map(changeOf))
          break
        case 'fail': {
          const wrong: Change = { kind: 'delete', ...unknown, rev: rev((turn += 1)) }
          await assert.rejects(store.database.write.applyBatch([...one.events.map(changeOf), wrong]))
          break
        }
        case 'settle':
          await store.metadata.settleAccounts(one.limit)
          break
        case 'hide':
          await hide(store, one.uri)
          break
        case 'show':
          await show(store, one.uri)
          break
        default:
          await store[Symbol.asyncDispose]()
          if (one.kind === 'rebuild') serves = serves === reviewLexicons ? wider : reviewLexicons
          store = await openReviews(path, serves)
      }
      await assertCounts(store.database.read, store.tables)
    }
    await settleAll(store)
    await assertCounts(store.database.read, store.tables)
  } finally {
    await store[Symbol.asyncDispose]()
  }
}

onEveryEngine('what is loaded is added up, whichever side comes first', async (database) => {
  await using store = await openReviews(await emptyUrl(database))
  await store.load(reviewLines)
  const sums = () =>
    store.rows(
      `select b.uri || s.rkey as uri, n, n0, s0 from "${review}/book+author:sums" s left join base b on b.id = s.base order by n desc`,
    )
  const uri = `at://did:web:b.example/${author}/1`
  assert.deepEqual(await sums(), [
    { uri, n: 3, n0: 2, s0: 7 },
    { uri: null, n: 1, n0: 1, s0: 1 },
  ])
  await store.load(laterReviewLines)
  assert.deepEqual(await sums(), [{ uri, n: 4, n0: 3, s0: 8 }])
  await assertCounts(store.database.read, store.tables)
})
