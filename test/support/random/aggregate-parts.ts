/** Random aggregates with any of their fields, also none but constants. */
import fc from 'fast-check'
import { printKey } from '../../reference/groups/group-fields.ts'
import type { Aggregated, AggregateArguments, Reference } from '../../reference/reference.ts'
import type { Pair } from '../../reference/groups/pairs.ts'
import type { Json, Shape } from '../../reference/shapes.ts'
import type { Significance } from '../../reference/groups/significance.ts'
import { printInstant } from '../../reference/values.ts'
import type { TimeFrame } from '../../reference/zones.ts'
import { isFreeText } from '../../reference/words/search.ts'
import { type PlainRecord, shapeOf } from '../../reference/dataset.ts'
import { aggregateArguments, argumentList, measuredLiteral } from '../service/graphql-text.ts'
import { nodesParts, type OuterGroup, topParts } from './nested-parts.ts'
import { anyCursor, type Part, selections } from './parts.ts'
import { aggregates, changingValues, filledAggregates, ofShares, percentiles } from './aggregates.ts'
import {
  arrayNames,
  fieldsOfKind,
  groupNames,
  integerNames,
  isBucketName,
  smallIntegers,
} from './questions.ts'

type Members = readonly PlainRecord[]
type GroupOf = Aggregated['groups'][number]

/** `record` draws what is selected of a record, `asked` the arguments. */
export function aggregateParts(
  reference: Reference,
  shape: Shape,
  record: fc.Arbitrary<Part<PlainRecord>>,
  asked: fc.Arbitrary<AggregateArguments> = anyAggregate(reference, shape.nsid),
): fc.Arbitrary<Part<null>> {
  return asked.chain((given) =>
    aggregateFields(reference, shape, given, record).map(({ text, answer }) => ({
      text: `${shape.rootField}Aggregate${aggregateArguments(given)}${text}`,
      answer: () => answer(reference.aggregate(shape.nsid, given)),
    })),
  )
}

function anyAggregate(reference: Reference, collection: string): fc.Arbitrary<AggregateArguments> {
  return fc.oneof(
    { weight: 5, arbitrary: aggregates(reference, collection) },
    { weight: 1, arbitrary: filledAggregates(reference, collection) },
  )
}

const significanceFields = selections<Significance>(
  [
    part('share', ({ share }) => share),
    part('againstCount', ({ againstCount }) => againstCount),
    part('againstShare', ({ againstShare }) => againstShare),
    part('score', ({ score }) => score),
  ],
  4,
)

