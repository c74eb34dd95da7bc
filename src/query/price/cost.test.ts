import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { getIntrospectionQuery } from 'graphql'
import { libraryLexicons, libraryReferences } from '../../../test/support/records/lexicons.ts'
import { costTests, createPlanner } from '../../../test/support/store/plans.ts'
import { encodeCursor } from '../../util/cursor.ts'
import { costOf, sizeOf } from './cost.ts'
import { weights } from './cost-weights.ts'

const list = 'orgExampleLibraryBook'
const reverse = 'orgExampleLibraryBookViaAuthor'
const total = `${list}(where: $where) { totalCount }`
const fragment = (name: string): string =>
  `fragment ${name} on OrgExampleLibraryBookConnection { nodes { uri } }`
/** How much each is, docs/limits.md says; here is what counts when. */
const {
  written: perWritten,
  total: perTotal,
  adjacent,
  lookup,
  compared,
  scan,
  join,
  words,
  text,
  linked,
  word,
} = weights
const planned = createPlanner(libraryLexicons, libraryReferences)
const size = (text: string, variables?: object): number => sizeOf(planned(text, { ...variables }))

const costs = costTests(planned)

costs('a page costs its list, and for each record one and its values', [
  [`{ ${list} { nodes { title } } }`, 20 + 1 + 20 * (1 + 1)],
  [`{ ${list}(first: 100) { nodes { uri title } pageInfo { endCursor } } }`, 20 + 1 + 1 + 100 * 3],
  [`{ ${list}(last: 10) { edges { cursor node { title } } } }`, 20 + 1 + 10 * (1 + 1 + 2)],
  [`{ a: ${list} { nodes { uri } } b: ${list} { nodes { uri } } }`, 2 * (20 + 1 + 20 * 2)],
  [`{ ${list} { nodes { a: title b: title imprint { city } } } }`, 20 + 1 + 20 * (1 + 2 + 2)],
])

test('the document’s own cost is independent of records and page sizes', () => {
  const written = (text: string, variables?: object): number => planned(text, { ...variables }).written
  assert.equal(written('{ __typename }'), 1)
  assert.equal(size('{ __typename }'), perWritten + 1)
  assert.equal(written(`{ ${list}(first: 100) { nodes { uri title } totalCount } }`), 5)
  // Twice, though it is printed once, and also where it is left out.
  assert.equal(written(`{ ${list} { ...F ...G } } ${['F', 'G'].map(fragment).join(' ')}`), 1 + 2 * 2)
  assert.equal(written(`{ ${list} { nodes { uri title @skip(if: true) } } }`), 4)
  // The object of the `where` and an operator; objects alone, with a variable; and the same of a variable.
  assert.equal(written(`{ ${list}(where: {title: {eq: "a"}}) { totalCount } }`), 2 + 2)
  assert.equal(
    written(`query ($t: String) { ${list}(where: {OR: [{title: {eq: $t}}, {}]}) { totalCount } }`, {
      t: 'a',
    }),
    2 + 3 + 1,
  )
  const where = { OR: [{ title: { eq: 'a' } }, {}] }
  const query = `query ($where: OrgExampleLibraryBookWhereInput) { a: ${total} b: ${total} }`
  assert.equal(written(query, { where }), 4 + 2 * 4)
})

costs('references and arrays of objects cost more than values', [
  [
    `{ ${list} { nodes { authorResolved { ... on OrgExampleLibraryPerson { name } } } } }`,
    21 + 20 * (1 + 5 + 2),
  ],
  [`{ ${list} { nodes { author { isCurrent } } } }`, 21 + 20 * (1 + 1 + 5)],
  [`{ ${list} { nodes { tags } } }`, 21 + 20 * 2],
  [`{ ${list} { nodes { recordJson } } }`, 21 + 20 * (1 + 20)],
  [`{ ${list} { nodes { extra } } }`, 21 + 20 * (1 + 20)],
  [`{ ${list} { nodes { edition { ... on UnknownObject { type value } } } } }`, 21 + 20 * (1 + 1 + 1 + 20)],
  [`{ ${list} { nodes { credits { share } } } }`, 21 + 20 * (1 + 5 * 2)],
  [`{ ${list}ByUri(uri: "at://did:plc:a/b.c.d/e") { title } }`, 5 + 2],
])

