/** Conditions with long lists: what they hold for, and that PostgreSQL compares no row with all of a list. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../test/reference/shapes.ts'
import { onEveryDatabase, onPostgres } from '../../test/support/store/databases.ts'
import { libraryLexicons } from '../../test/support/records/lexicons.ts'
import { loadCorpus } from '../../test/support/random/property.ts'
import { openTestService } from '../../test/support/service/service.ts'

const book = 'org.example.library.book'

/** Where a list may stand, with what is read from records to have values for it. */
const scalars: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    'shelf genre medium title note page language pages serial publishedAt uri cid did rkey indexedAt'
      .split(' ')
      .map((name) => [name, name]),
  ),
  'imprint city': 'imprint { city }',
  'imprint founded': 'imprint { founded }',
  'author uri': 'author { uri }',
  'author country': 'authorResolved { ... on OrgExampleLibraryPerson { country } }',
  'credits some share': 'credits { share }',
  'credits some name': 'credits { name }',
}
const arrays: Readonly<Record<string, string>> = {
  tags: 'tags',
  labels: 'labels',
  scores: 'scores',
  'imprint marks': 'imprint { marks }',
  'credits some skills': 'credits { skills }',
}

const at = (place: string, condition: Json): Json =>
  place.split(' ').reduceRight((inner, name) => ({ [name]: inner }), condition)

const leaves = (value: Json): readonly Json[] =>
  value !== null && typeof value === 'object'
    ? Object.values(value).flatMap(leaves)
    : value === null
      ? []
      : [value]

/** Every other value that is there, and others of the kind that are not; more than ten. */
function listOf(values: readonly Json[]): readonly Json[] {
  const some = [...new Set(values)].filter((_, index) => index % 2 === 0).slice(0, 40)
  const absent = Array.from({ length: 12 }, (_, index): Json => {
    if (typeof some[0] === 'number') return 900 + index
    return /^\d{4}-\d\d-\d\dT/.test(String(some[0])) ? `1${100 + index}-01-01T00:00:00Z` : `absent ${index}`
  })
  return [...absent, ...some]
}

onEveryDatabase('long lists hold for what they name, wherever they stand', async (database) => {
  await using loaded = await loadCorpus(41, { database })
  const { service, reference } = loaded
  const places = [...Object.entries(scalars), ...Object.entries(arrays)]
  for (const [place, read] of places) {
    const { list } = (await service.data(
      `{ list: orgExampleLibraryBook(first: 100) { nodes { ${read} } } }`,
    )) as Json
    const values = listOf(leaves(list.nodes))
    const operators = place in arrays ? ['hasAny', 'hasAll'] : ['in', 'notIn']
    const wheres = operators.flatMap((operator): Json[] => {
      const where = at(place, { [operator]: values })
      const other = at(place, { [operator]: values.slice(6) })
      return [
        where,
        { NOT: where },
        { OR: [where, { pages: { gt: 300 } }] },
        { AND: [where, { NOT: other }] },
      ]
    })
    for (const where of wheres) {
      const given = { where, sortBy: [{ field: 'uri' }], first: 100 }
      const { list } = (await service.data(
        `query ($where: OrgExampleLibraryBookWhereInput) {
          list: orgExampleLibraryBook(where: $where, sortBy: [{field: uri}], first: 100) { totalCount nodes { uri } } }`,
        { where },
      )) as Json
      const { totalCount, records } = reference.list(book, given)
      const nodes = records.map(({ uri }) => ({ uri }))
      assert.deepEqual(list, { totalCount, nodes }, JSON.stringify(where))
    }
  }
})

onPostgres('PostgreSQL compares no row with all of a long list', async () => {
  await using service = await openTestService({ lexicons: libraryLexicons, database: 'postgres' })
  const texts = Array.from({ length: 100 }, (_, index) => `x${index}`)
  const numbers = texts.map((_, index) => index)
  const wheres: readonly Json[] = [
    { shelf: { notIn: texts } },
    { NOT: { shelf: { in: texts } } },
    { NOT: { pages: { in: numbers } } },
    { language: { in: texts }, pages: { gt: 3 } },
    { tags: { hasAny: texts } },
    { NOT: { tags: { hasAll: texts } } },
    { credits: { some: { name: { in: texts } } } },
    { imprint: { marks: { hasAny: texts } } },
    { cid: { in: texts } },
  ]
  for (const where of wheres)
    for (const fields of ['nodes { uri }', 'totalCount']) {
      const query = `query ($where: OrgExampleLibraryBookWhereInput) { orgExampleLibraryBook(where: $where) { ${fields} } }`
      const { steps } = await service.engine.explain({ query, variables: { where } })
      // Rows that are in the hash may be looked at once more.
      const compared = steps.filter(
        (step) => /Filter:.*(ANY|ALL) \(ARRAY\[/.test(step) && !step.includes('hashed SubPlan'),
      )
      assert.deepEqual(compared, [], JSON.stringify(where))
    }
})

onPostgres('folding a text is part of the statement that it is folded in', async () => {
  await using service = await openTestService({ lexicons: libraryLexicons, database: 'postgres' })
  const query = '{ orgExampleLibraryBook(where: {note: {contains: "x"}}) { totalCount } }'
  const { steps } = await service.engine.explain({ query })
  assert.match(steps.join('\n'), /strpos\(/)
  assert.doesNotMatch(steps.join('\n'), /fold\(/)
})

test('SQLite folds ASCII without a function of ours', async () => {
  await using service = await openTestService({ lexicons: libraryLexicons })
  const query = '{ orgExampleLibraryBook(where: {note: {contains: "x"}}) { totalCount } }'
  const { sql } = await service.engine.explain({ query })
  assert.match(sql ?? '', /iif\(octet_length\(.*\) = length\(.*\), replace\(lower\(.*\), .*\), fold\(/)
})

onPostgres('the URI of a record is made of its own columns', async () => {
  await using service = await openTestService({ lexicons: libraryLexicons, database: 'postgres' })
  const query = '{ orgExampleLibraryBook(where: {uri: {contains: "x"}}) { totalCount } }'
  const { sql } = await service.engine.explain({ query })
  assert.doesNotMatch(sql ?? '', /from base/)
})