function aggregateFields(
  reference: Reference,
  shape: Shape,
  given: AggregateArguments,
  record: fc.Arbitrary<Part<PlainRecord>>,
): fc.Arbitrary<Part<Aggregated>> {
  const measures = measureParts(reference, shape, given)
  const fields = reference.groupFields(shape.nsid, given)
  const keys = (given.groupBy ?? []).map((name, index): fc.Arbitrary<Part<GroupOf>> => {
    const field = fields.find((one) => one.name === name)
    if (field === undefined) throw new Error(`${shape.nsid} has no group ${name}.`)
    const key = ({ keys: found }: GroupOf): Json => printKey(field, found[index])
    const resolved = (group: GroupOf): Json => {
      const record = key(group) === null ? null : reference.resolve(key(group))
      return record === null
        ? null
        : { cid: record.cid, __typename: shapeOf(reference, record.collection).typeName }
    }
    const behind = { text: `${name}Resolved { cid __typename }`, answer: resolved }
    return fc.constantFrom({ text: name, answer: key }, ...(field.isReference ? [behind] : []))
  })
  const common: fc.Arbitrary<Part<GroupOf>>[] = [
    part('count', ({ members }) => members.length),
    part('countShare', ({ countShare }) => countShare),
    part('total', ({ total }) => total),
    part('matching', ({ matching }) => matching),
    part('share', ({ share }) => share),
    part('__typename', () => `${shape.typeName}AggregateGroup`),
    significanceFields.map(({ text, answer }) => ({
      text: `significance${text}`,
      answer: ({ significance }: GroupOf) => (significance === null ? null : answer(significance)),
    })),
    ...measures.map((measure) => of(measure, ({ members }: GroupOf) => members)),
  ]
  const changes = changeParts(reference, shape.nsid, given)
  const tops = topParts(reference, shape, given, common)
  const group = selections<OuterGroup>(
    [
      ...keys,
      ...keys,
      ...common,
      part('cursor', () => anyCursor),
      ...tops,
      ...changes,
      ...changes,
      nodesParts(reference, shape, record),
    ],
    6,
  )
  const groups = group.map(
    ({ text, answer }): Part<Aggregated> => ({
      text: `groups${text}`,
      answer: (found) => found.groups.map((one) => answer({ ...one, top: found.top })),
    }),
  )
  const info = selections<Aggregated>(
    [
      part('hasNextPage', ({ hasNextPage }) => hasNextPage),
      part('endCursor', ({ groups: page }) => (page.length === 0 ? null : anyCursor)),
      part('__typename', () => 'GroupsPageInfo'),
    ],
    3,
  ).map(({ text, answer }): Part<Aggregated> => ({ text: `groupsPageInfo${text}`, answer }))
  return selections<Aggregated>(
    [
      // In most operations: their product with the arguments is what these are about.
      ...Array.from({ length: 10 }, () => groups),
      info,
      part('count', ({ count }) => count),
      part('total', ({ total }) => total),
      part('matching', ({ matching }) => matching),
      part('share', ({ share }) => share),
      part('groupCount', ({ groupCount }) => groupCount),
      ...pairParts(reference, shape),
      ...unusualParts(reference, shape, given),
      part('__typename', () => `${shape.typeName}Aggregated`),
      ...measures.map((measure) => of(measure, ({ members }: Aggregated) => members)),
    ],
    4,
  )
}

/** Changes, which only a series in time has. */
function changeParts(
  reference: Reference,
  collection: string,
  given: AggregateArguments,
): fc.Arbitrary<Part<GroupOf>>[] {
  const times = (given.groupBy ?? []).filter(isBucketName)
  if (times.length !== 1 || given.significant !== undefined) return []
  const value = changingValues(reference, collection).filter(
    ({ measure }) => !ofShares.has(measure) || (given.denominator ?? given.numerator) !== undefined,
  )
  return [
    value.map((of) => ({
      // A count is the value when `of` is absent.
      text: `change${argumentList({ of: of.measure === 'COUNT' ? undefined : measuredLiteral(of) })}`,
      answer: ({ change }) => change(of),
    })),
  ]
}

/** None for a collection without arrays of strings. */
function pairParts(reference: Reference, { nsid }: Shape): fc.Arbitrary<Part<Aggregated>>[] {
  const names = arrayNames(reference, nsid)
  if (names.length === 0) return []
  const given = fc.record(
    {
      field: fc.constantFrom(...names),
      minCount: fc.integer({ min: 1, max: 3 }),
      limit: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(1000)),
    },
    { requiredKeys: ['field'] },
  )
  const pair = selections<Pair>(
    [
      part('values', ({ values }) => [...values]),
      part('count', ({ count }) => count),
      part('__typename', () => 'ValuePair'),
    ],
    3,
  )
  return [
    fc.tuple(given, pair).map(([{ field, minCount, limit }, { text, answer }]) => ({
      text: `pairs${argumentList({ field, minCount: minCount?.toString(), limit: limit?.toString() })}${text}`,
      answer: ({ members }: Aggregated) =>
        reference.pairs(nsid, members, { field, minCount, limit }).map((each) => answer(each)),
    })),
  ]
}

