/** The arguments of the tool `aggregate`, and the columns of its table. */
import { type Group, groupNames, parseGroup, selectGroup } from '../../../ask/groups.ts'
import { buildWhere, type Narrowing } from '../../../ask/filters.ts'
import type { Where } from '../../../ask/where.ts'
import {
  type Measure,
  parseMeasure,
  rankByMeasure,
  readMeasure,
  selectMeasure,
} from '../../../ask/measures.ts'
import { parsePath, referencedFrom, type SchemaContext } from '../../../ask/paths.ts'
import { readRow, selectRow } from '../../../ask/selection.ts'
import { EnumValue, mergeSelections, printField, type Selection } from '../../../ask/graphql-text.ts'
import type { Subject } from '../../../ask/collections.ts'
import { withTime } from '../../words/side-counts.ts'
import { readOrder, sharedPrefix, type Toolbox, withoutPrefix } from '../toolbox.ts'
import { AskError } from '../../../ask/ask-error.ts'
import type { Json } from '../../../util/is-object.ts'

/** One column: what to select of each group, and how to read its value. */
export interface Column {
  readonly title: string
  readonly select: Selection
  /** True for groups and records inside groups. */
  readonly isList?: true
  read(row: Json): unknown
}

export function measureColumn(measure: Measure, groups: readonly Group[]): Column {
  const taken = groups.map(({ field }) => field.name)
  return {
    title: measure.text,
    select: selectMeasure(measure, taken),
    read: (row) => readMeasure(measure, taken, row),
  }
}

/** Four significant digits, because shares may be tiny. */
function rounded(share: number): number {
  return Number(share.toPrecision(4))
}

/** How many records of each group, or of the whole, meet the filters of `share`. */
export const shareColumns: readonly Column[] = [
  { title: 'matching', select: { matching: {} }, read: ({ matching }) => matching },
  {
    title: 'share',
    select: { share: {} },
    read: ({ share }) => (share === null ? null : rounded(Number(share))),
  },
]

/** How unusual each group is. */
export const significanceColumns: readonly Column[] = [
  significanceColumn('share', 'share', rounded),
  significanceColumn('against_count', 'againstCount', (count) => count),
  significanceColumn('against_share', 'againstShare', rounded),
  significanceColumn('score', 'score', (score) => Math.round(score * 100) / 100),
]

function significanceColumn(title: string, member: string, shown: (value: number) => number): Column {
  return {
    title,
    select: { significance: { [member]: {} } },
    read: ({ significance }) => shown(Number((significance as Json)[member])),
  }
}

/** Percent of all records that the groups are of, from the service's share. */
export const percentColumn: Column = {
  title: 'percent',
  select: { countShare: {} },
  read: ({ countShare }) => rounded(Number(countShare) * 100),
}

/** The arguments of the tool, as its input schema declares them. */
export interface AggregateArguments extends Narrowing {
  readonly collection: string
  readonly by?: readonly string[]
  readonly measures?: readonly string[]
  readonly share?: Json
  readonly unusual?: Json
  readonly top?: Json
  readonly samples?: number
  readonly time_zone?: string
  readonly fill?: boolean
  readonly change?: boolean
  readonly order?: string
  readonly min_count?: number
  readonly limit?: number
  readonly after?: string
  readonly cite?: boolean
}

/** The first inner groups of each group by counts, or by a measure, as an object of these. */
export function topColumn(
  { by, limit, order }: Json,
  { collection }: Subject,
  context: SchemaContext,
): Column {
  if (typeof by !== 'string')
    throw new AskError('top takes an object such as {"by": "language", "limit": 3}: name one path in its by.')
  const group = parseGroup(by, collection, context)
  const { name, isDescending } = readOrder(String(order ?? '-count'))
  const measure = name === 'count' ? null : parseMeasure(name, collection, context)
  const given = {
    groupBy: [new EnumValue(group.field.name)],
    ...(measure === null
      ? { orderBy: isDescending ? undefined : new EnumValue('COUNT_ASC') }
      : { rankBy: rankByMeasure(measure, isDescending) }),
    limit: Number(limit ?? 3),
  }
  const column: Pick<Column, 'select' | 'read'> =
    measure === null ? { select: { count: {} }, read: ({ count }) => count } : measureColumn(measure, [group])
  return {
    isList: true,
    title: measure === null ? `top ${group.text}` : `top ${group.text} by ${measure.text}`,
    select: {
      [`top: ${printField('top', given)}`]: mergeSelections([selectGroup(group, context), column.select]),
    },
    read: ({ top }) => {
      const rows = top as readonly Json[]
      const names = groupNames(group, rows, context)
      const labelOf = (value: unknown) => names.get(value) ?? (value === null ? '(missing)' : String(value))
      return Object.fromEntries(rows.map((row) => [labelOf(row[group.field.name]), column.read(row)]))
    },
  }
}

