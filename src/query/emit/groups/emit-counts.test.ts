import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEveryDatabase } from '../../../../test/support/store/databases.ts'
import { libraryLexicons, libraryReferences } from '../../../../test/support/records/lexicons.ts'
import { createReference } from '../../../../test/reference/reference.ts'
import { printKey } from '../../../../test/reference/groups/group-fields.ts'
import { literal } from '../../../../test/support/service/graphql-text.ts'
import { buildRecord, refTo } from '../../../../test/support/records/records.ts'
import { openLibrary } from '../../../../test/support/service/library.ts'

const list = 'orgExampleLibraryBook'

onEveryDatabase('what is known of those that are referred to is counted by them', async (database) => {
  const people = await Promise.all(
    ['FR', 'FR', 'DE', null].map((country, n) =>
      buildRecord('org.example.library.person', {
        rkey: `p${n}`,
        value: { name: `Person ${n}`, ...(country !== null && { country }) },
      }),
    ),
  )
  const gone = await buildRecord('org.example.library.person', { rkey: 'gone', value: { name: 'Nobody' } })
  const authors = [...Array.from({ length: 45 }, (_, n) => people[n % 4]), gone, gone, undefined]
  const books = await Promise.all(
    authors.map((author, n) =>
      buildRecord('org.example.library.book', {
        rkey: `b${n}`,
        value: { title: `Book ${n}`, ...(author && { author: refTo(author) }) },
      }),
    ),
  )
  await using service = await openLibrary(database, [...people, ...books])
  const counted = async (query: string) => {
    const data = await service.data(query)
    assert.match(service.opened.lastStatement(), /"org\.example\.library\.book\/\.author:base:count"/, query)
    return data
  }
  const { [`${list}Aggregate`]: found } = await counted(
    `{ ${list}Aggregate(groupBy: [author_country]) { count groupCount groups { author_country count } } }`,
  )
  assert.deepEqual(found, {
    count: 48,
    groupCount: 3,
    groups: [
      { author_country: 'FR', count: 23 },
      { author_country: null, count: 14 },
      { author_country: 'DE', count: 11 },
    ],
  })
  for (const [where, total] of [
    ['author: {country: {eq: "FR"}}', 23],
    ['author: {country: {in: ["FR", "DE"]}, name: {contains: "person 1"}}', 11],
    ['author: {country: {isNull: true}}', 11],
    ['author: {NOT: {country: {eq: "FR"}}}', 22],
    ['author: {name: {contains: "nobody"}}', 0],
  ] as const)
    assert.equal(
      (await counted(`{ ${list}(where: {${where}}) { totalCount } }`))[list].totalCount,
      total,
      where,
    )
})

onEveryDatabase(
  'totals of an account, and of those that refer to one record, are read from counts',
  async (database) => {
    const author = await buildRecord('org.example.library.person', { rkey: 'p', value: { name: 'Somebody' } })
    const accounts = ['did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', 'did:plc:bbbbbbbbbbbbbbbbbbbbbbbb'] as const
    const books = await Promise.all(
      [0, 0, 1].map((account, n) =>
        buildRecord('org.example.library.book', {
          did: accounts[account] ?? '',
          rkey: `b${n}`,
          value: { title: `Book ${n}`, ...(n > 0 && { author: refTo(author) }) },
        }),
      ),
    )
    await using service = await openLibrary(database, [author, ...books])
    for (const [where, total, counts] of [
      [`did: {eq: "${accounts[0]}"}`, 2, 'base'],
      [`did: {in: ["${accounts[0]}", "${accounts[1]}", "did:plc:nobody"]}`, 3, 'base'],
      [`author: {uri: {eq: "${author.uri}"}}`, 2, '.author:base'],
      [`author: {uri: {in: ["${author.uri}", "${author.uri}x"]}}`, 2, '.author:base'],
    ] as const) {
      const { [list]: found } = await service.data(`{ ${list}(where: {${where}}) { totalCount } }`)
      assert.equal(found.totalCount, total, where)
      const statement = service.opened.lastStatement()
      assert.ok(statement.includes(`"org.example.library.book/${counts}:count"`), statement)
      assert.ok(!statement.includes('"org.example.library.book" '), statement)
    }
  },
)

test('references are ranked by how often they occur along an index over their counts', async () => {
  await using service = await openLibrary('sqlite')
  const query = `{ ${list}Aggregate(groupBy: [author], limit: 10) { groups { author count } } }`
  const plan = (await service.engine.explain({ query })).steps.join('\n')
  assert.match(plan, /USING (COVERING )?INDEX org\.example\.library\.book\/\.author:base:count\/n/, plan)
})