costs('a list within records costs once for each record', [
  [
    `{ orgExampleLibraryPerson(first: 10) { nodes { ${reverse}(first: 5) { nodes { title } } } } }`,
    21 + 10 * (1 + 21 + 5 * 2),
  ],
  [
    `{ orgExampleLibraryPerson(first: 10) { nodes { ${reverse} { totalCount } } } }`,
    21 + 10 * (1 + 20 + perTotal / linked),
  ],
  [
    `{ orgExampleLibraryPerson(first: 10) { nodes { ${reverse}(where: {note: {contains: "a"}}) { totalCount } } } }`,
    21 + 10 * (1 + 20 + (perTotal + scan + join) / linked),
  ],
])

costs('a search of all collections reads a page of each, and prints the costliest of them', [
  [
    '{ search(text: "a b", first: 10) { nodes { uri } pageInfo { hasNextPage } } }',
    4 * (lookup + lookup + 2 * word) + 20 + 1 + 1 + 10 * 2,
  ],
  [
    '{ search(text: "title:a", first: 10) { nodes { uri ... on OrgExampleLibraryBook { note } } } }',
    lookup + lookup + word + 20 + 1 + 10 * 3,
  ],
  [
    '{ search(text: " ", first: 10) { edges { node { uri ... on OrgExampleLibraryBook { tags note } } } } }',
    20 + 1 + 10 * (1 + 4),
  ],
])

const page = 21 + 20 * 2
const where = (condition: string, sort = ''): string =>
  `{ ${list}(where: {${condition}}${sort}) { nodes { uri } } }`
const byDate = ', sortBy: [{field: publishedAt}]'

costs('a filter costs by whether an index leads to its records in order, or at all', [
  [where(''), page],
  [where('language: {eq: "en"}'), page + adjacent],
  [where('tags: {has: "a"}'), page + adjacent],
  [where('author: {uri: {eq: "at://did:plc:a/b.c.d/e"}}'), page + adjacent],
  [where('indexedAt: {gte: "2026-01-01"}'), page + adjacent],
  [where('publishedAt: {gte: "2026-01-01", lt: "2027-01-01"}', byDate), page + adjacent],
  [where('language: {eq: "en"}, publishedAt: {gte: "2026-01-01"}', byDate), page + adjacent],
  [where('language: {eq: "en"}', byDate), page + adjacent],
  [where('pages: {gt: 100}'), page + lookup],
  [where('language: {in: ["en", "fr"]}'), page + lookup + 2 * perWritten],
  [where('title: {contains: "a"}'), page + lookup + lookup],
  [where('genre: {eq: "novel"}', byDate), page + scan + lookup + adjacent],
  [where('language: {ne: "en"}'), page + scan + adjacent],
  [where('language: {eq: "en"}, pages: {gt: 100}'), page + scan + 2 * adjacent],
  [where('OR: [{title: {contains: "a"}}, {blurb: {startsWith: "a"}}]'), page + scan + 2 * lookup],
  [where('note: {contains: "a"}'), page + scan + join],
  [where('title: {eq: "a"}'), page + lookup + lookup],
  [where('title: {in: ["a"]}'), page + scan + compared + perWritten],
  [where('cid: {eq: "a"}'), page + scan + words],
  [where('uri: {eq: "at://did:plc:a/b.c.d/e"}'), page + adjacent],
  [
    where('uri: {in: ["at://did:plc:a/b.c.d/e", "at://did:plc:a/b.c.d/f"]}'),
    page + adjacent + 2 * perWritten,
  ],
  [where('uri: {eq: "at://did:plc:a/b.c.d/e"}', byDate), page + adjacent + perWritten],
  [where('uri: {eq: "at://did:plc:a/b.c.d/e"}, cid: {eq: "a"}'), page + adjacent + perWritten + words],
  [where('uri: {ne: "at://did:plc:a/b.c.d/e"}'), page + scan + compared + perWritten],
  [
    where('author: {uri: {in: ["at://did:plc:a/b.c.d/e", "at://did:plc:a/b.c.d/f"]}}'),
    page + lookup + 2 * perWritten,
  ],
  [where('did: {eq: "did:plc:a"}'), page + lookup],
  [where('did: {in: ["did:plc:a", "did:plc:b"]}'), page + lookup + 2 * perWritten],
  [where('did: {gt: "did:plc:a"}'), page + scan + compared],
  [where('blurb: {isNull: true}'), page + scan + adjacent],
  [`{ ${list}(first: 0, where: {note: {contains: "a"}}) { nodes { uri } } }`, 20 + 1],
  [where('shelf: {in: ["a", "b"]}'), page + lookup + 2 * perWritten],
  [where('shelf: {gt: "a"}'), page + scan + compared],
  [where('author: {isIndexed: true}'), page + scan + join + compared],
  [where('did: {eq: "did:plc:a"}', byDate), page + scan + lookup + compared],
  [where('did: {ne: "did:plc:a"}'), page + scan + compared],
  [where('author: {country: {eq: "FR"}}'), page + scan + join + adjacent],
  [where('author: {isCurrent: true}'), page + scan + text],
  [where('credits: {some: {name: {eq: "a"}}}'), page + scan + join + 2 * compared],
  [where('orgExampleLibraryReviewViaBook: {none: {}}'), page + scan + join],
])