/** None for a collection without free texts. */
function unusualParts(
  reference: Reference,
  shape: Shape,
  { where = {} }: AggregateArguments,
): fc.Arbitrary<Part<Aggregated>>[] {
  const texts = shape.fields.filter(({ kind }) => kind.kind === 'string' && isFreeText(kind.lexicon))
  return texts.map(({ name }) =>
    part(
      `unusualWords(field: ${name}, against: {}, minCount: 1) { recordsRead words { word count } }`,
      () => {
        const asked = { field: name, against: {}, minCount: 1 }
        const { recordsRead, words } = reference.unusualWords(shape.nsid, { where }, asked)
        return { recordsRead, words: words.map(({ word, count }) => ({ word, count })) }
      },
    ),
  )
}

function measureParts(reference: Reference, { nsid }: Shape, time: TimeFrame): fc.Arbitrary<Part<Members>>[] {
  const integers = integerNames(reference, nsid)
  const ordered = [...integers, ...fieldsOfKind(reference, nsid, ['datetime'])]
  const extreme = (which: 'MIN' | 'MAX') => (name: string) =>
    part(name, (members: Members) => {
      const key = reference.extreme(members, name, which)
      return typeof key === 'bigint' ? printInstant(key) : (key ?? null)
    })
  const sum = (name: string) =>
    part(name, (members: Members) => {
      const { sum: total, count } = reference.total(members, name)
      return count === 0n ? null : Number(total)
    })
  const inside = (name: string, fields: readonly fc.Arbitrary<Part<Members>>[]) =>
    fields.length === 0
      ? []
      : [selections(fields, 3).map(({ text, answer }) => ({ text: `${name}${text}`, answer }))]
  const ofIntegers = (name: string, measure: 'mean' | 'median' | 'deviation') =>
    inside(
      name,
      integers.map((field) => part(field, (members: Members) => reference[measure](members, field))),
    )
  const percentile = fc
    .record({ field: fc.constantFrom(...integers), p: fc.array(percentiles, { minLength: 1, maxLength: 3 }) })
    .map(
      ({ field, p }): Part<Members> => ({
        text: `percentile(field: ${field}, p: [${p.join(', ')}])`,
        answer: (members) => {
          const found = p.map((one) => reference.percentile(members, field, one))
          return found[0] === undefined ? null : found.map(Number)
        },
      }),
    )
  const moment = fc.constantFrom(...reference.timeNames(nsid))
  const duration = fc
    .record({ kind: fc.constantFrom('avg', 'median'), from: moment, to: moment })
    .map(({ kind, from, to }): Part<Members> => {
      const measure = kind === 'avg' ? 'AVG_DURATION' : 'MEDIAN_DURATION'
      return {
        text: `${kind}Duration(from: ${from}, to: ${to})`,
        answer: (members) => reference.duration(nsid, members, { measure, from, to }),
      }
    })
  const distinct = fc.constantFrom(...groupNames(reference, nsid)).map(
    (name): Part<Members> => ({
      text: `countDistinct(field: ${name})`,
      answer: (members) => reference.countDistinct(nsid, members, name, time),
    }),
  )
  return [
    ...ofIntegers('avg', 'mean'),
    ...ofIntegers('median', 'median'),
    ...ofIntegers('stddev', 'deviation'),
    ...(integers.length === 0 ? [] : [percentile]),
    ...inside('sum', smallIntegers(reference, nsid).map(sum)),
    ...inside('min', ordered.map(extreme('MIN'))),
    ...inside('max', ordered.map(extreme('MAX'))),
    duration,
    distinct,
  ]
}

function of<Subject, Inner>(
  inner: fc.Arbitrary<Part<Inner>>,
  seen: (subject: Subject) => Inner,
): fc.Arbitrary<Part<Subject>> {
  return inner.map(({ text, answer }) => ({ text, answer: (subject) => answer(seen(subject)) }))
}

function part<Subject>(text: string, answer: (subject: Subject) => Json): fc.Arbitrary<Part<Subject>> {
  return fc.constant({ text, answer })
}