const samplesTitle = 'samples'

/** The newest of each group: URIs, names, or else those of what they refer to; with `cite`, CIDs. */
export function samplesColumn(
  number: number,
  cite: boolean,
  subject: Subject,
  context: SchemaContext,
): Column {
  const { collection, display, time } = subject
  const sortBy = [{ field: new EnumValue(time), direction: new EnumValue('DESC') }]
  const pathOf = (name: string) => parsePath(name, collection, context)
  const own = display === null ? [] : [pathOf(display.name)]
  const [reference] = referencedFrom(collection, context).filter(
    ([, { nsid }]) => display?.mayMiss !== false && context.catalogue.of(nsid).display !== null,
  )
  const others = reference === undefined ? [] : [pathOf(reference[0])]
  const list = printField('nodes', { first: number, sortBy })
  return {
    title: samplesTitle,
    isList: true,
    select: { [list]: selectRow([...own, ...others], context, cite) },
    read: ({ nodes }) =>
      (nodes as readonly Json[]).map((node) => {
        const isNamed = Object.keys(readRow(node, own, context)).length > 1
        return readRow(node, isNamed ? own : others, context, cite)
      }),
  }
}

type Rows = readonly (readonly unknown[])[]

/** The rows with what the URIs of all samples begin with written once; null if there are none, or they differ. */
export function shortenSamples(columns: readonly string[], rows: Rows) {
  const at = columns.lastIndexOf(samplesTitle)
  const samplesIn = (row: readonly unknown[]) => (row[at] ?? []) as readonly Json[]
  const prefix = sharedPrefix(rows.flatMap((row) => samplesIn(row).map(({ uri }) => uri)))
  if (prefix === null) return { prefix, rows }
  const short = (row: readonly unknown[]) => samplesIn(row).map((sample) => withoutPrefix(sample, prefix))
  return { prefix, rows: rows.map((row) => row.with(at, short(row))) }
}

export interface Aggregated extends Json {
  readonly count: number
  /** Absent without groups. */
  readonly groupCount?: number
  readonly groups?: readonly Json[]
  readonly groupsPageInfo?: { readonly hasNextPage: boolean }
}

export interface Order {
  readonly by: 'count' | 'key' | 'share' | Measure
  readonly isDescending: boolean
}

export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

export function buildTable(
  groups: readonly Group[],
  further: readonly Column[],
  whole: Aggregated,
  context: SchemaContext,
): Table {
  const columns = [...groups.map(({ text }) => text), 'count', ...further.map(({ title }) => title)]
  const all = whole.groups ?? [whole]
  const names = groups.map((group) => groupNames(group, all, context))
  const rows = all.map((row) => [
    ...groups.map(({ field: { name } }, at) => names[at]?.get(row[name]) ?? row[name]),
    row['count'],
    ...further.map(({ read }) => read(row)),
  ])
  return { columns, rows }
}

/** The name of a column that an earlier one has ends with an underscore, as in files. */
export function differentNames(columns: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  for (let title of columns) {
    while (taken.has(title)) title += '_'
    taken.add(title)
  }
  return [...taken]
}

/**
 * The records to compare with; null if nothing is compared. `isNarrowed`: whether the call counts only some records.
 * Throws an AskError if it counts all, has no groups, or asks for another order or share.
 */
export async function buildBackground(
  args: AggregateArguments,
  isNarrowed: boolean,
  subject: Subject,
  toolbox: Toolbox,
): Promise<Where | null> {
  const { unusual, by = [], order, share } = args
  if (unusual === undefined) return null
  if (by.length === 0) throw new AskError('unusual compares groups: name their paths in by.')
  if (order !== undefined)
    throw new AskError('unusual orders groups by their score: leave order out, or ask without unusual.')
  if (share !== undefined)
    throw new AskError('unusual shows the share of each group: leave share out, or ask without unusual.')
  if (!isNarrowed)
    throw new AskError(
      'unusual compares some records with others: say which in search, text, filters, since or until.',
    )
  const against = (await buildWhere(subject, { filters: unusual }, toolbox)) ?? {}
  return withTime(against, args, subject, toolbox)
}
