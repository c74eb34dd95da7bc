/** Compiles a caller's filters, which are keyed by path, to a GraphQL `where`. */
import { isObject } from '../../util/is-object.ts'
import type { Collection, Field, FieldType } from '../../schema/model/model.ts'
import { hasConditions } from '../../schema/model/operators.ts'
import type { Subject } from '../words/collections.ts'
import { filterExample } from '../words/examples.ts'
import { assertNoJoining, unknownOperator } from './filter-operators.ts'
import { arrayCondition, type Clock, isNull, isOnly, scalarCondition, strings } from './conditions.ts'
import { parseStretch } from './dates.ts'
import type { Literal } from '../graphql/graphql-text.ts'
import { parsePath, type Path, type SchemaContext, wordOf } from './paths.ts'
import { ToolError } from '../tools/tool.ts'
import { allOf, type Where, whereAlong, whereMissing, whereNone } from './where.ts'

export interface FilterContext extends SchemaContext, Clock {
  /** The URI of the only record with that name; throws a ToolError if there are none or several. */
  readonly findByName: (name: string, collection: Collection) => Promise<string>
}

/** The arguments that narrow a list or an aggregate. */
export interface Narrowing {
  readonly filters?: unknown
  readonly text?: unknown
  readonly since?: unknown
  readonly until?: unknown
}

/** Null if there are no conditions. */
export async function buildWhere(
  subject: Subject,
  { filters, text, since, until }: Narrowing,
  context: FilterContext,
): Promise<Where | null> {
  const conditions = [
    ...(await filterConditions(filters, subject.collection, context)),
    ...timeConditions(subject, since, until, context),
    ...(typeof text === 'string' && text.trim() !== '' ? [textCondition(subject, text.trim())] : []),
  ]
  const where = allOf(conditions)
  return Object.keys(where).length === 0 ? null : where
}

async function filterConditions(
  filters: unknown,
  from: Collection,
  context: FilterContext,
): Promise<Where[]> {
  if (filters === undefined || filters === null) return []
  if (typeof filters !== 'object' || Array.isArray(filters))
    throw new ToolError(`Write filters as an object, such as ${filterExample(from)}.`)
  const conditions: Where[] = []
  for (const [text, value] of Object.entries(filters)) {
    if (!from.type.fields.some(({ name, property }) => name === text || property === text))
      assertNoJoining(text)
    conditions.push(await condition(parsePath(text, from, context), asNull(value), context))
  }
  return conditions
}

/** Normalizes the spellings of "missing" to null, and `{ne: null}` to `{isNull: false}`. */
function asNull(value: unknown): unknown {
  if (!isObject(value)) return value
  if (isOnly(value, 'eq') && value.eq === null) return null
  if (isOnly(value, 'isNull') && value.isNull === true) return null
  return isOnly(value, 'ne') && value.ne === null ? { isNull: false } : value
}

/** Matches `text` in any of the text fields. */
function textCondition({ texts, display, label }: Subject, text: string): Where {
  const fields = texts.length > 0 ? texts : display === null ? [] : [display]
  if (fields.length === 0) throw new ToolError(`${label} has no text to search; use filters.`)
  const conditions = fields.map(({ name }): Where => ({ [name]: { contains: text } }))
  const [only, ...others] = conditions
  return only !== undefined && others.length === 0 ? only : { OR: conditions }
}

function timeConditions({ time }: Subject, since: unknown, until: unknown, { now }: FilterContext): Where[] {
  const bounds: Record<string, Literal> = {}
  const [first, last] = [since, until].map((text) =>
    typeof text === 'string' ? parseStretch(text, now()) : null,
  )
  if (first) bounds.gte = first.start
  // `until` includes an instant, as it includes a whole day.
  if (last) bounds[last.start === last.end ? 'lte' : 'lt'] = last.end
  if (first && last && first.start > last.end)
    throw new ToolError(`since begins at ${first.start}, after until, which ends at ${last.end}.`)
  return Object.keys(bounds).length === 0 ? [] : [{ [time]: bounds }]
}

async function condition(path: Path, value: unknown, context: FilterContext): Promise<Where> {
  const { end, text } = path
  assertFilterable(path)
  if (end.kind === 'records') return recordsCondition(path, value, context)
  if (end.kind === 'aspect') {
    if (end.name === 'uri' && value === null && end.field.type.kind !== 'array')
      return whereMissing(path.steps, end.field.name)
    if (end.name === 'uri')
      return whereAlong(path.steps, { [end.field.name]: many(end.field, uriCondition(text, value)) })
    if (typeof value !== 'boolean') throw new ToolError(`"${text}" is true or false.`)
    return whereAlong(path.steps, { [end.field.name]: many(end.field, { [end.name]: value }) })
  }
  if (end.kind === 'system') {
    const isInstant = end.name === 'indexedAt' || end.name === 'changedAt'
    if (end.name === 'actorHandle' || end.name === 'recordJson')
      throw new ToolError(`"${text}" cannot be filtered by; use "did" or a field of the record.`)
    if (value === null) return whereMissing(path.steps, end.name)
    const type: FieldType = isInstant ? { kind: 'datetime' } : plainString
    return whereAlong(path.steps, { [end.name]: scalarCondition(text, type, value, context) })
  }
  const { name, type } = end.field
  // A single text means `contains`, so that a list means `contains` of any of its texts.
  if (type.kind === 'string' && type.freeText && Array.isArray(value))
    return whereAlong(path.steps, {
      OR: strings(text, value).map((each) => ({ [name]: { contains: each } })),
    })
  const inside = await fieldCondition(path, end, value, context)
  return value === null ? whereMissing(path.steps, name) : whereAlong(path.steps, { [name]: inside })
}

