/** What operators hide is in no answer, and nothing that fetches, imports or tries again brings it back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryRejections } from '../src/ingest/retry.ts'
import type { Json } from './reference/shapes.ts'
import { onEveryDatabase } from './support/store/databases.ts'
import { collections, libraryLexicons, libraryReferences } from './support/records/lexicons.ts'
import {
  apply,
  note,
  noteLexicons,
  openNotes,
  refuse,
  rev,
  spot,
  uriOf,
  visibleRecords,
} from './support/records/notes.ts'
import { buildRecord, refTo } from './support/records/records.ts'
import { openRepoNetwork, put as putBook, remove as removeBook } from './support/network/repo-network.ts'
import { openTestService, type TestService } from './support/service/service.ts'
import { emptyDatabases, type TestStore } from './support/store/store.ts'
import { understand } from './support/records/understand.ts'
import { wholeLibrary } from './support/records/whole-library.ts'

const emptyUrl = emptyDatabases()
const { book, person } = collections
const [ann, ben] = ['did:plc:annannannannannannannann', 'did:plc:benbenbenbenbenbenbenben']

async function openLibrary(database: 'sqlite' | 'postgres'): Promise<TestService> {
  const author = await buildRecord(person, { did: ann, value: { name: 'Ann', country: 'MX' } })
  const books = await Promise.all(
    [0, 1, 2].map((index) =>
      buildRecord(book, {
        did: ben,
        rkey: `book-${index}`,
        indexedAt: `2026-02-01T00:00:0${index}Z`,
        value: {
          title: `Book ${index}`,
          tags: ['old'],
          author: refTo(author),
          related: index === 0 ? [] : [{ uri: `at://${ben}/${book}/book-0`, cid: author.cid }],
        },
      }),
    ),
  )
  const given = { lexicons: libraryLexicons, references: libraryReferences, database }
  return openTestService({ ...given, records: [author, ...books] })
}

const everywhere = `{
  ${wholeLibrary}
  byUri: orgExampleLibraryBookByUri(uri: "at://${ben}/${book}/book-0") { title }
  author: orgExampleLibraryPersonByUri(uri: "at://${ann}/${person}/self") { name }
}`

onEveryDatabase('a hidden record is in no list, count, group, reference or state', async (database) => {
  await using service = await openLibrary(database)
  const { metadata } = service.opened.database.write
  const before = await service.data(everywhere)
  assert.equal(before.list.totalCount, 3)
  await metadata.hide({ subject: `at://${ben}/${book}/book-2`, reason: 'A test.', hiddenBy: 'tester' })
  const without: Json = await service.data(everywhere)
  const known = { author: { isCurrent: true }, authorResolved: { __typename: 'OrgExampleLibraryPerson' } }
  assert.deepEqual(without, {
    ...before,
    list: { totalCount: 2, nodes: [1, 0].map((index) => ({ rkey: `book-${index}`, ...known })) },
    byText: { totalCount: 2 },
    byElement: { totalCount: 2 },
    byAuthor: { totalCount: 2 },
    authors: { nodes: [{ orgExampleLibraryBookViaAuthor: { totalCount: 2 } }] },
    aggregate: { count: 2, groups: [{ author_country: 'MX', count: 2 }] },
    indexStatus: {
      collections: before.indexStatus.collections.map((one: Json) =>
        one.records === 3 ? { records: 2, newestIndexedAt: '2026-02-01T00:00:01.000Z' } : one,
      ),
    },
  })
  for (const subject of [`at://${ann}/${person}/self`, ann]) {
    await metadata.hide({ subject, reason: 'A test.', hiddenBy: 'tester' })
    const { list, author, byAuthor, unknown, authors, aggregate } = await service.data(everywhere)
    const lost = { author: { isCurrent: null }, authorResolved: null }
    assert.deepEqual(
      list.nodes,
      [1, 0].map((index) => ({ rkey: `book-${index}`, ...lost })),
    )
    assert.deepEqual([author, byAuthor.totalCount, unknown.totalCount], [null, 0, 2])
    assert.deepEqual(authors.nodes, [])
    assert.deepEqual(aggregate.groups, [{ author_country: null, count: 2 }])
    await metadata.unhide(subject, 'tester')
    while ((await metadata.settleAccounts(1)) > 0);
    assert.deepEqual(await service.data(everywhere), without)
  }
  await metadata.unhide(`at://${ben}/${book}/book-2`, 'tester')
  assert.deepEqual(await service.data(everywhere), before)
})

test('fetching and comparing repositories neither misses nor brings back what is hidden', async () => {
  await using world = await openRepoNetwork()
  const repo = await world.add('a', 3)
  const { metadata } = world.store.database.write
  const uri = (rkey: string): string => `at://${repo.did}/${book}/${rkey}`
  await world.fetch({ targets: [repo.did] })
  for (const subject of [uri('a0'), repo.did]) {
    await hide(world.store, subject)
    const visible = await world.stored()
    for (const kind of ['backfill', 'reconcile'] as const) {
      const { read, differing, outcome } = await world.fetch({ kind, targets: [repo.did] })
      assert.deepEqual([read, differing, outcome.stored, outcome.updated, outcome.deleted], [1, 0, 0, 0, 0])
    }
    while ((await metadata.settleAccounts(1)) > 0);
    await world.fetch({ kind: 'reconcile', targets: [] })
    assert.deepEqual([...(await world.stored()).keys()], subject === repo.did ? [] : [...visible.keys()])
    assert.ok(!(await world.stored()).has(uri('a0')))
  }
  await repo.write(putBook('a0', 'Sand', 'update'), removeBook('a1'))
  await world.publish(repo)
  assert.equal((await world.fetch({ kind: 'reconcile', targets: [] })).differing, 0)
  for (const subject of [uri('a0'), repo.did]) await metadata.unhide(subject, 'tester')
  while ((await metadata.settleAccounts(1)) > 0);
  assert.deepEqual(await world.stored(), await world.published())
})

onEveryDatabase('what was refused stays hidden when it is tried again', async (database) => {
  const { set: lexicons, tables } = understand(noteLexicons, {})
  await using store = await openNotes(await emptyUrl(database))
  const uri = uriOf(spot('fits'))
  const line = JSON.stringify({ uri, rev: rev(2), value: { $type: note, text: 'It fits by now.' } })
  await apply(store, { ...refuse(store, spot('fits'), rev(2)), record: line } as ReturnType<typeof refuse>)
  await hide(store, uri)
  assert.equal((await retryRejections(store.database, { lexicons, tables })).withheld, 1)
  assert.deepEqual(await visibleRecords(store), new Map())
  assert.deepEqual(await store.rows('select * from rejection'), [])
  await store.metadata.unhide(uri, 'tester')
  assert.deepEqual([...(await visibleRecords(store)).keys()], [uri])
})

function hide({ database }: TestStore, subject: string): Promise<number | null> {
  return database.write.metadata.hide({ subject, reason: 'A test.', hiddenBy: 'tester' })
}
