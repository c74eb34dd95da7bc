/** What the program's schema offers is drawn: a new operator, measure, argument or field fails here until it is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isInputObjectType, isObjectType, parse, TypeInfo, visit, visitWithTypeInfo } from 'graphql'
import { createReference } from '../reference/reference.ts'
import { filledAggregates } from '../support/random/aggregates.ts'
import { enumNames, librarySchema } from '../support/random/enums.ts'
import { aggregateOperations, operations } from '../support/random/operations.ts'
import { drawCorpus } from '../support/random/property.ts'
import { arrayNames, distinctFields, integerNames, sortFields } from '../support/random/questions.ts'
import { whereKeys } from '../support/random/where.ts'
import { collections, libraryStories } from '../support/records/lexicons.ts'

const corpus = await drawCorpus(1)
const reference = createReference(corpus.lexicons, corpus.references, corpus.records, libraryStories)
const shapes = [...reference.shapes.values()]
const schema = librarySchema()

for (const { nsid, typeName } of shapes)
  test(`every field by which ${nsid} is filtered, sorted, grouped and measured is drawn`, () => {
    const arrays = arrayNames(reference, nsid)
    const drawn: Readonly<Record<string, readonly string[]>> = {
      SortField: [...sortFields(reference, nsid), 'RELEVANCE'],
      DistinctField: distinctFields(reference, nsid),
      GroupByField: reference.groupFields(nsid).map(({ name }) => name),
      TimeField: reference.timeNames(nsid),
      MeasureIntegerField: integerNames(reference, nsid),
      ...(arrays.length > 0 && { ArrayField: arrays }),
    }
    for (const [kind, names] of Object.entries(drawn)) {
      const offered = enumNames(`${typeName}${kind}`)
      assert.deepEqual(
        offered.filter((name) => !names.includes(name)),
        [],
        kind,
      )
    }
    const where = schema.getType(`${typeName}WhereInput`)
    assert.ok(isInputObjectType(where))
    const keys = whereKeys(reference, nsid)
    assert.deepEqual(
      Object.keys(where.getFields()).filter((name) => !keys.includes(name)),
      [],
    )
  })

/** Drawn by properties of their own: searches, files, cursors, and what only the agents' tools select. */
const drawnElsewhere =
  /^\*Connection\.(didYouMean|ranked)|^\*Edge\.(score|snippet)|^\*Aggregated\.unusualWords\(limit\)|\((after|before)\)$|\.actorHandle$|^Query\.\*Aggregate\(search\)|^Query\.(node|nodes|search|indexStatus)\b/

test('every argument and field of lists, records and aggregates is drawn', () => {
  const used = new Set<string>()
  const info = new TypeInfo(schema)
  const visitor = visitWithTypeInfo(info, {
    Field: ({ arguments: given = [] }) => {
      const field = `${info.getParentType()}.${info.getFieldDef()?.name}`
      for (const member of [field, ...given.map(({ name }) => `${field}(${name.value})`)])
        used.add(general(member).replace(/(AggregateGroup\.).*Resolved$/, '$1Resolved'))
    },
  })
  const { publisher } = collections
  const series = () => filledAggregates(reference, publisher)
  const draws = [
    [operations(reference), 100],
    [aggregateOperations(reference, [publisher]), 250],
    [aggregateOperations(reference, [publisher], series), 100],
  ] as const
  for (const [draw, numRuns] of draws)
    for (const { text } of fc.sample(draw, { seed: 1, numRuns })) visit(parse(text), visitor)
  const types = Object.values(schema.getTypeMap()).filter(
    (type) =>
      isObjectType(type) &&
      /^(Query|PageInfo|Facet\w*|GroupsPageInfo|Significance|ValuePair|.*(Connection|Edge|AggregateGroup|Aggregated))$/.test(
        type.name,
      ),
  )
  const offered = types.flatMap((type) =>
    isObjectType(type) && !/^Record(Connection|Edge)$/.test(type.name)
      ? Object.values(type.getFields()).flatMap(({ name, args }) => [
          `${type}.${name}`,
          ...args.map((argument) => `${type}.${name}(${argument.name})`),
        ])
      : [],
  )
  const groups = new Set(shapes.flatMap(({ nsid }) => reference.groupFields(nsid).map(({ name }) => name)))
  const missing = new Set(
    offered
      .filter((member) => !groups.has(member.split('.')[1] ?? ''))
      // Only of some hundred names is each drawn as long as one likes.
      .map((member) => general(member).replace(/(AggregateGroup\.).*Resolved$/, '$1Resolved')),
  )
  assert.deepEqual(
    [...missing].filter((member) => !used.has(member) && !drawnElsewhere.test(member)),
    [],
  )
})

/** Without the name of the collection, because all are drawn alike. */
function general(member: string): string {
  const names = shapes.flatMap(({ typeName, rootField }) => [typeName, rootField])
  return names
    .toSorted((a, b) => b.length - a.length)
    .reduce((text, name) => text.replaceAll(name, '*'), member)
}
