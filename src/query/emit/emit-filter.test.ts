import assert from 'node:assert/strict'
import { onEveryDatabase } from '../../../test/support/store/databases.ts'
import { buildRecord } from '../../../test/support/records/records.ts'
import { booksFound, openLibrary } from '../../../test/support/service/library.ts'

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
    const found = (where: string, sort?: string) => booksFound(service, where, sort)
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
