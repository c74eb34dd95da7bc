import assert from 'node:assert/strict'
import { onEveryDatabase as test } from '../../test/support/store/databases.ts'
import { libraryLexicons, libraryReferences } from '../../test/support/records/lexicons.ts'
import { buildRecord } from '../../test/support/records/records.ts'
import { sharedService } from '../../test/support/service/service.ts'

const list = 'orgExampleLibraryBook'
const open = sharedService(async () => ({
  lexicons: libraryLexicons,
  references: libraryReferences,
  records: await Promise.all(
    ['en', 'en', 'fr'].map((language, n) =>
      buildRecord('org.example.library.book', {
        rkey: `b${n}`,
        value: { title: `book ${n}`, language, tags: ['a', `b${n}`] },
      }),
    ),
  ),
}))

test('explain says what each facet is read from', async (database) => {
  const service = await open(database)
  const described = async (given: string): Promise<string> =>
    (await service.engine.explain({ query: `{ ${list}${given} { missing } } }` })).plan.join()
  const whole = await described(' { facets(fields: [language])')
  assert.match(whole, /facet language from materialized counts \S*language:count$/)
  const found = await described('(where: {title: {ne: ""}}) { facets(fields: [language, tags])')
  assert.match(found, /facet language from [^;]+, read once for several facets; facet tags from/)
  const own = await described(
    '(where: {language: {eq: "en"}}) { facets(fields: [language, tags], ignoreOwn: true)',
  )
  assert.match(own, /facet language without conditions from materialized counts/)
  assert.match(own, /facet tags from the planner's choice$/)
})

test('facets of which nothing but names is selected read nothing', async (database) => {
  const service = await open(database)
  const query = `{ ${list} { facets(fields: [tags, language]) { field kind: __typename } } }`
  const { sql } = await service.engine.explain({ query })
  assert.doesNotMatch(String(sql), /org\.example/)
  assert.deepEqual((await service.data(query))[list].facets, [
    { field: 'tags', kind: 'Facet' },
    { field: 'language', kind: 'Facet' },
  ])
})

test('facets are asked for with variables, one field without brackets, and nulls for what has a default', async (database) => {
  const service = await open(database)
  const query = `query ($fields: [OrgExampleLibraryBookGroupByField!]!, $limit: Int, $ignoreOwn: Boolean) {
    ${list}(where: {language: {eq: "en"}}) {
      facets(fields: $fields, limit: $limit, ignoreOwn: $ignoreOwn) { values { value count } cut }
      one: facets(fields: language) { values { count } }
    } }`
  const asked = async (variables: Readonly<Record<string, unknown>>) =>
    (await service.data(query, variables))[list]
  const all = [
    {
      values: [
        { value: 'a', count: 2 },
        { value: 'b0', count: 1 },
        { value: 'b1', count: 1 },
      ],
      cut: false,
    },
  ]
  const one = [{ values: [{ count: 2 }] }]
  assert.deepEqual(await asked({ fields: ['tags'], limit: null, ignoreOwn: null }), { facets: all, one })
  assert.deepEqual(await asked({ fields: 'tags' }), { facets: all, one })
  const first = [{ values: [{ value: 'a', count: 2 }], cut: true }]
  assert.deepEqual(await asked({ fields: ['tags'], limit: 1 }), { facets: first, one })
  const both = await asked({ fields: ['language'], ignoreOwn: true })
  assert.deepEqual(both.facets[0].values, [
    { value: 'en', count: 2 },
    { value: 'fr', count: 1 },
  ])
})