const cursor = encodeCursor(`${list} indexedAt desc`, JSON.stringify(['0', 'a', 'did:plc:a']))
const behind = (after: string) =>
  `{ ${list}(where: {language: {eq: "en"}}${after}) { nodes { uri } pageInfo { hasPreviousPage } } }`

costs('behind a cursor, a look at what precedes the page costs as much as the page', [
  [behind(''), page + 1 + adjacent],
  [behind(`, after: "${cursor}"`), page + 1 + 2 * adjacent],
])

costs('an order costs when no index gives it', [
  [`{ ${list}(sortBy: [{field: pages}]) { nodes { uri } } }`, page],
  [`{ ${list}(sortBy: [{field: language}]) { nodes { uri } } }`, page + join],
  [`{ ${list}(sortBy: [{field: uri}]) { nodes { uri } } }`, page + join],
  [`{ ${list}(sortBy: [{field: imprint_founded}]) { nodes { uri } } }`, page + join],
  [`{ ${list}(sortBy: [{field: pages}, {field: shelf}]) { nodes { uri } } }`, page + compared],
])

costs('a total is a reading of its own', [
  [`{ ${list} { totalCount } }`, 20 + perTotal],
  [`{ ${list}(where: {language: {eq: "en"}}) { totalCount } }`, 20 + perTotal + lookup],
  [`{ ${list}(where: {title: {contains: "a"}}) { totalCount } }`, 20 + perTotal + scan + lookup],
  [`{ ${list}(where: {note: {contains: "a"}}) { totalCount } }`, 20 + perTotal + scan + join],
  [
    `{ ${list}(where: {note: {contains: "a"}}) { totalCount nodes { uri } } }`,
    page + perTotal + 2 * (scan + join),
  ],
  [`{ ${list}Aggregate { count } }`, perTotal],
])

const grouped = (by: string, fields: string, limit = 10): string =>
  `{ ${list}Aggregate(groupBy: [${by}], limit: ${limit}) { ${fields} } }`

costs('groups cost by what they are by and what is measured of them, each measure once', [
  [grouped('language', 'groups { language count }'), lookup + 10 * 3],
  [grouped('language', 'count groups { count }'), lookup + 10 * 2],
  [grouped('language', 'count'), perTotal],
  [grouped('language, publishedAt_day', 'groups { count }'), scan + lookup + compared + 20],
  [grouped('author_country', 'groups { count }'), lookup + join + 20],
  [grouped('title', 'groups { count }'), scan + text + 20],
  [grouped('tags', 'groups { count }'), scan + scan + 20],
  [grouped('tags, sources', 'groups { count }'), scan + lookup + 3 * scan + 20],
  [grouped('language', 'groups { avg { pages } max { pages } }'), scan + 2 * lookup + 10 * 5],
  [grouped('language', 'groups { avg { a: pages b: pages } }'), scan + lookup + 10 * 4],
  [grouped('language', 'groups { countDistinct(field: author) }'), scan + join + 20],
  [grouped('language', 'groups { countDistinct(field: tags) }'), 2 * scan + join + scan + lookup + 20],
  [grouped('language', 'avg { pages }'), scan + lookup],
  [
    grouped('author', 'groups { authorResolved { ... on OrgExampleLibraryPerson { name } } }'),
    lookup + 10 * (1 + 5 + 2),
  ],
])

costs('the state of the index costs a total of each collection, up to a bound', [
  ['{ indexStatus { collections { name records } } }', 20 + 4 * (2 + perTotal)],
  ['{ indexStatus { sources { name } } }', 20],
])

