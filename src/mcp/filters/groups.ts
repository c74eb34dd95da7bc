/** Parses paths into groups and measures of an aggregate. */
import { isObjectType } from 'graphql'
import type { Collection, FieldType, Reference } from '../../schema/model/model.ts'
import {
  type Bucket,
  buckets,
  type GroupField,
  groupFields,
  leafType,
  measureFields,
} from '../../schema/model/operators.ts'
import { nearest } from '../../util/text/nearest.ts'
import { parsePath, type Path, type SchemaContext } from './paths.ts'
import { ToolError } from '../tools/tool.ts'

export interface Group {
  /** As the caller wrote it. */
  readonly text: string
  readonly field: GroupField
  /** The reference whose URIs are the values, if they are shown by name; `any` without a known reference. */
  readonly reference: Reference | 'any' | null
}

export const measureKinds = ['avg', 'sum', 'min', 'max', 'distinct'] as const
export type MeasureKind = (typeof measureKinds)[number]

const otherWords: ReadonlyMap<string, MeasureKind> = new Map([
  ['countdistinct', 'distinct'],
  ['average', 'avg'],
  ['mean', 'avg'],
])

export interface Measure {
  readonly text: string
  readonly kind: MeasureKind
  /** The GraphQL name of the measured field; for `distinct`, of the group field. */
  readonly field: string
  readonly type: FieldType
}

/** `path` or `path:bucket`. */
export function parseGroup(text: string, from: Collection, context: SchemaContext): Group {
  const [, before = '', named] = /^(.*?)(?::(\w+))?$/.exec(text.trim()) ?? []
  const path = parsePath(notGraphql(before, from), from, context)
  const bucket = bucketOf(named ?? null, path)
  const { end } = path
  const found = groupFields(from, context.catalogue.model).find((field) => leadsTo(field, path, bucket))
  if (found === undefined) throw cannotGroup(text, path, from, context)
  const type = leafType(found.leaf)
  const isReference = type.kind === 'strongRef' || type.kind === 'atUri'
  const byName = end.kind === 'property' && isReference && hasResolved(from, found, context)
  return { text: text.trim(), field: found, reference: byName ? (end.reference ?? 'any') : null }
}

