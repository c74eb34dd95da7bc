import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Where } from '../reference/matches.ts'
import type { Json } from '../reference/shapes.ts'
import { fold } from '../reference/values.ts'
import { anyCollection, type Loaded, loadCorpus, property } from '../support/random/property.ts'
import { distincts, sorts } from '../support/random/questions.ts'
import { needles } from '../support/random/values/scalars.ts'
import { urls, writtenUrls } from '../support/random/values/urls.ts'
import { wheres } from '../support/random/where.ts'
import { collections } from '../support/records/lexicons.ts'
import { argumentList, literal, sortLiteral } from '../support/service/graphql-text.ts'
import { expectedObject, selectionOf } from '../support/service/selection.ts'
import { expectedList, wholeList } from '../support/service/whole-list.ts'
import { onEveryDatabase as test } from '../support/store/databases.ts'

const { book, person } = collections

/** Lists of a collection under conditions that `wheresOf` draws, in any order and of any size. */
function listProperty(
  sentence: string,
  among: fc.Arbitrary<string>,
  wheresOf: (loaded: Loaded, collection: string) => fc.Arbitrary<Where>,
): void {
  property(
    sentence,
    (loaded) =>
      among.chain((collection) =>
        fc.record({
          collection: fc.constant(collection),
          where: wheresOf(loaded, collection),
          sortBy: sorts(loaded.reference, collection),
          distinctOn: fc.oneof(fc.constant([]), distincts(loaded.reference, collection)),
          first: fc.oneof(fc.constant(100), fc.integer({ min: 0, max: 30 })),
          asVariables: fc.boolean(),
        }),
      ),
    async ({ reference, service }, { collection, where, sortBy, distinctOn, first, asVariables }) => {
      const { rootField, typeName } = reference.shapes.get(collection)!
      const text = asVariables
        ? `query ($where: ${typeName}WhereInput, $sortBy: [${typeName}SortFieldInput!], $distinctOn: [${typeName}DistinctField!], $first: Int) {
         list: ${rootField}(where: $where, sortBy: $sortBy, distinctOn: $distinctOn, first: $first) ${wholeList} }`
        : `{ list: ${rootField}${argumentList({ where: literal(where), sortBy: sortLiteral(sortBy), distinctOn: `[${distinctOn.join(', ')}]`, first: String(first) })} ${wholeList} }`
      const variables = asVariables ? { where, sortBy, distinctOn, first } : undefined
      const { list } = await service.data(text, variables)
      assert.deepEqual(list, expectedList(reference, collection, { where, sortBy, distinctOn, first }))
    },
    50,
  )
}

listProperty(
  'a list has the records, order, total and page bounds that the reference evaluator finds',
  anyCollection,
  ({ reference }, collection) => wheres(reference, collection),
)

const textFields = ['title', 'blurb', 'note', 'shelf', 'rkey'] as const

listProperty(
  'a needle of any length and script is found where the folded texts have it, in one field or in either of two',
  fc.constant(book),
  ({ reference }) => {
    const written = reference
      .sorted(book, {})
      .flatMap(({ value }) => textFields.map((field) => value[field]))
      .filter((text) => typeof text === 'string')
    const operator = fc.constantFrom('contains', 'contains', 'startsWith')
    const needle = needles([...written, ...written.map(fold)])
    const one = fc
      .tuple(fc.constantFrom(...textFields), operator, needle)
      .map(([field, by, text]) => ({ [field]: { [by]: text } }))
    return fc.oneof(
      one,
      fc.tuple(one, one).map((OR) => ({ OR })),
    )
  },
)

/** In a column, in an object, in an element, and behind a reference. */
const addresses: Readonly<Record<string, readonly ((condition: Json) => Where)[]>> = {
  [book]: [
    (page) => ({ page }),
    (page) => ({ NOT: { page } }),
    (site) => ({ imprint: { site } }),
    (profile) => ({ credits: { some: { profile } } }),
    (site) => ({ author: { site } }),
  ],
  [person]: [(site) => ({ site })],
}

listProperty(
  'sameUrl finds the same web addresses and no others',
  fc.constantFrom(book, book, book, person),
  ({ reference }, collection) => {
    const present = [book, person]
      .flatMap((nsid) => reference.sorted(nsid, {}))
      .flatMap(({ value: { page, site, imprint, credits } }) => [
        page,
        site,
        imprint?.site,
        ...(credits ?? []).map((credit: Json) => credit?.profile),
      ])
      .filter((text) => typeof text === 'string')
    const exact = fc.oneof(fc.constantFrom(...present, 'https://example.com'), urls)
    const condition = fc.oneof(
      { weight: 4, arbitrary: fc.record({ sameUrl: writtenUrls(present) }) },
      { weight: 1, arbitrary: fc.record({ eq: exact }) },
      { weight: 1, arbitrary: fc.record({ in: fc.array(exact, { minLength: 1, maxLength: 3 }) }) },
    )
    return fc.tuple(fc.constantFrom(...(addresses[collection] ?? [])), condition).map(([at, one]) => at(one))
  },
)

test('every property comes back as it was published', async (database) => {
  await using loaded = await loadCorpus(7, { database })
  const { reference, service } = loaded
  for (const shape of reference.shapes.values()) {
    const data = await service.data(`{ list: ${shape.rootField}(first: 100, sortBy: [{field: uri}]) { nodes {
      uri cid rev did rkey collection recordJson ${selectionOf(shape.fields)} } } }`)
    const expected = reference.sorted(shape.nsid, { sortBy: [{ field: 'uri' }] }).map((record) => ({
      uri: record.uri,
      cid: record.cid,
      rev: record.rev ?? null,
      did: record.did,
      rkey: record.rkey,
      collection: record.collection,
      recordJson: record.value,
      ...expectedObject(reference, shape.fields, record.value),
    }))
    assert.deepEqual(data.list.nodes, expected)
  }
})
