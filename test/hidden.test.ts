/** What holds between the word that an account must not be seen and the moment its rows have left the tables. */
import assert from 'node:assert/strict'
import type { Json } from './reference/shapes.ts'
import type { PlainRecord } from './reference/dataset.ts'
import { onEveryDatabase as test } from './support/store/databases.ts'
import { collections, libraryLexicons, libraryReferences } from './support/records/lexicons.ts'
import type { Engine } from './support/store/postgres.ts'
import { buildRecord, refTo } from './support/records/records.ts'
import { openTestService, accountStatus, type TestService } from './support/service/service.ts'
import { wholeLibrary } from './support/records/whole-library.ts'

const { book, person } = collections
const shown = 'did:plc:shownshownshownshownshow'
const other = 'did:plc:otherotherotherotherothe'

/** Books 0 to 9 by turns of two accounts, all of one author. */
async function library(): Promise<readonly PlainRecord[]> {
  const author = await buildRecord(person, { did: other, value: { name: 'Ann', country: 'MX' } })
  const books = Array.from({ length: 10 }, (_, index) =>
    buildRecord(book, {
      did: index % 2 === 0 ? shown : other,
      rkey: `book-${index}`,
      indexedAt: `2026-02-01T00:00:0${index}Z`,
      value: { title: `Book ${index}`, author: refTo(author), tags: ['old'], language: 'en' },
    }),
  )
  return [author, ...(await Promise.all(books))]
}

interface Library {
  readonly database: Engine
  readonly way?: number
  readonly late?: boolean
}

/**
 * `way` chooses what the planner believes of the data. `late`: the first book comes last, so that ids do
 * not follow the default order.
 */
async function openLibrary({ database, way = 0, late = false }: Library): Promise<TestService> {
  const records = await library()
  const given = { lexicons: libraryLexicons, references: libraryReferences, loading: way * 3, database }
  if (!late) return openTestService({ ...given, records })
  const service = await openTestService({ ...given, records: records.toSpliced(1, 1) })
  await service.store(records.slice(1, 2))
  return service
}

async function setAccountStatus(service: TestService, active: boolean): Promise<void> {
  await service.opened.database.write.applyBatch([accountStatus(other, active)])
}

async function settle(service: TestService): Promise<void> {
  const { metadata } = service.opened.database.write
  while ((await metadata.settleAccounts(3)) > 0);
}

const everywhere = `{
  ${wholeLibrary}
  found: orgExampleLibraryBookByUri(uri: "at://${other}/${book}/book-1") { title }
}`

for (const way of [0, 1, 2, 3])
  test(`an account is out of sight at once, stays so when its rows have left, and comes back as it was (road ${way})`, async (database) => {
    await using service = await openLibrary({ database, way })
    const before = await service.data(everywhere)
    assert.equal(before.list.totalCount, 10)
    assert.deepEqual(before.aggregate, { count: 10, groups: [{ author_country: 'MX', count: 10 }] })

    await setAccountStatus(service, false)
    assert.equal((await service.opened.database.read.readPlanState()).hiding, true)
    const hidden = await service.data(everywhere)
    const none = { records: 0, newestIndexedAt: null }
    assert.deepEqual(hidden, {
      list: {
        totalCount: 5,
        nodes: [8, 6, 4, 2, 0].map((index) => ({
          rkey: `book-${index}`,
          author: { isCurrent: null },
          authorResolved: null,
        })),
      },
      found: null,
      byText: { totalCount: 5 },
      byElement: { totalCount: 5 },
      byAuthor: { totalCount: 0 },
      unknown: { totalCount: 5 },
      authors: { nodes: [] },
      aggregate: { count: 5, groups: [{ author_country: null, count: 5 }] },
      indexStatus: {
        collections: [{ records: 5, newestIndexedAt: '2026-02-01T00:00:08.000Z' }, none, none, none],
      },
    })

    await settle(service)
    assert.equal((await service.opened.database.read.readPlanState()).hiding, false)
    assert.deepEqual(await service.data(everywhere), hidden)
    await setAccountStatus(service, true)
    await settle(service)
    assert.deepEqual(await service.data(everywhere), before)
  })

for (const late of [false, true]) {
  const order = late ? 'do not follow' : 'follow'
  test(`a cursor keeps its place when its record is hidden, and when it has left (ids ${order} the order)`, async (database) => {
    await using service = await openLibrary({ database, late })
    const page = (after: string | null): Promise<Json> =>
      service.data(
        `query ($after: String) { orgExampleLibraryBook(first: 3, after: $after) {
          nodes { rkey } pageInfo { hasPreviousPage hasNextPage endCursor } } }`,
        { after },
      )
    // Book 7 is the last of the first page, and of the account that is to be hidden.
    const { endCursor } = (await page(null)).orgExampleLibraryBook.pageInfo
    const expected = ['book-6', 'book-4', 'book-2']
    const assertNext = async (): Promise<void> => {
      const { nodes, pageInfo } = (await page(endCursor)).orgExampleLibraryBook
      assert.deepEqual(
        nodes.map(({ rkey }: Json) => rkey),
        expected,
      )
      assert.deepEqual([pageInfo.hasPreviousPage, pageInfo.hasNextPage], [true, true])
    }
    await setAccountStatus(service, false)
    await assertNext()
    await settle(service)
    await assertNext()
  })

  test(`a page of the newest stops early while accounts are hidden (ids ${order} the order)`, async (database) => {
    await using service = await openLibrary({ database, late })
    const query =
      '{ orgExampleLibraryBook(first: 2) { nodes { rkey } } indexStatus { collections { newestIndexedAt } } }'
    const detours = async (): Promise<readonly string[]> => {
      const { steps } = await service.engine.explain({ query })
      const detour = database === 'sqlite' ? /TEMP B-TREE|MATERIALIZE/ : /Seq Scan on "org|Materialize/
      return steps.map((step) => step.trim()).filter((step) => detour.test(step))
    }
    // What ids do not tell SQLite sorts where instants are the same.
    const expected = late && database === 'sqlite' ? ['USE TEMP B-TREE FOR LAST TERM OF ORDER BY'] : []
    assert.deepEqual(await detours(), expected)
    await setAccountStatus(service, false)
    const { orgExampleLibraryBook } = await service.data(query)
    assert.deepEqual(orgExampleLibraryBook.nodes, [{ rkey: 'book-8' }, { rkey: 'book-6' }])
    assert.match(service.opened.lastStatement(), /hidden/)
    assert.deepEqual(await detours(), expected)
  })
}

test('while accounts are hidden, a page of which no value is read has its rows', async (database) => {
  await using service = await openLibrary({ database })
  await setAccountStatus(service, false)
  const { list } = await service.data(
    '{ list: orgExampleLibraryBook(first: 2) { edges { __typename } nodes { __typename } } }',
  )
  assert.deepEqual([list.edges.length, list.nodes.length], [2, 2])
})
