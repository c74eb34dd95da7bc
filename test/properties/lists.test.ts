import assert from 'node:assert/strict'
import fc from 'fast-check'
import { fold } from '../reference/values.ts'
import { onEveryDatabase as test } from '../support/store/databases.ts'
import { argumentList, literal, sortLiteral } from '../support/service/graphql-text.ts'
import { collections } from '../support/records/lexicons.ts'
import { anyCollection, type Loaded, loadCorpus, property } from '../support/random/property.ts'
import { distincts, sorts } from '../support/random/questions.ts'
import { needles } from '../support/random/values/scalars.ts'
import { expectedObject, selectionOf } from '../support/service/selection.ts'
import { wheres } from '../support/random/where.ts'
import { expectedList, wholeList } from '../support/service/whole-list.ts'

const listQuestions = ({ reference }: Loaded) =>
  anyCollection.chain((collection) =>
    fc.record({
      collection: fc.constant(collection),
      where: wheres(reference, collection),
      sortBy: sorts(reference, collection),
      distinctOn: fc.oneof(fc.constant([]), distincts(reference, collection)),
      first: fc.oneof(fc.constant(100), fc.integer({ min: 0, max: 30 })),
      asVariables: fc.boolean(),
    }),
  )

property(
  'a list has the records, order, total and page bounds that the plain evaluator finds',
  listQuestions,
  async (loaded, question) => {
    const { reference, service } = loaded
    const { collection, where, sortBy, distinctOn, first, asVariables } = question
    const { rootField, typeName } = reference.shapes.get(collection)!
    const text = asVariables
      ? `query ($where: ${typeName}WhereInput, $sortBy: [${typeName}SortFieldInput!], $distinctOn: [${typeName}DistinctField!], $first: Int) {
         list: ${rootField}(where: $where, sortBy: $sortBy, distinctOn: $distinctOn, first: $first) ${wholeList} }`
      : `{ list: ${rootField}${argumentList({ where: literal(where), sortBy: sortLiteral(sortBy), distinctOn: `[${distinctOn.join(', ')}]`, first: String(first) })} ${wholeList} }`
    const { list } = await service.data(text, asVariables ? { where, sortBy, distinctOn, first } : undefined)

    assert.deepEqual(list, expectedList(reference, collection, { where, sortBy, distinctOn, first }))
  },
  50,
)

const plainQuestions = ({ reference }: Loaded) =>
  anyCollection.chain((collection) =>
    fc.record({ collection: fc.constant(collection), where: wheres(reference, collection, 1) }),
  )

property(
  'a condition and its negation share out the records between them',
  plainQuestions,
  async (loaded, { collection, where }) => {
    const { rootField } = loaded.reference.shapes.get(collection)!
    const { all, yes, no } = await loaded.service.data(`{
    all: ${rootField} { totalCount }
    yes: ${rootField}(where: ${literal(where)}) { totalCount }
    no: ${rootField}(where: {NOT: ${literal(where)}}) { totalCount }
  }`)
    assert.equal(yes.totalCount + no.totalCount, all.totalCount)
  },
)

const searchedFields = ['title', 'blurb', 'note', 'shelf', 'rkey'] as const

const searches = ({ reference }: Loaded) => {
  const written = reference
    .sorted(collections.book, {})
    .flatMap(({ value }) => searchedFields.map((field) => value[field]))
    .filter((text) => typeof text === 'string')
  return fc.record({
    fields: fc.tuple(fc.constantFrom(...searchedFields), fc.constantFrom(...searchedFields)),
    operator: fc.constantFrom('contains', 'contains', 'startsWith'),
    needles: fc.array(needles([...written, ...written.map(fold)]), { minLength: 1, maxLength: 8 }),
    sortBy: fc.constantFrom(
      '',
      ', sortBy: [{field: publishedAt}]',
      ', sortBy: [{field: title, direction: DESC}]',
    ),
  })
}

property(
  'a needle of any length and script is found where the folded texts have it, in one field or in either of two',
  searches,
  async ({ reference, service }, { fields: [one, other], operator, needles, sortBy }) => {
    const wheres = needles.flatMap((needle) => [
      { [one]: { [operator]: needle } },
      { OR: [{ [one]: { [operator]: needle } }, { [other]: { [operator]: needle } }] },
    ])
    const lists = wheres.map(
      (where, index) =>
        `a${index}: orgExampleLibraryBook(where: ${literal(where)}, first: 3${sortBy}) { totalCount nodes { uri } }`,
    )
    // All at once cost more than any tier allows.
    const half = lists.length >> 1
    const data = {
      ...(await service.data(`{ ${lists.slice(0, half).join('\n')} }`)),
      ...(await service.data(`{ ${lists.slice(half).join('\n')} }`)),
    }
    wheres.forEach((where, index) => {
      const sorted = sortBy.includes('title')
        ? [{ field: 'title', direction: 'DESC' as const }]
        : sortBy === ''
          ? []
          : [{ field: 'publishedAt' }]
      const { totalCount, records } = reference.list(collections.book, { where, sortBy: sorted, first: 3 })
      const expected = { totalCount, nodes: records.map(({ uri }) => ({ uri })) }
      assert.deepEqual(data[`a${index}`], expected, JSON.stringify(where))
    })
  },
  30,
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
