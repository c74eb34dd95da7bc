/** Random groups and sample records within groups. */
import fc from 'fast-check'
import { printKey } from '../../reference/groups/group-fields.ts'
import type { SortField } from '../../reference/order.ts'
import type { Aggregated, AggregateArguments, Reference } from '../../reference/reference.ts'
import type { Shape } from '../../reference/shapes.ts'
import type { PlainRecord } from '../../reference/dataset.ts'
import { aggregateArguments, argumentList, sortLiteral } from '../service/graphql-text.ts'
import { type Part, selections } from './parts.ts'
import { aggregates, possibleShares } from './aggregates.ts'
import { groupNames, sorts } from './questions.ts'

type Group = Aggregated['groups'][number]

/** A group of an aggregate, with what knows the groups within it. */
export type OuterGroup = Group & Pick<Aggregated, 'top'>

/** Groups of `top`; `group` draws what is selected of groups besides their keys. */
export function topParts(
  reference: Reference,
  { nsid }: Shape,
  outer: AggregateArguments,
  group: readonly fc.Arbitrary<Part<Group>>[],
): fc.Arbitrary<Part<OuterGroup>>[] {
  const taken = outer.groupBy ?? []
  const names = groupNames(reference, nsid).filter((name) => !taken.includes(name))
  const most = Math.min(2, 5 - taken.length)
  if (taken.length === 0 || most < 1) return []
  const innerNames = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: most })
  const limits = fc.integer({ min: 1, max: outer.limit === 1000 ? 10 : 20 })
  return [
    fc
      .tuple(innerNames, aggregates(reference, nsid), fc.option(limits, { nil: undefined }))
      .chain(([groupBy, { orderBy, rankBy, having }, limit]) => {
        const all = {
          groupBy,
          ...(orderBy && { orderBy }),
          ...(rankBy && { rankBy }),
          ...(having && { having }),
          ...(limit !== undefined && { limit }),
        }
        const given = possibleShares(all, outer)
        const keys = [...taken, ...groupBy].map((name, index) => {
          const field = reference.groupFields(nsid, outer).find((one) => one.name === name)
          if (field === undefined) throw new Error(`${nsid} has no group ${name}.`)
          return fc.constant<Part<Group>>({ text: name, answer: (one) => printKey(field, one.keys[index]) })
        })
        return selections<Group>([...keys, ...keys, ...group], 4).map(
          ({ text, answer }): Part<OuterGroup> => ({
            text: `top${aggregateArguments(given)}${text}`,
            answer: (one) => one.top(one, given).map((inner) => answer(inner)),
          }),
        )
      }),
  ]
}

/** Sample records; `record` draws what is selected of a record. */
export function nodesParts(
  reference: Reference,
  { nsid }: Shape,
  record: fc.Arbitrary<Part<PlainRecord>>,
): fc.Arbitrary<Part<Group>> {
  const given = fc.record({
    first: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
    sortBy: fc.option(sorts(reference, nsid), { nil: undefined }),
  })
  return fc.tuple(given, record).map(([{ first, sortBy }, { text, answer }]) => ({
    text: `nodes${argumentList({ first: first?.toString(), sortBy: sortBy && sortLiteral(sortBy) })}${text}`,
    answer: ({ members }) => inOrder(reference, members, sortBy ?? [], first ?? 2).map((one) => answer(one)),
  }))
}

function inOrder(
  reference: Reference,
  members: readonly PlainRecord[],
  sortBy: readonly SortField[],
  first: number,
): readonly PlainRecord[] {
  return members.toSorted((a, b) => reference.compare(a, b, sortBy)).slice(0, first)
}
