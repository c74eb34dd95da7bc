import assert from 'node:assert/strict'
import type { Json } from '../../../test/reference/shapes.ts'
import { onEveryDatabase } from '../../../test/support/store/databases.ts'
import { buildRecord, refTo } from '../../../test/support/records/records.ts'
import { booksFound, openLibrary } from '../../../test/support/service/library.ts'

const build = (rkey: string, value: object) =>
  buildRecord('org.example.library.book', { rkey, value: { title: rkey, ...value } })

onEveryDatabase('what a record is found by is no further value that is compared with', async (database) => {
  await using service = await openLibrary(database)
  const dids = Array.from({ length: 1_000 }, (_, n) => `did:plc:nobody${n}`)
  const lists = Array.from(
    { length: 16 },
    (_, n) => `a${n}: orgExampleLibraryBook(where: {did: {in: $dids}}) { nodes { uri } }`,
  )
  const data = await service.data(`query ($dids: [String!]) { ${lists.join(' ')} }`, { dids })
  assert.deepEqual(
    Object.values(data),
    lists.map(() => ({ nodes: [] })),
  )
})

onEveryDatabase(
  'an array or object that is null has nothing inside, as one that is missing',
  async (database) => {
    const none = { credits: null, related: null, tags: null, imprint: null, outline: null, author: null }
    const records = [
      await build('empty', { credits: [], related: [], tags: [], imprint: { marks: [] }, outline: {} }),
      await build('inner', {
        credits: [{ name: null, skills: null, person: null }],
        imprint: { marks: null, house: null },
        outline: { parts: null },
      }),
      await build('missing', {}),
      await build('null', none),
    ]
    await using service = await openLibrary(database, records)
    const found = (where: Json) => booksFound(service, where)
    assert.equal(await found('{credits: {some: {}}}'), 'inner')
    assert.equal(await found('{credits: {some: {name: {isNull: true}}}}'), 'inner')
    assert.equal(await found('{credits: {some: {skills: {isNull: true}}}}'), 'inner')
    assert.equal(await found('{credits: {some: {NOT: {skills: {hasAny: ["a"]}}}}}'), 'inner')
    assert.equal(await found('{credits: {some: {skills: {hasAll: []}}}}'), '')
    assert.equal(await found('{credits: {some: {person: {isNull: true}}}}'), 'inner')
    assert.equal(await found('{related: {some: {}}}'), '')
    assert.equal(await found('{related: {some: {isNull: true}}}'), '')
    assert.equal(await found('{related: {some: {OR: [{isIndexed: true}, {isNull: true}]}}}'), '')
    assert.equal(await found('{outline: {parts: {some: {}}}}'), '')
    assert.equal(await found('{outline: {parts: {some: {heading: {isNull: true}}}}}'), '')
    assert.equal(await found('{NOT: {outline: {parts: {some: {}}}}}'), 'empty inner missing null')
    assert.equal(await found('{credits: {isNull: true}}'), 'missing null')
    assert.equal(await found('{related: {isNull: false}}'), 'empty')
    assert.equal(await found('{imprint: {marks: {isNull: true}}}'), 'inner')
    assert.equal(await found('{outline: {parts: {isNull: true}}}'), 'empty inner')
    assert.equal(await found('{tags: {hasAll: []}}'), 'empty')
    assert.equal(await found('{NOT: {tags: {has: "a"}}}'), 'empty inner missing null')
    const { groups } = (
      await service.data('{ orgExampleLibraryBookAggregate(groupBy: [tags]) { groups { tags count } } }')
    ).orgExampleLibraryBookAggregate
    assert.deepEqual(groups, [{ tags: null, count: 4 }])
  },
)

