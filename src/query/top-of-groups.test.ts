/** Groups within groups: how they are read, and that the choice does not change them. */
import assert from 'node:assert/strict'
import { createReference } from '../../test/reference/reference.ts'
import { onEveryDatabase as test } from '../../test/support/store/databases.ts'
import { libraryLexicons, libraryReferences } from '../../test/support/records/lexicons.ts'
import { buildRecord, refTo } from '../../test/support/records/records.ts'
import { sharedService } from '../../test/support/service/service.ts'
import { formatInstant } from '../util/instant.ts'

const aggregate = 'orgExampleLibraryBookAggregate'
const nsid = 'org.example.library.book'

const people = await Promise.all(
  Array.from({ length: 60 }, (_, n) =>
    buildRecord('org.example.library.person', { rkey: `p${n}`, value: { name: `Person ${n}` } }),
  ),
)
/** Most of them by few authors, and many by none. */
const books = await Promise.all(
  Array.from({ length: 200 }, (_, n) => {
    const author = n % 5 === 0 ? undefined : people[n % 3 === 0 ? n % 4 : n % 60]
    const value = {
      title: `Book ${n}`,
      language: ['en', 'fr', 'de'][n % 7] ?? 'it',
      pages: n,
      tags: n % 2 === 0 ? ['a'] : ['a', `b${n % 3}`],
      ...(author && { author: refTo(author) }),
    }
    return buildRecord(nsid, { rkey: `b${n}`, value })
  }),
)
/** Most of them of few books. */
const reviews = await Promise.all(
  Array.from({ length: 120 }, (_, n) => {
    const book = refTo(books[n % 3 === 0 ? n % 4 : n % 50] as (typeof books)[number])
    const writtenAt = n % 8 === 0 ? {} : { writtenAt: `2026-0${1 + (n % 9)}-1${n % 7}T00:00:00Z` }
    return buildRecord('org.example.library.review', {
      rkey: `r${n}`,
      value: { book, stars: n % 6, ...writtenAt },
    })
  }),
)
const records = [...people, ...books, ...reviews]
const open = sharedService(async () => ({
  lexicons: libraryLexicons,
  references: libraryReferences,
  records,
}))
const reference = createReference(libraryLexicons, libraryReferences, records)

const wheres = [{}, { pages: { gte: 20 } }, { pages: { eq: 30 } }, { language: { eq: 'en' } }]

test('groups of an author are the same by the index of authors and by a scan', async (database) => {
  const service = await open(database)
  for (const where of wheres)
    for (const denominator of wheres)
      for (const inner of ['language', 'tags']) {
        const [given, divisor] = [where, denominator].map((one) =>
          JSON.stringify(one).replaceAll(/"(\w+)":/g, '$1: '),
        )
        const { found } =
          await service.data(`{ found: ${aggregate}(where: ${given}, denominator: ${divisor}, groupBy: [author], limit: 3) {
          groups { author count total share top(groupBy: [${inner}], limit: 2) { ${inner} count total share } nodes { uri } } } }`)
        const expected = reference.aggregate(nsid, { where, denominator, groupBy: ['author'], limit: 3 })
        const top = { groupBy: [inner], limit: 2 }
        assert.deepEqual(
          found.groups,
          expected.groups.map((group) => ({
            author: group.keys[0] ?? null,
            count: group.members.length,
            total: group.total,
            share: group.share,
            top: expected.top(group, top).map(({ keys, members, total, share }) => ({
              [inner]: keys[1] ?? null,
              count: members.length,
              total,
              share,
            })),
            nodes: group.members
              .toSorted((a, b) => reference.compare(a, b, []))
              .slice(0, 2)
              .map(({ uri }) => ({ uri })),
          })),
          JSON.stringify({ where, denominator, inner }),
        )
      }
})

test('the records of few groups are found by the index of their reference, if conditions leave many', async (database) => {
  const service = await open(database)
  const described = async (given: string): Promise<string> => {
    const query = `{ ${aggregate}(${given}) { groups { top(groupBy: [language]) { count } nodes { uri } } } }`
    return (await service.engine.explain({ query })).plan.join()
  }
  const byIndex = /from the index \S+author:base\S+ for each group/g
  const usual = await described('groupBy: [author], limit: 3')
  assert.equal(usual.match(byIndex)?.length ?? 0, database === 'sqlite' ? 2 : 0, usual)
  for (const given of [
    'groupBy: [author], limit: 3, where: {pages: {eq: 30}}',
    'groupBy: [author], limit: 50',
    'groupBy: [genre], limit: 3',
  ])
    assert.doesNotMatch(await described(given), byIndex, given)
})

test('the reviews of few books by month come from the index of books alone, in the right number', async (database) => {
  const service = await open(database)
  const ask = (where: string, inner: string): string =>
    `{ found: orgExampleLibraryReviewAggregate(denominator: {}, where: ${where}, groupBy: [book], limit: 3) {
      groups { book share top(groupBy: [${inner}], limit: 2) { ${inner} count } } } }`
  const where = { writtenAt: { gte: '2026-02-01', lt: '2026-09-01' } }
  const given = '{writtenAt: {gte: "2026-02-01", lt: "2026-09-01"}}'
  const expected = reference.aggregate('org.example.library.review', {
    where,
    denominator: {},
    groupBy: ['book'],
    limit: 3,
  })
  const { found } = await service.data(ask(given, 'writtenAt_month'))
  assert.deepEqual(
    found.groups,
    expected.groups.map((group) => ({
      book: group.keys[0],
      share: group.share,
      top: expected.top(group, { groupBy: ['writtenAt_month'], limit: 2 }).map(({ keys, members }) => ({
        writtenAt_month: keys[1] === null ? null : formatInstant(keys[1] as bigint).slice(0, 10),
        count: members.length,
      })),
    })),
  )
  if (database !== 'sqlite') return
  const steps = async (query: string): Promise<string> =>
    (await service.engine.explain({ query })).steps.join('\n')
  const alone = /USING COVERING INDEX \S+\.book:base\+\.book:key \(/
  assert.match(await steps(ask(given, 'writtenAt_month')), alone)
  assert.doesNotMatch(await steps(ask(given, 'stars')), alone)
})

test('denominators of groups are summed from the groups within them, unless these are elements', async (database) => {
  const service = await open(database)
  const described = async (given: string, inner: string): Promise<string> => {
    const query = `{ ${aggregate}(denominator: {}, ${given}) { groups { share top(groupBy: [${inner}]) { share } } } }`
    return (await service.engine.explain({ query })).plan.join()
  }
  const summed = /whose denominators are summed/
  assert.match(await described('groupBy: [author]', 'language'), summed)
  assert.doesNotMatch(await described('groupBy: [author]', 'tags'), summed)
  assert.match(await described('groupBy: [tags]', 'language'), summed)
  const conditions = ['rankBy: {measure: SHARE}', 'having: [{measure: SHARE, operator: GT, value: 0.1}]']
  for (const given of conditions)
    assert.doesNotMatch(await described(`groupBy: [author], ${given}`, 'language'), summed)
})
