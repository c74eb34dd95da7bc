/** What is known beside the records: handles of accounts, and how far the index has come. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Json } from './reference/shapes.ts'
import { onEveryEngine as test } from './support/store/databases.ts'
import { collections, libraryLexicons, libraryReferences } from './support/records/lexicons.ts'
import { describePublicStatus } from '../src/server/http/health.ts'
import { buildRecord, refTo } from './support/records/records.ts'
import { openTestService, type TestServiceGiven } from './support/service/service.ts'

const ann = 'did:plc:annannannannannannannann'
const ben = 'did:plc:benbenbenbenbenbenbenben'
const second = 1_000_000n

async function openLibrary(given: Partial<TestServiceGiven> = {}) {
  const author = await buildRecord(collections.person, { did: ann, value: { name: 'Ann' } })
  const book = await buildRecord(collections.book, {
    did: ben,
    indexedAt: '2026-03-01T00:00:00Z',
    value: { title: 'One', author: refTo(author) },
  })
  const older = await buildRecord(collections.book, { did: ann, value: { title: 'None' } })
  const records = [author, book, older]
  const service = await openTestService({
    lexicons: libraryLexicons,
    references: libraryReferences,
    records,
    ...given,
  })
  return { service, author, book, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

test('a handle stands on every record of its account, wherever that is read, and changes without the records', async (database) => {
  await using library = await openLibrary({ database })
  const { service, book, author } = library
  const { metadata } = service.opened.database.write
  const handles = async (): Promise<Json> => {
    const { list, found, holder } = await service.data(`{
      list: orgExampleLibraryBook { nodes { actorHandle authorResolved { ... on OrgExampleLibraryPerson { actorHandle } } } }
      found: orgExampleLibraryBookByUri(uri: "${book.uri}") { actorHandle }
      holder: orgExampleLibraryPersonByUri(uri: "${author.uri}") {
        books: orgExampleLibraryBookViaAuthor { edges { node { actorHandle } } } } }`)
    return {
      listed: list.nodes.map((node: Json) => node.actorHandle),
      resolved: list.nodes[0].authorResolved.actorHandle,
      found: found.actorHandle,
      referring: holder.books.edges[0].node.actorHandle,
    }
  }
  assert.deepEqual(await handles(), { listed: [null, null], resolved: null, found: null, referring: null })
  await metadata.writeHandle(ann, 'ann.example', 0n)
  await metadata.writeHandle(ben, 'ben.example', 0n)
  assert.deepEqual(await handles(), {
    listed: ['ben.example', 'ann.example'],
    resolved: 'ann.example',
    found: 'ben.example',
    referring: 'ben.example',
  })
  await metadata.writeHandle(ben, null, 0n)
  await metadata.writeHandle(ann, 'anna.example', 0n)
  assert.deepEqual(await handles(), {
    listed: [null, 'anna.example'],
    resolved: 'anna.example',
    found: null,
    referring: null,
  })
})

test('every collection is in the state of the index, those without records too', async (database) => {
  await using library = await openLibrary({ database })
  const { service } = library
  const asked = '{ indexStatus { collections { name records newestIndexedAt } sources { name } } }'
  const { indexStatus } = await service.data(asked)
  assert.deepEqual(indexStatus, {
    collections: [
      { name: collections.book, records: 2, newestIndexedAt: '2026-03-01T00:00:00.000Z' },
      { name: collections.person, records: 1, newestIndexedAt: '2026-01-01T00:00:00.000Z' },
      { name: collections.publisher, records: 0, newestIndexedAt: null },
      { name: collections.review, records: 0, newestIndexedAt: null },
    ],
    sources: [],
  })
  // Ids no longer follow the default order.
  const before = await buildRecord(collections.book, {
    rkey: 'before',
    indexedAt: '2020-01-01T00:00:00Z',
    value: { title: 'Before' },
  })
  await service.store([before])
  const { indexStatus: after } = await service.data(asked)
  assert.deepEqual(after.collections[0], {
    name: collections.book,
    records: 3,
    newestIndexedAt: '2026-03-01T00:00:00.000Z',
  })
})

test('a source is as old as its last event, and one that is silent for half a minute has stopped', async (database) => {
  const started = BigInt(Date.now()) * 1000n
  let now = started - 100n * second
  await using library = await openLibrary({ database, now: () => now })
  const { read, write } = library.service.opened.database
  const mark = { cursor: '1', eventAt: started - 103n * second, events: 1 }
  for (const source of ['b', 'a', 'd']) await write.applyBatch([], { source, ...mark })
  for (const source of ['a', 'b', 'c', 'd']) await write.metadata.nameSource(source, source)
  await write.metadata.writeState('a', 'live', null, 1)
  await write.metadata.writeState('d', 'finished', null, 0)
  // They were heard of by a clock that is ahead, and are not silent however long this takes.
  now = started + 1_000n * second
  await write.metadata.writeState('b', 'live', null, 1)
  await write.metadata.writeState('c', 'connecting', null, 0)
  const asked = '{ indexStatus { sources { name state lagSeconds lastEventAt } } }'
  const sources: Json[] = (await library.service.data(asked)).indexStatus.sources
  assert.deepEqual(
    sources.map(({ name, state }) => [name, state]),
    [
      ['a', 'stopped'],
      ['b', 'live'],
      ['c', 'connecting'],
      ['d', 'finished'],
    ],
  )
  const [a, b, c, d] = sources
  assert.equal(b.lagSeconds, 3)
  const age = (Date.now() + 1) / 1_000 - Number(mark.eventAt) / 1e6
  for (const { lagSeconds } of [a, d]) assert.ok(lagSeconds >= 103 && lagSeconds <= age, String(lagSeconds))
  assert.deepEqual([c.lagSeconds, c.lastEventAt], [null, null])
  assert.equal(Date.parse(a.lastEventAt), Number(mark.eventAt / 1000n))
  // What operators are told is the same.
  const status = await read.readStatus()
  assert.deepEqual(
    status.sources.map(({ name, state }) => [name, state]),
    sources.map(({ name, state }) => [name, state]),
  )
})

test('of a source callers are told what they may be told, and its operator the whole', async (database) => {
  await using library = await openLibrary({ database })
  const { read, write } = library.service.opened.database
  const names = async (): Promise<readonly unknown[]> => {
    const { indexStatus } = await library.service.data('{ indexStatus { sources { name } } }')
    const status = await read.readStatus()
    const { sources } = describePublicStatus(status) as { sources: readonly { name: string }[] }
    assert.deepEqual(
      indexStatus.sources,
      sources.map(({ name }) => ({ name })),
    )
    return status.sources.map(({ name, publicName }) => [name, publicName])
  }
  await write.metadata.writeState('tap:http://tap:2480', 'live', null, 0)
  assert.deepEqual(await names(), [['tap:http://tap:2480', 'source']])
  await write.metadata.nameSource('tap:http://tap:2480', 'tap')
  await write.metadata.nameSource('tap:http://tap:2481', 'main')
  assert.deepEqual(await names(), [
    ['tap:http://tap:2480', 'tap'],
    ['tap:http://tap:2481', 'main'],
  ])
  await write.metadata.nameSource('tap:http://tap:2480', 'the first')
  await write.metadata.writeState('tap:http://tap:2480', 'unavailable', null, 0)
  assert.deepEqual((await names())[0], ['tap:http://tap:2480', 'the first'])
})

test('an event from ahead of our clock is new, not of negative age', async (database) => {
  const now = BigInt(Date.now()) * 1000n
  await using library = await openLibrary({ database })
  const mark = { source: 's', cursor: null, eventAt: now + 3600n * second, events: 1 }
  await library.service.opened.database.write.applyBatch([], mark)
  const { indexStatus } = await library.service.data('{ indexStatus { sources { lagSeconds } } }')
  assert.deepEqual(indexStatus.sources, [{ lagSeconds: 0 }])
})

test('the state of the index names the version, the schema and the lexicons in force', async (database) => {
  const published = structuredClone(libraryLexicons) as Json[]
  Object.assign(published[0], { revision: 7 })
  await using library = await openLibrary({ database, lexicons: published })
  const ask = async (opened: typeof library): Promise<Json> => {
    const { indexStatus } = await opened.service.data(
      '{ indexStatus { __typename version schemaHash lexicons { kind: __typename name revision sum: hash } } }',
    )
    return indexStatus
  }
  const status = await ask(library)
  assert.equal(status.version, '0.0.0')
  assert.equal(
    status.schemaHash,
    createHash('sha256').update(library.service.opened.schemaText).digest('hex'),
  )
  const ids = [...published.map(({ id }) => id), 'com.atproto.repo.strongRef'].toSorted()
  assert.deepEqual(
    status.lexicons.map(({ name }: Json) => name),
    [...new Set(ids)],
  )
  for (const { kind, name, revision, sum } of status.lexicons) {
    assert.equal(kind, 'LexiconStatus')
    assert.equal(revision, name === published[0].id ? 7 : null)
    assert.match(sum, /^[0-9a-f]{64}$/)
  }

  // Another layout says the same; other words do not, and the schema has them too.
  const laidOut = published.map((document) => Object.fromEntries(Object.entries(document).toReversed()))
  await using same = await openLibrary({ database, lexicons: laidOut })
  assert.deepEqual(await ask(same), status)
  const reworded = structuredClone(published)
  reworded[0].defs.main.description = 'Something else.'
  await using changed = await openLibrary({ database, lexicons: reworded })
  const other = await ask(changed)
  assert.notEqual(other.schemaHash, status.schemaHash)
  assert.deepEqual(
    other.lexicons
      .filter(({ sum }: Json, index: number) => sum !== status.lexicons[index].sum)
      .map(({ name }: Json) => name),
    [published[0].id],
  )
})