test('points are thousands of the size, rounded up, and at least one', () => {
  assert.equal(costOf(planned('{ __typename }')), 1)
  assert.equal(costOf(planned(grouped('language', 'groups { count }'))), 6)
})

test('a page of twenty with what its records refer to is a point, however many of its fields are asked for', () => {
  const fields = 'uri cid did rkey indexedAt title blurb language genre publishedAt pages tags'
  const author = 'authorResolved { ... on OrgExampleLibraryPerson { name country } }'
  assert.equal(
    costOf(planned(`{ ${list} { nodes { ${fields} ${author} } pageInfo { hasNextPage endCursor } } }`)),
    1,
  )
})

test('introspection costs what it prints, and all tools fit into any tier', () => {
  assert.equal(size('{ __type(name: "Query") { name kind } }'), 3 * perWritten + 3)
  const whole = costOf(planned(getIntrospectionQuery()))
  assert.ok(whole > 1 && whole <= 100, `${whole} points`)
})

test('the cost never falls when anything is added to a document', () => {
  const selections = [
    'nodes { uri title }',
    'edges { cursor node { tags } }',
    'pageInfo { hasNextPage hasPreviousPage }',
    'totalCount',
    'more: totalCount',
    'facets(fields: [language, tags], ignoreOwn: true) { values { count } }',
    'others: facets(fields: [author_country, pages]) { missing }',
    `nodes { authorResolved { ... on OrgExampleLibraryPerson { name ${reverse}(first: 3) { totalCount nodes { uri } } } } }`,
  ]
  const conditions = [
    'language: {eq: "en"}',
    'publishedAt: {gt: "2020-01-01"}',
    'indexedAt: {gt: "2020-01-01"}',
    'title: {contains: "a"}',
    'tags: {hasAny: ["a", "b", "c"]}',
    'note: {startsWith: "a"}',
    'author: {country: {in: ["FR", "DE"]}, isCurrent: true}',
    'credits: {some: {name: {eq: "a"}}}',
    'OR: [{pages: {gt: 1}}, {NOT: {pages: {lt: 1}}}]',
  ]
  const sorts = ['', 'sortBy: [{field: publishedAt}]', 'sortBy: [{field: language}, {field: uri}]']
  const measures = [
    'count',
    'groups { count }',
    'groups { avg { pages } }',
    'avg { pages }',
    'groupCount',
    'countDistinct(field: tags)',
  ]
  const keys = ['language', 'author_country', 'tags', 'title', 'publishedAt_day']
  const grows = (parts: readonly string[]) =>
    fc.tuple(fc.subarray([...parts]), fc.subarray([...parts])).map(([some, more]) => {
      const all = parts.filter((part) => some.includes(part) || more.includes(part))
      return [some, all] as const
    })
  const text = (fields: readonly string[], conditions: readonly string[], sort: string, first: number) =>
    `{ __typename a: ${list}(first: ${first}, where: {${conditions.join(', ')}} ${sort}) { __typename ${fields.join(' ')} } }`
  const lists = fc.record({
    fields: grows(selections),
    where: grows(conditions),
    sort: fc.constantFrom(...sorts),
    first: fc.tuple(fc.nat(100), fc.nat(100)),
  })
  fc.assert(
    fc.property(lists, ({ fields, where, sort, first: [first, more] }) => {
      assert.ok(
        size(text(fields[0], where[0], sort, first)) <= size(text(fields[1], where[1], sort, first + more)),
      )
    }),
  )
  const aggregate = (
    by: readonly string[],
    fields: readonly string[],
    where: readonly string[],
    limit: number,
  ) =>
    `{ ${list}Aggregate(groupBy: [${by.join(', ')}], where: {${where.join(', ')}}, limit: ${limit}) { __typename ${fields.join(' ')} } }`
  const groups = fc.record({
    by: grows(keys),
    fields: grows(measures),
    where: grows(conditions),
    limit: fc.tuple(fc.nat(100), fc.nat(100)),
  })
  fc.assert(
    fc.property(groups, ({ by, fields, where, limit: [limit, more] }) => {
      assert.ok(
        size(aggregate(by[0], fields[0], where[0], limit)) <=
          size(aggregate(by[1], fields[1], where[1], limit + more)),
      )
    }),
  )
})