onEveryDatabase('an array has all of many values only when each of them is there', async (database) => {
  const build = (rkey: string, elements: readonly string[]) =>
    buildRecord('org.example.library.book', {
      rkey,
      value: { title: rkey, tags: [...elements], credits: [{ name: 'a', skills: [...elements] }] },
    })
  const records = [
    await build('all', ['a', 'b', 'c', 'd', 'e', 'f', 'g']),
    await build('one-is-missing', ['a', 'b', 'c', 'd', 'e', 'g']),
    await build('one-is-doubled', ['a', 'b', 'c', 'd', 'e', 'e']),
    await build('none', []),
  ]
  await using service = await openLibrary(database, records)
  const found = (where: Json) => booksFound(service, where)
  const six = '{hasAll: ["a", "b", "c", "d", "e", "f"]}'
  const doubled = '{hasAll: ["a", "a", "b", "b", "c", "d", "e", "e"]}'
  for (const at of [
    (has: string) => `{tags: ${has}}`,
    (has: string) => `{credits: {some: {skills: ${has}}}}`,
  ]) {
    assert.equal(await found(at(six)), 'all')
    assert.equal(await found(at(doubled)), 'all one-is-doubled one-is-missing')
    assert.equal(await found(`{NOT: ${at(six)}}`), 'none one-is-doubled one-is-missing')
  }
})

onEveryDatabase(
  'a known value of more than 1,000 bytes is shown, and missing to all that is asked, but in arrays',
  async (database) => {
    const [long, short] = ['z'.repeat(1001), 'y'.repeat(1000)]
    const build = (rkey: string, medium: string) =>
      buildRecord('org.example.library.book', {
        rkey,
        value: {
          title: rkey,
          medium,
          imprint: { trade: medium },
          labels: [medium],
          credits: [{ name: 'a', craft: medium }],
          outline: { mood: medium, part: { mood: medium } },
        },
      })
    await using service = await openLibrary(database, [
      await build('long', long),
      await build('short', short),
    ])
    const found = (where: Json, sort?: string) => booksFound(service, where, sort)
    const is = (value: string): string => `{eq: ${JSON.stringify(value)}}`
    for (const inside of [
      (it: string) => `{medium: ${it}}`,
      (it: string) => `{imprint: {trade: ${it}}}`,
      (it: string) => `{outline: {mood: ${it}}}`,
    ]) {
      assert.equal(await found(inside(is(long))), '')
      assert.equal(await found(inside(is(short))), 'short')
      assert.equal(await found(inside('{isNull: true}')), 'long')
    }
    for (const inside of [
      (it: string) => `{credits: {some: {craft: ${it}}}}`,
      (it: string) => `{outline: {part: {mood: ${it}}}}`,
    ]) {
      assert.equal(await found(inside(is(long))), 'long')
      assert.equal(await found(inside('{isNull: true}')), '')
    }
    assert.equal(await found(`{labels: {has: ${JSON.stringify(long)}}}`), 'long')
    assert.equal(await found('{}', 'medium'), 'long short')
    const fields = 'medium labels imprint { trade }'
    const { list, groups } = await service.data(`{
    list: orgExampleLibraryBook(sortBy: [{field: rkey}], first: 1) { nodes { ${fields} } }
    groups: orgExampleLibraryBookAggregate(groupBy: [medium, labels], orderBy: KEY_ASC) { groups { medium labels } }
  }`)
    assert.deepEqual(list.nodes, [{ medium: long, labels: [long], imprint: { trade: long } }])
    assert.deepEqual(groups.groups, [
      { medium: null, labels: long },
      { medium: short, labels: short },
    ])
  },
)

onEveryDatabase(
  'in a reference without a known target AND, OR and NOT combine what is said of the reference',
  async (database) => {
    const person = await buildRecord('org.example.library.person', { rkey: 'p', value: {} })
    await using service = await openLibrary(database, [
      person,
      await build('gone', { mention: { ...refTo(person), uri: `${person.uri}x` }, related: [] }),
      await build('here', { mention: refTo(person) }),
      await build('none', {}),
    ])
    const found = (mention: string) => booksFound(service, `{mention: ${mention}}`)
    assert.equal(await found('{NOT: {isIndexed: true}}'), 'gone none')
    assert.equal(await found('{OR: [{isNull: true}, {isIndexed: true}]}'), 'here none')
    assert.equal(await found('{AND: [{isNull: false}, {NOT: {isCurrent: true}}]}'), 'gone')
    assert.equal(await found('{isNull: false, NOT: {isIndexed: true}}'), 'gone')
    assert.equal(await found('{AND: []}'), 'gone here none')
    assert.equal(await found('{OR: []}'), '')
  },
)
