/** Conditions on other records within conditions on other records: what they hold for, and how much is read for it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sample } from 'fast-check'
import pg from 'pg'
import type { ColumnValue } from '../database/database.ts'
import type { Json } from '../../test/reference/shapes.ts'
import { onEveryDatabase, onPostgres } from '../../test/support/store/databases.ts'
import { libraryLexicons, libraryReferences } from '../../test/support/records/lexicons.ts'
import { newsLexicons } from '../../test/golden/corpora.ts'
import { freshDatabase } from '../../test/support/store/postgres.ts'
import { loadCorpus } from '../../test/support/random/property.ts'
import { rounds, seed, someForms } from '../../test/support/rounds.ts'
import { wheres } from '../../test/support/random/where.ts'
import { buildRecord, refTo } from '../../test/support/records/records.ts'
import { openTestService } from '../../test/support/service/service.ts'

const [person, book, review] = ['person', 'book', 'review'].map((name) => `org.example.library.${name}`) as [
  string,
  string,
  string,
]
const [viaAuthor, viaBook] = ['orgExampleLibraryBookViaAuthor', 'orgExampleLibraryReviewViaBook'] as const

/** Where a record leads to others: by a reference of its own, or by those that refer to it. */
const ways: Readonly<Record<string, readonly (readonly [field: string, to: string])[]>> = {
  [person]: [[viaAuthor, book]],
  [book]: [
    ['author', person],
    [viaBook, review],
  ],
  [review]: [['book', book]],
}

const own: Readonly<Record<string, Json>> = {
  [person]: { role: { eq: 'critic' } },
  [book]: { pages: { gt: 100 } },
  [review]: { stars: { gte: 3 } },
}

const everyRecord = [{}]

/** All conditions of so many levels; of what is asked at their end, all records or some of them. */
function nested(
  collection: string,
  levels: number,
  last = [...everyRecord, own[collection]],
): readonly Json[] {
  if (levels === 0) return last
  return (ways[collection] ?? []).flatMap(([field, to]) =>
    nested(to, levels - 1, last === everyRecord ? last : undefined).flatMap((inner): readonly Json[] =>
      field.includes('Via')
        ? [{ [field]: { some: inner } }, { [field]: { none: inner } }]
        : [{ [field]: inner }, { NOT: { [field]: inner } }],
    ),
  )
}

const rootField = (collection: string): string =>
  collection.replaceAll(/\.(\w)/g, (_, letter: string) => letter.toUpperCase())

onEveryDatabase('conditions on other records hold for the same at any depth', async (database) => {
  for (const loading of someForms([0, 1, 2, 3, 4], database === 'sqlite' ? 5 : 2)) {
    await using loaded = await loadCorpus(23, { database, loading })
    for (const collection of [person, book, review]) {
      const wheres = [1, 2, 3].flatMap((levels) => nested(collection, levels))
      for (const where of wheres.filter((_, index) => index % 5 === loading)) {
        const root = rootField(collection)
        const text = `query ($where: ${root.replace('o', 'O')}WhereInput) {
          list: ${root}(where: $where, sortBy: [{field: uri}], first: 100) { totalCount nodes { uri } } }`
        const { list } = await loaded.service.data(text, { where })
        const expected = loaded.reference.sorted(collection, { where, sortBy: [{ field: 'uri' }] })
        const uris = expected.map(({ uri }) => ({ uri }))
        assert.deepEqual(list, { totalCount: uris.length, nodes: uris }, JSON.stringify(where))
      }
    }
  }
})

test('SQLite compares a row with no list from end to end', async () => {
  await using service = await openTestService({ lexicons: libraryLexicons, references: libraryReferences })
  const loops = async (where: string): Promise<number> => {
    const query = `{ orgExampleLibraryBook(where: ${where}, first: 1) { nodes { uri } } }`
    const { sql, values } = await service.engine.explain({ query })
    const statement = { text: `explain ${sql}`, values: values as readonly ColumnValue[] }
    const program = await Array.fromAsync(service.opened.database.read.readRows(statement))
    return program.filter(({ opcode }) => opcode === 'Next' || opcode === 'Prev').length
  }
  const inner = `{${viaBook}: {some: {stars: {gte: 0}}}}`
  const wheres = (found: string) => [
    `{author: {${viaAuthor}: {some: ${found}}}}`,
    `{author: {OR: [{role: {eq: "critic"}}, {${viaAuthor}: {some: ${found}}}]}}`,
    `{author: {AND: [{role: {ne: "critic"}}, {${viaAuthor}: {some: ${found}}}]}}`,
  ]
  const [positive, negative] = [wheres(inner), wheres(`{NOT: ${inner}}`)]
  for (const [index, where] of negative.entries())
    assert.equal(await loops(where), await loops(positive[index] ?? ''), where)
})

const searched: Readonly<Record<string, readonly Json[]>> = {
  [person]: [{ name: { matches: 'a* OR b' } }],
  [book]: [{ title: { matches: 'a' } }, { NOT: { title: { matches: 'a -b*' } } }],
  [review]: [{ text: { matches: '"a b"' } }],
}

