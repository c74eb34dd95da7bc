/** Tables of groups as the tools show them, by the reference evaluator: keys, counts and further columns. */
import assert from 'node:assert/strict'
import type { PlainRecord } from '../reference/dataset.ts'
import type { Group } from '../reference/groups/aggregate.ts'
import { printKey } from '../reference/groups/group-fields.ts'
import type { Reference } from '../reference/reference.ts'
import type { Json } from '../reference/shapes.ts'
import { type Given, groupOf, readMeasure, whereOf } from './read-call.ts'

type Row = readonly unknown[]

/** What an answer has: how many records meet the conditions, and how many rows there are on all pages. */
export interface Expected {
  readonly count: number
  readonly length: number
  rows(from: number, to: number): readonly Json[]
}

/** The answer to `aggregate`; of unusual groups keys and counts alone. */
export function tableOf(reference: Reference, args: Json, { collection, ...given }: Given): Expected {
  const { by = [], share, top, measures = [] } = args
  const { count, groups, members, top: topOf } = reference.aggregate(collection, given)
  const table = (rows: readonly Row[]): Expected => ({
    count,
    length: rows.length,
    rows: (from, to) => rows.slice(from, to),
  })
  const columns = (some: readonly PlainRecord[]): Row => [
    ...measures.map((measure: string) =>
      measure === 'percent'
        ? Number(((100 * some.length) / count).toPrecision(4))
        : measured(reference, collection, some, measure),
    ),
    ...(share === undefined ? [] : shareOf(reference, some, share)),
  ]
  if (by.length === 0) return table([[count, ...columns(members)]])
  if (by[0] === by[1]) {
    const pairs = reference.pairs(collection, members, { field: by[0], limit: 10_000 })
    return table(pairs.map(({ values, count: both }) => [...values, both]))
  }
  const all = reference.groupFields(collection, given)
  const fields = (given.groupBy ?? []).map(
    (name) => all.find((field) => field.name === name) ?? assert.fail(name),
  )
  const rank = top?.order?.slice(1)
  const inner = {
    groupBy: [groupOf(top?.by ?? '')],
    limit: top?.limit ?? 3,
    ...(rank !== undefined && { rankBy: readMeasure(rank) }),
  }
  const rowOf = (group: (typeof groups)[number]): Row => [
    ...fields.map((field, index) => named(reference, printKey(field, group.keys[index]))),
    group.members.length,
    ...columns(group.members),
    ...(args['change'] === true ? [group.change({ measure: 'COUNT' })] : []),
    ...(top === undefined ? [] : [innerOf(reference, collection, topOf(group, inner), rank)]),
    ...(args['samples'] === undefined ? [] : [newest(reference, group.members, args['samples'])]),
  ]
  const rows = (from: number, to: number) => groups.slice(from, to).map(rowOf)
  return { count, length: groups.length, rows }
}

/** `rank`: the measure by which they are ordered; absent for counts. */
function innerOf(
  reference: Reference,
  collection: string,
  groups: readonly Group[],
  rank: string | undefined,
): Json {
  const members = groups.map(({ keys, members }) => [
    named(reference, keys.at(-1) ?? null) ?? '(missing)',
    rank === undefined ? members.length : measured(reference, collection, members, rank),
  ])
  return Object.fromEntries(members)
}

/** A record by its name. */
function named(reference: Reference, key: unknown): unknown {
  return reference.resolve(String(key))?.value.displayName ?? key
}

function newest(reference: Reference, members: readonly PlainRecord[], limit: number): readonly Json[] {
  return members
    .toSorted((a, b) => reference.compare(a, b, [{ field: 'publishedAt', direction: 'DESC' }]))
    .slice(0, limit)
    .map(({ uri, value }) => ({ uri, title: value.title }))
}

function measured(reference: Reference, collection: string, members: readonly PlainRecord[], text: string) {
  const asked = readMeasure(text)
  if ('from' in asked) {
    const seconds = reference.duration(collection, members, asked)
    return seconds === null ? null : rounded(seconds)
  }
  const { measure, field } = asked
  if (measure === 'PERCENTILE') return Number(reference.percentile(members, field, asked.p))
  if (measure === 'COUNT_DISTINCT') return reference.countDistinct(collection, members, field)
  if (measure === 'MIN' || measure === 'MAX') return reference.extreme(members, field, measure)
  if (measure === 'SUM') return Number(reference.total(members, field).sum)
  const of = { AVG: reference.mean, MEDIAN: reference.median, STDDEV: reference.deviation }[measure]
  const value = of(members, field)
  return value === null ? null : rounded(value)
}

/** How many members meet the conditions, and which part of them that is. */
function shareOf(reference: Reference, members: readonly PlainRecord[], share: Json): Row {
  const where = whereOf(share, new Date())
  const matching = members.filter((record) => reference.matches(record, where)).length
  return [matching, Number((matching / members.length).toPrecision(4))]
}

/** As the tools print averages. */
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}

/** Whether a row is of a time in one of the ranges that the answer calls incomplete. */
export function isIncompleteIn({ incomplete = [] }: Json) {
  return ([time = '']: readonly string[]) =>
    incomplete.some((range: string) => {
      const [first = '', last = first] = range.split(' to ')
      return time >= first && time <= last
    })
}
