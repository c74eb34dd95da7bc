/** Random aggregates with any of their fields, also none but constants. */
import fc from 'fast-check'
import { printKey } from '../reference/group-fields.ts'
import type { Aggregated, AggregateArguments, Reference } from '../reference/reference.ts'
import type { Json, Shape } from '../reference/shapes.ts'
import type { Significance } from '../reference/significance.ts'
import { printInstant } from '../reference/values.ts'
import type { PlainRecord } from '../reference/world.ts'
import { aggregateArguments } from './graphql-text.ts'
import { type Part, selections } from './parts.ts'
import { aggregates, fieldsOfKind, groupNames, smallIntegers } from './questions.ts'

type Members = readonly PlainRecord[]
type GroupOf = Aggregated['groups'][number]

export function aggregateParts(reference: Reference, shape: Shape): fc.Arbitrary<Part<null>> {
  return aggregates(reference, shape.nsid).chain((given) =>
    aggregateFields(reference, shape, given).map(({ text, answer }) => ({
      text: `${shape.rootField}Aggregate${aggregateArguments(given)}${text}`,
      answer: () => answer(reference.aggregate(shape.nsid, given)),
    })),
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
): fc.Arbitrary<Part<Aggregated>> {
  const measures = measureParts(reference, shape)
  const fields = reference.groupFields(shape.nsid)
  const keys = (given.groupBy ?? []).map((name, index): fc.Arbitrary<Part<GroupOf>> => {
    const field = fields.find((one) => one.name === name)
    if (field === undefined) throw new Error(`${shape.nsid} has no group ${name}.`)
    return fc.constant({ text: name, answer: (group) => printKey(field, group.keys[index]) })
  })
  const group = selections<GroupOf>(
    [
      ...keys,
      ...keys,
      part('count', ({ members }) => members.length),
      part('__typename', () => `${shape.typeName}AggregateGroup`),
      significanceFields.map(({ text, answer }) => ({
        text: `significance${text}`,
        answer: ({ significance }: GroupOf) => (significance === null ? null : answer(significance)),
      })),
      ...measures.map((measure) => of(measure, ({ members }: GroupOf) => members)),
    ],
    4,
  )
  const groups = group.map(
    ({ text, answer }): Part<Aggregated> => ({
      text: `groups${text}`,
      answer: (found) => found.groups.map((one) => answer(one)),
    }),
  )
  return selections<Aggregated>(
    [
      groups,
      groups,
      part('count', ({ count }) => count),
      part('groupCount', ({ groupCount }) => groupCount),
      part('__typename', () => `${shape.typeName}Aggregated`),
      ...measures.map((measure) => of(measure, ({ members }: Aggregated) => members)),
    ],
    4,
  )
}

function measureParts(reference: Reference, { nsid }: Shape): fc.Arbitrary<Part<Members>>[] {
  const integers = fieldsOfKind(reference, nsid, ['integer'])
  const ordered = fieldsOfKind(reference, nsid, ['integer', 'datetime'])
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
  const distinct = fc.constantFrom(...groupNames(reference, nsid)).map(
    (name): Part<Members> => ({
      text: `countDistinct(field: ${name})`,
      answer: (members) => reference.countDistinct(nsid, members, name),
    }),
  )
  return [
    ...inside(
      'avg',
      integers.map((name) => part(name, (members: Members) => reference.mean(members, name))),
    ),
    ...inside('sum', smallIntegers(reference, nsid).map(sum)),
    ...inside('min', ordered.map(extreme('MIN'))),
    ...inside('max', ordered.map(extreme('MAX'))),
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
