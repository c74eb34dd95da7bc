/** The arguments of the tool `aggregate`, and the columns of its table besides keys, counts and shares: measures, the largest inner groups, and sample records. */
import { groupNames, parseGroup, selectGroup } from '../../../ask/groups.ts'
import type { Narrowing } from '../../../ask/filters.ts'
import { type Measure, readMeasure, selectMeasure } from '../../../ask/measures.ts'
import type { SchemaContext } from '../../../ask/paths.ts'
import { EnumValue, printField, type Selection } from '../../../ask/graphql-text.ts'
import type { Subject } from '../../../ask/collections.ts'
import { sharedPrefix, withoutPrefix } from '../../words/prefix.ts'
import { AskError } from '../../../ask/ask-error.ts'
import type { Json } from '../../../util/is-object.ts'

/** One column: what to select of each group, and how to read its value. */
export interface Column {
  readonly title: string
  readonly select: Selection
  read(row: Json): unknown
}

export function measureColumn(measure: Measure, at: number): Column {
  return {
    title: measure.text,
    select: selectMeasure(measure, at),
    read: (row) => readMeasure(measure, at, row),
  }
}

/** The argument `top`. */
export interface TopArgument {
  readonly by?: unknown
  readonly limit?: unknown
}

/** The arguments of the tool, as its input schema declares them. */
export interface AggregateArguments extends Narrowing {
  readonly collection: string
  readonly by?: readonly string[]
  readonly measures?: readonly string[]
  readonly share?: Json
  readonly unusual?: Json
  readonly top?: TopArgument
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

/** The largest inner groups of each group, as an object of their counts. */
export function topColumn(
  { by, limit }: TopArgument,
  { collection }: Subject,
  context: SchemaContext,
): Column {
  if (typeof by !== 'string')
    throw new AskError('top takes an object such as {"by": "language", "limit": 3}: name one path in its by.')
  const group = parseGroup(by, collection, context)
  const given = { groupBy: [new EnumValue(group.field.name)], limit: Number(limit ?? 3) }
  return {
    title: `top ${group.text}`,
    select: { [`top: ${printField('top', given)}`]: { ...selectGroup(group, context), count: {} } },
    read: ({ top }) => {
      const rows = top as readonly Json[]
      const names = groupNames(group, rows, context)
      const labelOf = (value: unknown) => names.get(value) ?? (value === null ? '(missing)' : String(value))
      return Object.fromEntries(rows.map((row) => [labelOf(row[group.field.name]), row['count']]))
    },
  }
}

const samplesTitle = 'samples'

/** The newest records of each group: URIs, and names if the collection has a name field; with `cite`, CIDs. */
export function samplesColumn(number: number, cite: boolean, subject: Subject): Column {
  const { display, time } = subject
  const sortBy = [{ field: new EnumValue(time), direction: new EnumValue('DESC') }]
  return {
    title: samplesTitle,
    select: {
      [`samples: ${printField('nodes', { first: number, sortBy })}`]: {
        uri: {},
        ...(cite && { cid: {} }),
        ...(display !== null && { [display.name]: {} }),
      },
    },
    read: ({ samples }) => samples,
  }
}

type Rows = readonly (readonly unknown[])[]

/** The rows with what the URIs of all samples begin with written once; null if there are none, or they differ. */
export function shortenSamples(
  columns: readonly string[],
  rows: Rows,
): { readonly prefix: string | null; readonly rows: Rows } {
  const at = columns.lastIndexOf(samplesTitle)
  const samplesIn = (row: readonly unknown[]) => (row[at] ?? []) as readonly Json[]
  const prefix = sharedPrefix(rows.flatMap((row) => samplesIn(row).map(({ uri }) => uri)))
  if (prefix === null) return { prefix, rows }
  const short = (row: readonly unknown[]) => samplesIn(row).map((sample) => withoutPrefix(sample, prefix))
  return { prefix, rows: rows.map((row) => row.with(at, short(row))) }
}
