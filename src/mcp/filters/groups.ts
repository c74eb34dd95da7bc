/** Parses paths into groups of an aggregate. */
import type { Collection, Reference } from '../../schema/model/model.ts'
import { type Leaf, leafPath } from '../../schema/model/leaves.ts'
import { buckets, type GroupField, groupFields, timeParts } from '../../schema/model/operators.ts'
import { readDisplay, resolvedName, selectDisplay } from './fields.ts'
import type { Selection } from '../graphql/graphql-text.ts'
import { parsePath, type Path, samePaths, type SchemaContext } from './paths.ts'
import { type Json, ToolError } from '../tools/tool.ts'

export interface Group {
  /** As the caller wrote it. */
  readonly text: string
  readonly field: GroupField
  /** The field with the records whose URIs are the values; null if the values are shown themselves. */
  readonly resolved: string | null
  /** Null if the records may be of any collection. */
  readonly reference: Reference | null
}

const timeUnits = [...buckets, ...timeParts]
type TimeUnit = (typeof timeUnits)[number]

/** `path` or `path:bucket`. */
export function parseGroup(text: string, from: Collection, context: SchemaContext): Group {
  const [, before = '', named] = /^(.*?)(?::(\w+))?$/.exec(text.trim()) ?? []
  const path = readPath(notGraphql(before, from), from, context)
  const bucket = bucketOf(named ?? null, path)
  const { end } = path
  const field = groupFields(from, context.catalogue.model).find((one) => leadsTo(one, path, bucket))
  if (field === undefined) throw cannotGroup(text, path, from, context)
  const reference = end.kind === 'property' ? end.reference : null
  const resolved =
    end.kind === 'property' ? resolvedName(context.schema, `${from.typeName}AggregateGroup`, field) : null
  return { text: text.trim(), field, resolved, reference }
}

/** A path that is unknown here, but that of a field of records that refer to this one, is refused as such. */
function readPath(text: string, from: Collection, context: SchemaContext): Path {
  try {
    return parsePath(text, from, context)
  } catch (error) {
    const [same] = samePaths(text, from, context)
    if (!(error instanceof ToolError) || same === undefined) throw error
    const path = parsePath(same, from, context)
    throw path.steps.some(({ kind }) => kind === 'reverse') ? cannotGroup(same, path, from, context) : error
  }
}

/**
 * The group of the path's values, in the collection of its last reverse reference (without one, of its start); null if
 * the values cannot be grouped by.
 */
export function findGroupAtEnd(
  { text, from, steps }: Path,
  suffix: string,
  context: SchemaContext,
): { readonly holder: Collection; readonly group: Group | null } {
  const at = steps.findLastIndex(({ kind }) => kind === 'reverse')
  const step = steps[at]
  const holder = step?.kind === 'reverse' ? step.holder : from
  const own = text.split('.').slice(at + 1)
  try {
    return { holder, group: parseGroup(`${own.join('.')}${suffix}`, holder, context) }
  } catch (error) {
    if (error instanceof ToolError) return { holder, group: null }
    throw error
  }
}

export function selectGroup({ field, resolved, reference }: Group, context: SchemaContext): Selection {
  return { [field.name]: {}, ...(resolved !== null && { [resolved]: selectDisplay(reference, context) }) }
}

/** The name of the record whose URI is the value; null if there is none. */
export function readGroupName(
  { resolved, reference }: Group,
  row: Json,
  context: SchemaContext,
): string | null {
  return resolved === null ? null : readDisplay(row[resolved], reference, context)
}

/** Rejects GraphQL names of groups, which callers copy from the queries in answers, and names the path instead. */
function notGraphql(text: string, { type }: Collection): string {
  const [first = '', ...more] = text.split('_')
  const isField = type.fields.some(({ name, property }) => name === text || property === text)
  if (isField || more.length === 0 || !type.fields.some(({ name }) => name === first)) return text
  const bucket = timeUnits.find((known) => known === more.at(-1))
  const path = [first, ...(bucket === undefined ? more : more.slice(0, -1))].join('.')
  throw new ToolError(
    `"${text}" is GraphQL's name: write "${path}${bucket === undefined ? '' : `:${bucket}`}".`,
  )
}

/** Instants default to days, because two instants are hardly ever equal. */
function bucketOf(named: string | null, path: Path): TimeUnit | null {
  if (named === null) return isMoment(path) ? 'day' : null
  const bucket = timeUnits.find((known) => known.toLowerCase() === named.toLowerCase())
  if (!isMoment(path)) throw new ToolError(`"${path.text}" is not a time: group by it without ":${named}".`)
  if (bucket !== undefined) return bucket
  throw new ToolError(`"${named}" is not a unit of time to group by: write ${timeUnits.join(', ')}.`)
}

export function isMoment({ end }: Path): boolean {
  return end.kind !== 'records' && end.field.type.kind === 'datetime'
}

function leadsTo(
  { joins, leaf, bucket }: GroupField,
  { steps, end }: Path,
  wanted: TimeUnit | null,
): boolean {
  if (bucket !== wanted) return false
  const passesAll = joins.every((join, at) => {
    const step = steps[at]
    return step?.kind === 'reference' && step.field.property === join.path[0]
  })
  return passesAll && endsAt(leaf, { steps: steps.slice(joins.length), end })
}

/** Whether steps through objects of one record lead to a value. */
export function endsAt(leaf: Leaf, { steps, end }: Pick<Path, 'steps' | 'end'>): boolean {
  if (leaf.kind === 'system')
    return steps.length === 0 && end.kind === 'system' && leaf.name === end.field.name
  if (steps.length !== leaf.inside.length || end.kind === 'records' || leaf.field !== end.field) return false
  const passesAll = leaf.inside.every((field, at) => {
    const step = steps[at]
    return step?.kind === 'object' && step.field === field
  })
  return passesAll && (end.kind !== 'operator' || end.name === 'uri')
}

function cannotGroup(text: string, path: Path, from: Collection, context: SchemaContext): ToolError {
  const { label } = context.catalogue.of(from.nsid)
  const reverse = path.steps.find((step) => step.kind === 'reverse')
  if (reverse?.kind === 'reverse') {
    const other = context.catalogue.of(reverse.holder.nsid).label
    const own = reverse.reference.path.join('.')
    const named =
      path.end.kind === 'records' ? '' : ` there it is "${text.slice(text.indexOf('.') + 1)}", and`
    return new ToolError(
      `"${text}" leads to many records for one ${label}. Aggregate the collection "${other}" instead:${named} fields of the ${label} are "${own}.…".`,
    )
  }
  const own = groupFields(from, context.catalogue.model).filter(
    ({ bucket, joins }) => bucket === null && joins.length === 0,
  )
  const shown = own.map(({ leaf }) => leafPath(leaf).join('.'))
  return new ToolError(
    `${label} cannot be grouped by "${text}": groups are values of the record, of its objects, or of records up to two references away. Its own are ${shown.slice(0, 25).join(', ')}.`,
  )
}