onEveryDatabase('records of one code are counted by time along the index of both', async (database) => {
  const moments = [
    '0001-01-01T00:00:00Z',
    '1969-12-31T23:59:59.999999Z',
    '1970-01-01T00:00:00Z',
    '2024-02-29T12:00:00Z',
    '2024-03-01T00:00:00Z',
    '2026-10-01T00:00:00Z',
    '2026-12-31T23:59:59Z',
    '9999-12-31T23:59:59Z',
    null,
  ]
  const records = await Promise.all(
    Array.from({ length: 120 }, (_, n) => {
      // Only English books are of the first and the last moments.
      const language = n % 9 === 0 || n % 9 === 7 ? 'en' : ['en', 'fr', 'en', 'sv'][n % 4]
      const publishedAt = moments[n % moments.length]
      const value = { title: `Book ${n}`, language, ...(publishedAt !== null && { publishedAt }) }
      return buildRecord('org.example.library.book', { rkey: `b${n}`, value })
    }),
  )
  await using service = await openLibrary(database, records)
  const reference = createReference(libraryLexicons, libraryReferences, records)
  const nsid = 'org.example.library.book'
  for (const language of ['en', 'fr'])
    for (const unit of ['day', 'week', 'month', 'quarter', 'year']) {
      const name = `publishedAt_${unit}`
      const where = { language: { eq: language } }
      const { [`${list}Aggregate`]: found } = await service.data(
        `{ ${list}Aggregate(where: {language: {eq: "${language}"}}, denominator: {}, groupBy: [${name}], limit: 1000) { count groups { ${name} count total share } } }`,
      )
      const expected = reference.aggregate(nsid, { where, denominator: {}, groupBy: [name], limit: 1000 })
      const field = reference.groupFields(nsid).find((one) => one.name === name)
      assert.ok(field !== undefined)
      assert.deepEqual(found, {
        count: expected.count,
        groups: expected.groups.map(({ keys, members, total, share }) => ({
          [name]: printKey(field, keys[0]),
          count: members.length,
          total,
          share,
        })),
      })
      if (database === 'sqlite') assert.match(service.opened.lastStatement(), /lead\(lower\)/)
    }
})

onEveryDatabase(
  'groups of most records come from the index of their key, of few from these',
  async (database) => {
    const day = (n: number): string => new Date(Date.UTC(2024, 0, n)).toISOString()
    const books = await Promise.all(
      Array.from({ length: 60 }, (_, n) => {
        const value = { title: `Book ${n}`, publishedAt: day(n), language: ['en', 'fr', 'sv'][n % 3] }
        return buildRecord('org.example.library.book', { rkey: `b${n}`, value })
      }),
    )
    const reviews = await Promise.all(
      Array.from({ length: 500 }, (_, n) => {
        const value = { book: refTo(books[n % 7] as (typeof books)[number]), writtenAt: day(n) }
        return buildRecord('org.example.library.review', { rkey: `r${n}`, value })
      }),
    )
    const records = [...books, ...reviews]
    await using service = await openLibrary(database, records)
    const reference = createReference(libraryLexicons, libraryReferences, records)
    for (const [kind, key, index, ofMany, ofFew] of [
      ['Book', 'language', 'language', { publishedAt: { gte: day(10) } }, { publishedAt: { gte: day(58) } }],
      ['Review', 'book', 'book', { writtenAt: { gte: day(10) } }, { writtenAt: { gte: day(490) } }],
      // Of the records of many targets, from the index of their reference.
      [
        'Review',
        'book',
        'book',
        { book: { language: { eq: 'en' } } },
        { book: { publishedAt: { gte: day(9) } } },
      ],
      [
        'Review',
        'writtenAt_week',
        'book',
        { book: { language: { eq: 'en' } } },
        { book: { language: { eq: 'de' } } },
      ],
      [
        'Review',
        'writtenAt_week',
        'book',
        { book: { language: { eq: 'en' } }, writtenAt: { lt: day(400) } },
        { book: { language: { eq: 'de' } }, writtenAt: { lt: day(400) } },
      ],
    ] as const)
      for (const where of [ofMany, ofFew]) {
        const nsid = `org.example.library.${kind.toLowerCase()}`
        const name = `orgExampleLibrary${kind}Aggregate`
        const { [name]: found } = await service.data(
          `query ($where: OrgExampleLibrary${kind}WhereInput) { ${name}(where: $where, groupBy: [${key}]) { groups { ${key} count } } }`,
          { where },
        )
        const isWhole = new RegExp(`as n from "[^"]*" t1 indexed by "[^"]*\\.${index}`).test(
          service.opened.lastStatement(),
        )
        assert.equal(isWhole, database === 'sqlite' && where === ofMany, JSON.stringify(where))
        const field = reference.groupFields(nsid).find((one) => one.name === key)
        assert.ok(field !== undefined)
        const groups = reference
          .aggregate(nsid, { where, groupBy: [key] })
          .groups.map(({ keys, members }) => ({ [key]: printKey(field, keys[0]), count: members.length }))
        assert.deepEqual(found, { groups })
      }
  },
)

onEveryDatabase(
  'records with a value but without a condition are the difference of two counts',
  async (database) => {
    const books = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        buildRecord('org.example.library.book', {
          rkey: `b${n}`,
          value: { title: `Book ${n % 3}`, language: ['en', 'es'][n % 2], pages: n },
        }),
      ),
    )
    await using service = await openLibrary(database, books)
    const reference = createReference(libraryLexicons, libraryReferences, books)
    const language = { eq: 'en' }
    for (const NOT of [
      { language, pages: { lt: 10 } },
      // Not all of these are in English.
      { pages: { lt: 10 } },
      { pages: { lt: 10 }, title: { contains: '1' } },
      { language: { eq: 'es' }, pages: { lt: 10 } },
    ]) {
      const where = { language, NOT }
      const data = await service.data(`{ ${list}(where: ${literal(where)}) { totalCount } }`)
      const { totalCount } = reference.list('org.example.library.book', { where })
      assert.equal(data[list].totalCount, totalCount, literal(where))
      assert.match(service.opened.lastStatement(), /\/\.language:count"/, literal(where))
    }
  },
)
