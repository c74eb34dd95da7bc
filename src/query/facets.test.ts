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