/** Rejects paths that can be selected but not filtered. */
function assertFilterable({ steps, from, text }: Path): void {
  let at = from
  for (const step of steps) {
    if (step.kind === 'reference' && step.field.type.kind === 'array' && step.field.type.of.kind === 'atUri')
      throw new ToolError(
        `"${step.field.name}" is a list of URIs, behind which nothing can be filtered: filter by "${step.field.name}" itself instead of "${text}".`,
      )
    if (step.kind === 'reverse' && step.reference.target !== at.nsid)
      throw new ToolError(
        `The lexicons do not say that ${step.holder.nsid} refers to this collection alone, so it cannot be filtered by "${text}". Search that collection instead.`,
      )
    if (step.kind === 'reference') at = step.target
    if (step.kind === 'reverse') at = step.holder
  }
}

const plainString = {
  kind: 'string',
  format: null,
  freeText: false,
  bounded: true,
  categorical: false,
  code: false,
} as const

function many({ type }: Field, inner: Where): Where {
  return type.kind === 'array' ? { some: inner } : inner
}

/** Accepts `none`, `some`, or either with filters on the referring records. */
async function recordsCondition(path: Path, value: unknown, context: FilterContext): Promise<Where> {
  const last = path.steps.at(-1)
  if (last?.kind !== 'reverse') throw new Error('Referring records stand at the end of a path.')
  if (value === 'none' || value === null) return whereNone(path, {})
  if (value === 'some') return whereAlong(path.steps, {})
  if (isObject(value) && isOnly(value, 'isNull'))
    return isNull(path.text, value.isNull) ? whereNone(path, {}) : whereAlong(path.steps, {})
  if (isObject(value)) {
    const [name, ...more] = Object.keys(value)
    if ((name === 'none' || name === 'some') && more.length === 0) {
      const inner = allOf(await filterConditions(value[name], last.holder, context))
      return name === 'none' ? whereNone(path, inner) : whereAlong(path.steps, inner)
    }
  }
  throw new ToolError(
    `"${path.text}" are records that refer to this one: write "some", "none", {"none": {filters on them}}, or a field of them such as "${path.text}.${last.holder.type.fields[0]?.name ?? 'uri'}".`,
  )
}

async function fieldCondition(
  { text }: Path,
  { field, reference }: Extract<Path['end'], { kind: 'property' }>,
  value: unknown,
  context: FilterContext,
): Promise<Where> {
  const { type } = field
  if (!hasConditions(type))
    throw new ToolError(`"${text}" cannot be filtered by: it is ${wordOf(type.kind)}.`)
  if (type.kind === 'array' && type.of.kind !== 'object' && type.of.kind !== 'strongRef')
    return arrayCondition(text, type.of, value, context)
  if (value === null) return { isNull: true }
  if (isObject(value) && isOnly(value, 'isNull')) return { isNull: isNull(text, value.isNull) }
  if (type.kind === 'strongRef' || type.kind === 'atUri' || type.kind === 'array') {
    if (type.kind === 'array' && type.of.kind === 'object') throw insideOf(text, type.of)
    const target = reference?.target ?? null
    return many(field, uriCondition(text, await namesToUris(text, value, target, context)))
  }
  if (type.kind === 'object') throw insideOf(text, type)
  return scalarCondition(text, type, value, context)
}

function insideOf(text: string, type: FieldType): ToolError {
  const first = type.kind === 'object' ? type.type.fields[0]?.name : undefined
  return new ToolError(
    `"${text}" holds objects: filter by what is inside, such as "${text}.${first ?? 'name'}".`,
  )
}

/** Replaces names of records by their URIs. */
async function namesToUris(
  text: string,
  value: unknown,
  target: string | null,
  context: FilterContext,
): Promise<unknown> {
  if (typeof value === 'string') {
    if (value.startsWith('at://')) return value
    if (target === null)
      throw new ToolError(
        `"${text}" takes a URI that begins with at://, because it may refer to any collection.`,
      )
    return context.findByName(value, context.catalogue.of(target).collection)
  }
  if (Array.isArray(value)) {
    const uris: unknown[] = []
    for (const each of value) uris.push(await namesToUris(text, each, target, context))
    return uris
  }
  if (!isObject(value)) return value
  const entries: [string, unknown][] = []
  for (const [name, inner] of Object.entries(value))
    entries.push([name === 'uri' ? 'eq' : name, await namesToUris(text, inner, target, context)])
  return Object.fromEntries(entries)
}

/** A condition on the URI of a reference. */
function uriCondition(text: string, value: unknown): Where {
  if (value === null) return { isNull: true }
  if (typeof value === 'string') return { uri: { eq: value } }
  if (Array.isArray(value)) return { uri: { in: strings(text, value) } }
  if (isObject(value)) {
    const entries = Object.entries(value).map(([name, inner]): [string, Literal] => {
      if (name === 'in' || name === 'notIn') return [name, strings(text, inner)]
      if (name === 'isNull') return [name, isNull(text, inner)]
      if ((name === 'eq' || name === 'ne') && typeof inner === 'string') return [name, inner]
      throw unknownOperator(text, name, ['eq', 'ne', 'in', 'notIn', 'isNull'])
    })
    return { uri: Object.fromEntries(entries) }
  }
  throw new ToolError(`"${text}" is a reference: write a URI or the name of a record.`)
}
