/** The columns of a table besides keys, counts and shares: measures, the largest inner groups, and sample records. */
import { type Group, parseGroup, readGroupName, selectGroup } from '../../filters/groups.ts'
import { type Measure, readMeasure, selectMeasure } from '../../filters/measures.ts'
import type { SchemaContext } from '../../filters/paths.ts'
import { EnumValue, printField, type Selection } from '../../graphql/graphql-text.ts'
import type { Subject } from '../../words/collections.ts'
import { type Json, ToolError } from '../tool.ts'

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

/** The largest inner groups of each group, as an object of their counts. */
export function topColumn(
  { by, limit }: TopArgument,
  { collection }: Subject,
  context: SchemaContext,
): Column {
  if (typeof by !== 'string')
    throw new ToolError(
      'top takes an object such as {"by": "language", "limit": 3}: name one path in its by.',
    )
  const group = parseGroup(by, collection, context)
  const given = { groupBy: [new EnumValue(group.field.name)], limit: Number(limit ?? 3) }
  return {
    title: `top ${group.text}`,
    select: { [`top: ${printField('top', given)}`]: { ...selectGroup(group, context), count: {} } },
    read: ({ top }) => {
      const rows = top as readonly Json[]
      return Object.fromEntries(rows.map((row) => [labelOf(group, row, context), row['count']]))
    },
  }
}

function labelOf(group: Group, row: Json, context: SchemaContext): string {
  const value = row[group.field.name]
  return readGroupName(group, row, context) ?? (value === null ? '(missing)' : String(value))
}

/** The newest records of each group: URIs, and names if the collection has a name field. */
export function samplesColumn(number: number, subject: Subject): Column {
  const { display, time } = subject
  const sortBy = [{ field: new EnumValue(time), direction: new EnumValue('DESC') }]
  return {
    title: 'samples',
    select: {
      [`samples: ${printField('nodes', { first: number, sortBy })}`]: {
        uri: {},
        ...(display !== null && { [display.name]: {} }),
      },
    },
    read: ({ samples }) => samples,
  }
}
