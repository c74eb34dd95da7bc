/** `sameUrl` in every place of a web address: in a column, in an object, in an element, and behind a reference. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { literal } from '../support/service/graphql-text.ts'
import { collections } from '../support/records/lexicons.ts'
import { type Loaded, property } from '../support/random/property.ts'
import { urls, writtenUrls } from '../support/random/values/urls.ts'
import type { Json } from '../reference/shapes.ts'
import type { Where } from '../reference/matches.ts'
import { expectedList, wholeList } from '../support/service/whole-list.ts'

const places: readonly (readonly [collection: string, (condition: Json) => Where])[] = [
  [collections.book, (page) => ({ page })],
  [collections.book, (page) => ({ NOT: { page } })],
  [collections.book, (site) => ({ imprint: { site } })],
  [collections.book, (profile) => ({ credits: { some: { profile } } })],
  [collections.book, (site) => ({ author: { site } })],
  [collections.person, (site) => ({ site })],
]

const questions = ({ reference }: Loaded) => {
  const present = [collections.book, collections.person].flatMap((collection) =>
    reference
      .sorted(collection, {})
      .flatMap(({ value }) => [
        value.page,
        value.site,
        value.imprint?.site,
        ...(value.credits ?? []).map((credit: Json) => credit?.profile),
      ])
      .filter((text) => typeof text === 'string'),
  )
  const address = writtenUrls(present)
  const exact = fc.oneof(fc.constantFrom(...present, 'https://example.com'), urls)
  const condition = fc.oneof(
    { weight: 4, arbitrary: address.map((sameUrl) => ({ sameUrl })) },
    { weight: 1, arbitrary: exact.map((eq) => ({ eq })) },
    { weight: 1, arbitrary: fc.array(exact, { minLength: 1, maxLength: 3 }).map((list) => ({ in: list })) },
  )
  return fc.tuple(...places.map(() => condition))
}

property(
  'sameUrl finds the same web addresses and no others',
  questions,
  async ({ reference, service }, conditions) => {
    const asked = places.map(([collection, whereOf], at) => ({ collection, where: whereOf(conditions[at]) }))
    const lists = asked.map(({ collection, where }, at) => {
      const { rootField } = reference.shapes.get(collection)!
      return `l${at}: ${rootField}(first: 100, where: ${literal(where)}) ${wholeList}`
    })
    const data = await service.data(`{ ${lists.join(' ')} }`)
    const expected = asked.map(({ collection, where }, at) => [
      `l${at}`,
      expectedList(reference, collection, { where, sortBy: [], distinctOn: [], first: 100 }),
    ])
    assert.deepEqual(data, Object.fromEntries(expected))
  },
)
