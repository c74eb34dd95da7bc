/** Side tables are joined by an index, however few records a condition leaves. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { buildRecord } from '../../test/support/records/records.ts'
import { openLibrary } from '../../test/support/service/library.ts'

const service = await openLibrary('sqlite', [
  await buildRecord('org.example.library.book', { rkey: 'a', value: { title: 'a', tags: ['x', 'y'] } }),
  await buildRecord('org.example.library.book', { rkey: 'b', value: { title: 'b', tags: ['x'] } }),
])
after(() => service[Symbol.asyncDispose]())

const steps = async (query: string): Promise<string> =>
  (await service.engine.explain({ query })).steps.join('\n')

const wheres = [
  '{}',
  '{pages: {eq: 3}}',
  '{genre: {in: ["novel", "essay"]}}',
  '{tags: {has: "x"}}',
  '{tags: {hasAll: ["x", "y"]}}',
  '{author: {name: {eq: "Ann"}}}',
  '{imprint: {open: {eq: true}}}',
]

for (const where of wheres) {
  test(`under ${where} groups of array elements never scan a side table for each record`, async () => {
    for (const aggregate of [
      `(where: ${where}, groupBy: [tags]) { groups { tags count } }`,
      `(where: ${where}, groupBy: [genre], rankBy: {measure: COUNT_DISTINCT, field: tags}) { groups { genre count } }`,
      `(where: ${where}) { countDistinct(field: tags) }`,
    ]) {
      const plan = await steps(`{ orgExampleLibraryBookAggregate${aggregate} }`)
      assert.doesNotMatch(plan, /SCAN t\d+ LEFT-JOIN/, plan)
    }
  })
}

test('a count of distinct elements is not looked for among all groups for each of them', async () => {
  const groups = 'groupBy: [author, tags], rankBy: {measure: COUNT_DISTINCT, field: sources}'
  const plan = await steps(
    `{ orgExampleLibraryBookAggregate(${groups}) { groups { author count countDistinct(field: tags) } } }`,
  )
  assert.doesNotMatch(plan, /CORRELATED/, plan)
})

test('many values of an array are compared with each record, and never searched for once for each of them', async () => {
  const tags = JSON.stringify([...'abcdefgh'])
  for (const where of [
    `{orgExampleLibraryBookViaAuthor: {some: {tags: {hasAny: ${tags}}, pages: {ne: 3, lt: 60}}}}`,
    `{orgExampleLibraryBookViaAuthor: {none: {tags: {hasAny: ${tags}}}}, NOT: {country: {eq: "FR"}, rating: {gt: 1}}}`,
  ]) {
    const plan = await steps(
      `{ orgExampleLibraryPerson(where: ${where}, sortBy: [{field: country}, {field: rating}]) { totalCount nodes { uri } } }`,
    )
    assert.match(plan, /SEARCH t\d+ (EXISTS )?USING (COVERING )?INDEX/, plan)
    assert.doesNotMatch(plan, /AND rowid=/, plan)
  }
  const nested = `orgExampleLibraryBookViaAuthor(where: {tags: {hasAny: ${tags}}}) { nodes { uri } }`
  const plan = await steps(`{ orgExampleLibraryPerson { nodes { ${nested} } } }`)
  assert.doesNotMatch(plan, /AND rowid=/, plan)
})

test('few values of an array are looked up for each record, and the elements of many are read once', async () => {
  const sqlFor = async (tags: string): Promise<string> => {
    const where = `{NOT: {tags: {hasAny: ${JSON.stringify([...tags])}}}}`
    const query = `{ orgExampleLibraryBook(where: ${where}) { totalCount } }`
    return (await service.engine.explain({ query })).sql ?? ''
  }
  assert.match(await sqlFor('abcd'), /exists \(select 1 from "org.example.library.book\/tags"/)
  assert.match(await sqlFor('abcde'), /in \(select id from "org.example.library.book\/tags"/)
})
