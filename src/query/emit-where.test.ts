import assert from 'node:assert/strict'
import { onEveryDatabase } from '../../test/support/databases.ts'
import { libraryLexicons, libraryReferences } from '../../test/support/lexicons.ts'
import { buildRecord, refTo } from '../../test/support/records.ts'
import { openTestService } from '../../test/support/service.ts'

onEveryDatabase('long lists hold for the same records as short ones', async (database) => {
  const author = await buildRecord('org.example.library.person', { rkey: 'p', value: { name: 'Somebody' } })
  const build = (rkey: string, value: object) =>
    buildRecord('org.example.library.book', { rkey, value: { title: rkey, ...value } })
  const records = [
    await build('a', { tags: ['t1', 't2'], author: refTo(author) }),
    await build('b', { tags: ['t9'] }),
    await build('c', {}),
  ]
  await using service = await openTestService({
    lexicons: libraryLexicons,
    references: libraryReferences,
    records: [author, ...records],
    database,
  })
  const found = async (where: object): Promise<string> => {
    const text = `query ($where: OrgExampleLibraryBookWhereInput) {
      orgExampleLibraryBook(where: $where, sortBy: [{field: rkey}]) { totalCount nodes { rkey } } }`
    const { totalCount, nodes } = (await service.data(text, { where })).orgExampleLibraryBook
    assert.equal(nodes.length, totalCount)
    return nodes.map(({ rkey }: { rkey: string }) => rkey).join('')
  }
  const [a, b] = records.map(({ uri }) => uri)
  const none = Array.from({ length: 150 }, (_, n) => `at://did:plc:nobody/a.b.c/${n}`)
  for (const more of [none.slice(0, 1), none]) {
    assert.equal(await found({ uri: { in: [...more, a, b] } }), 'ab')
    assert.equal(await found({ uri: { notIn: [...more, a] } }), 'bc')
    assert.equal(await found({ author: { uri: { in: [...more, author.uri] } } }), 'a')
    assert.equal(await found({ NOT: { author: { uri: { in: [...more, author.uri] } } } }), 'bc')
    assert.equal(await found({ author: { uri: { notIn: [...more, author.uri] } } }), '')
    assert.equal(await found({ tags: { hasAny: [...more, 't1', 't2'] } }), 'a')
    assert.equal(await found({ NOT: { tags: { hasAny: [...more, 't1'] } } }), 'bc')
    assert.equal(
      await found({ OR: [{ tags: { hasAny: [...more, 't1'] } }, { uri: { in: [b, ...more] } }] }),
      'ab',
    )
  }
})