/** As `parseGroup`, but null if the path cannot be grouped by. */
export function findGroup(text: string, from: Collection, context: SchemaContext): Group | null {
  try {
    return parseGroup(text, from, context)
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}

/** The holder of the last reverse reference (without one, the path's start), and the rest of the path from there. */
export function holdingEnd({ text, from, steps }: Path): {
  readonly holder: Collection
  readonly own: string
} {
  const at = steps.findLastIndex(({ kind }) => kind === 'reverse')
  const step = steps[at]
  const holder = step?.kind === 'reverse' ? step.holder : from
  return {
    holder,
    own: text
      .split('.')
      .slice(at + 1)
      .join('.'),
  }
}

/** Rejects GraphQL names of groups, which callers copy from the queries in answers, and names the path instead. */
function notGraphql(text: string, { type }: Collection): string {
  const [first = '', ...more] = text.split('_')
  const isPath =
    more.length > 0 && !type.fields.some(({ name, property }) => name === text || property === text)
  if (!isPath || !type.fields.some(({ name }) => name === first)) return text
  const last = more.at(-1)
  const bucket = buckets.find((known) => known === last)
  const path = [first, ...(bucket === undefined ? more : more.slice(0, -1))].join('.')
  throw new ToolError(
    `"${text}" is GraphQL's name: write "${path}${bucket === undefined ? '' : `:${bucket}`}".`,
  )
}

/** False if the `…Resolved` field of the group is omitted in favour of another field of that name. */
function hasResolved({ typeName }: Collection, { name }: GroupField, { schema }: SchemaContext): boolean {
  const type = schema.getType(`${typeName}AggregateGroup`)
  return isObjectType(type) && type.getFields()[`${name}Resolved`]?.extensions.role?.kind === 'groupResolved'
}

/** Instants default to days, because two instants are hardly ever equal. */
function bucketOf(named: string | null, { end, text }: Path): Bucket | null {
  const isMoment =
    (end.kind === 'property' && end.field.type.kind === 'datetime') ||
    (end.kind === 'system' && (end.name === 'indexedAt' || end.name === 'changedAt'))
  if (named === null) return isMoment ? 'day' : null
  const bucket = buckets.find((known) => known === named.toLowerCase())
  if (!isMoment) throw new ToolError(`"${text}" is no time: group by it without ":${named}".`)
  if (bucket !== undefined) return bucket
  throw new ToolError(`"${named}" is no stretch of time to group by: write ${buckets.join(', ')}.`)
}

function leadsTo({ joins, leaf, bucket }: GroupField, { steps, end }: Path, wanted: Bucket | null): boolean {
  if (bucket !== wanted || joins.length !== steps.length) return false
  const same = joins.every((join, at) => {
    const step = steps[at]
    return step?.kind === 'reference' && step.field.property === join.path[0]
  })
  if (!same || end.kind === 'records') return false
  if (end.kind === 'system') return leaf.kind === 'system' && leaf.name === end.name
  return (
    leaf.kind === 'property' && leaf.field === end.field && (end.kind === 'property' || end.name === 'uri')
  )
}

function cannotGroup(text: string, path: Path, from: Collection, context: SchemaContext): ToolError {
  const { label } = context.catalogue.of(from.nsid)
  const reverse = path.steps.find((step) => step.kind === 'reverse')
  if (reverse?.kind === 'reverse') {
    const other = context.catalogue.of(reverse.holder.nsid).label
    const own = reverse.reference.path.join('.')
    return new ToolError(
      `"${text}" leads to many records for one ${label}. Aggregate the collection "${other}" instead: there it is "${text.slice(text.indexOf('.') + 1)}", and fields of the ${label} are "${own}.…".`,
    )
  }
  const names = groupFields(from, context.catalogue.model).filter(({ bucket }) => bucket === null)
  const shown = names.filter(({ joins }) => joins.length === 0).map(({ name }) => name)
  return new ToolError(
    `${label} cannot be grouped by "${text}": groups are single values of the record, or of records up to two references away. Its own are ${shown.slice(0, 25).join(', ')}.`,
  )
}

/** `avg:clickbaitScore`, `max:publishedAt`, `distinct:article.source`. */
export function parseMeasure(text: string, from: Collection, context: SchemaContext): Measure {
  const [, before = '', path = ''] = /^(\w+)[:(](.+?)\)?$/.exec(text.trim()) ?? []
  const kind = measureKinds.find((known) => known === before) ?? otherWords.get(before.toLowerCase())
  if (kind === undefined)
    throw new ToolError(
      `"${text.slice(0, 80)}" is no measure. Write one of ${measureKinds.join(', ')}, a colon and a field, such as "avg:${numberOf(from)}".`,
    )
  const written = `${kind}:${path}`
  if (kind === 'distinct') {
    const { field } = parseGroup(path, from, context)
    return { text: written, kind, field: field.name, type: { kind: 'integer', bits: 53, values: null } }
  }
  const parsed = parsePath(path, from, context)
  const wanted = parsed.steps.length > 0 ? null : nameOf(parsed)
  const found = measureFields(from).find(({ name }) => name === wanted)
  const type = found === undefined ? null : leafType(found.leaf)
  if (found === undefined || type === null || (type.kind !== 'integer' && (kind === 'avg' || kind === 'sum')))
    throw notMeasured(kind, path, parsed, from, context)
  return { text: written, kind, field: found.name, type }
}

function nameOf({ end }: Path): string | null {
  if (end.kind === 'system') return end.name
  return end.kind === 'property' ? end.field.name : null
}

function notMeasured(
  kind: string,
  path: string,
  parsed: Path,
  from: Collection,
  context: SchemaContext,
): ToolError {
  const names = measuredNames(from, kind)
  const { label } = context.catalogue.of(from.nsid)
  if (parsed.steps.length > 0) {
    const step = parsed.steps[0]
    const other = step?.kind === 'reverse' ? context.catalogue.of(step.holder.nsid).label : null
    const instead =
      other === null
        ? ''
        : ` Aggregate "${other}" instead, with "${kind}:${path.slice(path.indexOf('.') + 1)}".`
    return new ToolError(
      `${kind} is taken of ${label}'s own fields: ${names.join(', ') || 'it has none'}.${instead}`,
    )
  }
  const near = nearest(path, names)
  const meant = near === null ? '' : ` Did you mean "${near}"?`
  return new ToolError(
    `${kind} is taken of ${names.join(', ') || `nothing in ${label}`}, not of "${path}".${meant}`,
  )
}

function measuredNames(from: Collection, kind: string): string[] {
  return measureFields(from)
    .filter(({ leaf }) => leafType(leaf).kind === 'integer' || (kind !== 'avg' && kind !== 'sum'))
    .map(({ name }) => name)
}

function numberOf(from: Collection): string {
  return measuredNames(from, 'avg')[0] ?? 'field'
}