/** Whether a step of SQLite's plan looks a list up for each row of another one; what precedes or follows it says so. */
function isListForEach(steps: readonly string[], at: number): boolean {
  const depthOf = (step: string): number => step.search(/\S/)
  const isRead = (step: string): boolean => /^ *(SEARCH|SCAN) /.test(step)
  const depth = depthOf(steps[at] ?? '')
  const before = steps.slice(0, at).findLast((step) => depthOf(step) <= depth) ?? ''
  const isInner = depthOf(before) === depth ? isRead(before) : before.includes('CORRELATED')
  const after = steps.slice(at + 1)
  const next = after.findIndex((step) => depthOf(step) < depth || (depthOf(step) === depth && isRead(step)))
  const own = after.slice(0, next === -1 ? undefined : next).filter((step) => depthOf(step) === depth)
  return isInner && own.some((step) => step.includes('LIST SUBQUERY'))
}

test('SQLite finds a row of another by their link alone, under every condition', async () => {
  await using loaded = await loadCorpus(seed)
  const holds = async (root: string, of: string, fields: string, where: Json): Promise<void> => {
    const query = `query ($where: ${rootField(of).replace('o', 'O')}WhereInput) { ${root} ${fields} }`
    const { steps } = await loaded.service.engine.explain({ query, variables: { where } })
    // The third column would be looked up once for each element of a list, for each row around.
    const found = steps.find(
      (step, at) => /INDEX \S+ \(\S+=\? AND \S+=\? AND (row)?id=\?\)/.test(step) && isListForEach(steps, at),
    )
    assert.equal(found, undefined, `${query} ${JSON.stringify(where)}`)
  }
  for (const [collection, leads] of Object.entries(ways)) {
    const root = rootField(collection)
    const conditions = [...sample(wheres(loaded.reference, collection, 3), { seed, numRuns: 40 * rounds() })]
    for (const [field, to] of leads)
      for (const where of searched[to] ?? []) {
        const isReverse = field.includes('Via')
        for (const each of isReverse ? [{ some: where }, { none: where }] : [where])
          conditions.push({ [field]: each }, { NOT: { [field]: each } })
        const nested = `{ nodes { ${field}(where: $where) { totalCount nodes { uri } } } }`
        if (isReverse) await holds(root, to, nested, where)
      }
    for (const where of conditions) {
      await holds(`${root}(where: $where)`, collection, '{ totalCount nodes { uri } }', where)
      await holds(`${root}Aggregate(where: $where)`, collection, '{ count }', where)
    }
  }
})

onPostgres('PostgreSQL keeps what inner conditions hold for in a hash, and joins nothing', async () => {
  await using database = await freshDatabase()
  // A hash of 4,000 rows does not fit into twice as much, which is what a server gives by itself.
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(`alter database ${new URL(database.url).pathname.slice(1)} set work_mem = '64kB'`)
  const author = await buildRecord(person, { rkey: 'p', value: {} })
  const one = await buildRecord(book, { rkey: 'b', value: { title: 'a book', author: refTo(author) } })
  const reviews = await Promise.all(
    Array.from({ length: 4_000 }, (_, index) =>
      buildRecord(review, { rkey: `r${index}`, value: { book: refTo(one), stars: index % 6 } }),
    ),
  )
  await using service = await openTestService({
    lexicons: libraryLexicons,
    references: libraryReferences,
    records: [author, one, ...reviews],
    database: new URL(database.url),
  })
  await client.query('analyze')
  await client.end()
  for (const collection of [person, book, review]) {
    for (const where of [2, 3].flatMap((levels) => nested(collection, levels, everyRecord))) {
      const root = rootField(collection)
      const query = `query ($where: ${root.replace('o', 'O')}WhereInput) { ${root}(where: $where, first: 1) { nodes { uri } } }`
      const { steps } = await service.engine.explain({ query, variables: { where } })
      const plan = steps.join('\n')
      assert.doesNotMatch(plan, /\(SubPlan \d+\)\.col|Join Filter: \(\(/, `${JSON.stringify(where)}\n${plan}`)
    }
  }
})

test('referring records are found through the index of their link, with any other condition', async () => {
  const { documents: lexicons, references } = newsLexicons
  await using service = await openTestService({ lexicons, references })
  for (const condition of ['model: {eq: "a"}', 'language: {eq: "en"}', 'impactLevel: {gt: 3}']) {
    const where = `{techServiceNewsEnrichmentViaArticle: {some: {${condition}}}}`
    for (const key of ['source_country', 'source_createdAt_year', 'language']) {
      const query = `{ techServiceNewsArticleAggregate(where: ${where}, groupBy: [${key}]) { groups { count } } }`
      const plan = (await service.engine.explain({ query })).steps.join('\n')
      assert.match(plan, /EXISTS USING (COVERING )?INDEX \S+\/\.article:base/, plan)
    }
  }
})
