/** Tables of groups as the tools show them, by the reference evaluator: keys, counts and measures. */
import assert from 'node:assert/strict'
import { printKey } from '../reference/groups/group-fields.ts'
import type { Where } from '../reference/matches.ts'
import type { AggregateArguments, Reference } from '../reference/reference.ts'
import type { PlainRecord } from '../reference/dataset.ts'

export interface Judge {
  readonly reference: Reference
}

/** A measure of the members of a group, as the tools print it. */
export type Measure = (members: readonly PlainRecord[], judge: Judge) => unknown
export type GroupedArguments = AggregateArguments & { readonly groupBy: readonly string[] }

/** The rows of a table: keys, those that are records by their names, the count, the measures. */
export function rowsOf(
  judge: Judge,
  collection: string,
  given: GroupedArguments,
  measures: readonly Measure[] = [],
): readonly (readonly unknown[])[] {
  const { reference } = judge
  const fields = given.groupBy.map(
    (name) =>
      reference.groupFields(collection, given).find((field) => field.name === name) ?? assert.fail(name),
  )
  return reference.aggregate(collection, given).groups.map(({ keys, members }) => [
    ...fields.map((field, at) => {
      const key = printKey(field, keys[at])
      return reference.resolve(String(key))?.value.displayName ?? key
    }),
    members.length,
    ...measures.map((measure) => measure(members, judge)),
  ])
}

/** As the tools print averages and shares. */
export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}

const orNull = (value: number | null) => (value === null ? null : rounded(value))

export const average =
  (field: string): Measure =>
  (members, { reference }) =>
    orNull(reference.mean(members, field))

export const median =
  (field: string): Measure =>
  (members, { reference }) =>
    orNull(reference.median(members, field))

export const percentile =
  (field: string, p: number): Measure =>
  (members, { reference }) =>
    Number(reference.percentile(members, field, p))

export const deviation =
  (field: string): Measure =>
  (members, { reference }) =>
    orNull(reference.deviation(members, field))

/** How many members meet the condition. */
export const matching =
  (where: Where): Measure =>
  (members, { reference }) =>
    members.filter((record) => reference.matches(record, where)).length

/** Which part of the members meets the condition. */
export const share =
  (where: Where): Measure =>
  (members, { reference }) =>
    rounded(members.filter((record) => reference.matches(record, where)).length / members.length)
