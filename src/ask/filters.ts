/** Compiles a caller's filters, which are keyed by path, to a GraphQL `where`. */
import type { Collection, FieldType } from '../schema/model/model.ts'
import { leafType } from '../schema/model/leaves.ts'
import { hasConditions, targetOf } from '../schema/model/operators.ts'
import type { Subject } from './collections.ts'
import {
  arrayCondition,
  type Clock,
  isListOfConditions,
  isNull,
  isOnly,
  meansMissing,
  notAfter,
  nullAdvice,
  scalarCondition,
  strings,
  uriCondition,
} from './conditions.ts'
import { parseStretch, printStretch, relativeTimes } from './dates.ts'
import { handlesToDids, type NameLookup, namesToUris } from './references.ts'
import type { End, Path, SchemaContext } from './paths.ts'
import { elementOf, holderAfter, isReference, parsePath, wordOf } from './paths.ts'
import { AskError } from './ask-error.ts'
import { isObject, type Json } from '../util/is-object.ts'
import { allOf, presence, type Where, nest, whereMissing, whereNone, type WherePart } from './where.ts'

export interface FilterContext extends SchemaContext, Clock {
  readonly names: NameLookup
  /** The time from which times count in conditions on that collection. */
  referenceTime(collection: Collection): Promise<Date>
  /** Takes note of what a time that counts from there was read as. */
  noteTime(text: string, read: string): void
}

/** The arguments that narrow a list or an aggregate. */
export interface Narrowing extends Json {
  readonly filters?: unknown
  /** Words in the syntax of GraphQL's `search`, an argument beside `where`. */
  readonly search?: string | undefined
  readonly text?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** A filter on a value that the lexicon lists, such as `{"sentiment": "negative"}`. */
export function filterExample({ type }: Collection): string {
  const named = type.fields.find(({ constraints }) => constraints.values.length > 0)
  if (named !== undefined) return JSON.stringify({ [named.name]: named.constraints.values[0] })
  const [any] = type.fields
  return any === undefined ? '{"indexedAt": "today"}' : JSON.stringify({ [any.name]: { isNull: false } })
}

/** Null if there are no conditions. */
export async function buildWhere(
  subject: Subject,
  { filters, text, since, until }: Narrowing,
  context: FilterContext,
): Promise<Where | null> {
  const own = await filterConditions(filters, subject.collection, context)
  const clock = await clockOf({ gte: since, lte: until }, subject.collection, context)
  const conditions = [
    ...own,
    ...timeConditions(subject, since, until, clock),
    ...(text?.trim() ? [textCondition(subject, text.trim())] : []),
  ]
  const where = allOf(conditions)
  return Object.keys(where).length === 0 ? null : where
}

async function filterConditions(
  filters: unknown,
  from: Collection,
  context: FilterContext,
): Promise<WherePart[]> {
  if (filters === undefined || filters === null) return []
  if (!isObject(filters)) throw new AskError(`Write filters as an object, such as ${filterExample(from)}.`)
  return Array.fromAsync(Object.entries(filters), ([text, value]) => {
    if (!from.type.fields.some(({ name, property }) => name === text || property === text))
      assertNoJoining(text)
    return condition(parsePath(text, from, context), asNull(value), context)
  })
}

/** Rejects `AND`, `OR` and `NOT`, which users of GraphQL filters expect: filters are always joined by `AND`. */
function assertNoJoining(name: string): void {
  if (/^\$?(or|and|not|nor)$/i.test(name))
    throw new AskError(
      `"${name}" is not a field: all filters have to hold. For one field or another value write a list of values or {"ne": …}; for one condition or another ask twice, or use run_graphql.`,
    )
}

/** Normalizes the spellings of "missing" to null, as answers show it too, and `{ne: null}` to `{isNull: false}`. */
function asNull(value: unknown): unknown {
  if (value === '(missing)') return null
  if (!isObject(value)) return value
  if (isOnly(value, 'eq') && value.eq === null) return null
  if (isOnly(value, 'isNull') && value.isNull === true) return null
  return isOnly(value, 'ne') && value.ne === null ? { isNull: false } : value
}

/** Matches `text` in any of the text fields. */
function textCondition({ texts, display, label }: Subject, text: string): Where {
  const fields = texts.length > 0 ? texts : display === null ? [] : [display]
  if (fields.length === 0) throw new AskError(`${label} has no text to search; use filters.`)
  const conditions = fields.map(({ name }): Where => ({ [name]: { contains: text } }))
  const [only, ...others] = conditions
  return only !== undefined && others.length === 0 ? only : { OR: conditions }
}

function timeConditions(
  { time }: Subject,
  since: string | undefined,
  until: string | undefined,
  { now }: Clock,
): Where[] {
  const first = since === undefined ? null : parseStretch(since, now())
  const last = until === undefined ? null : parseStretch(until, now())
  if (first && last && first.start > last.end)
    throw new AskError(`since begins at ${first.start}, after until, which ends at ${last.end}.`)
  if (!first && !last) return []
  return [{ [time]: { ...(first && { gte: first.start }), ...(last && notAfter(last)) } }]
}

/** The reference time is read only for values that need it. */
async function clockOf(value: unknown, of: Collection, context: FilterContext): Promise<Clock> {
  const relative = relativeTimes(value)
  if (relative.length === 0) return context
  const at = await context.referenceTime(of)
  for (const [text, operator] of relative)
    context.noteTime(text, printStretch(parseStretch(text, at), operator))
  return { now: () => at }
}

/** Refusals of words for a missing value name `null`. */
async function condition(path: Path, value: unknown, context: FilterContext): Promise<WherePart> {
  try {
    return await readCondition(path, value, context)
  } catch (error) {
    const { end, text } = path
    const mayMiss = end.kind === 'property' || end.kind === 'records'
    if (!(error instanceof AskError) || !mayMiss || !meansMissing(value)) throw error
    throw new AskError(`${error.message} ${nullAdvice(text)}`)
  }
}

async function readCondition(path: Path, value: unknown, context: FilterContext): Promise<WherePart> {
  const { steps, end, text } = path
  assertFilterable(path)
  if (end.kind === 'records') return recordsCondition(path, end, value, context)
  const { name, type } = end.field
  if (end.kind === 'operator') {
    if (end.name === 'uri' && value === null && type.kind !== 'array')
      return whereMissing([...steps, { name, some: false }], { isNull: false })
    if (end.name === 'uri') {
      const target = targetOf(end.reference, context.catalogue.model)
      const uris = await namesToUris(text, value, target, context.names)
      return nest({ steps }, { [name]: many(type, uriCondition(text, uris)) })
    }
    if (typeof value !== 'boolean') throw new AskError(`"${text}" is true or false.`)
    return nest({ steps }, { [name]: many(type, { [end.name]: value }) })
  }
  if (end.kind === 'system' && (name === 'did' || name === 'actorHandle')) {
    if (value === null) throw new AskError(`Every record has a "did"; filter by other fields.`)
    const dids = await handlesToDids(text, value, holderAfter(path.steps, path.from), context.names)
    return nest({ steps }, { did: scalarCondition(text, type, dids, context) })
  }
  if (end.kind === 'system' && name === 'recordJson')
    throw new AskError(`"${text}" cannot be filtered by; use a field of the record.`)
  if (!hasConditions(type)) throw new AskError(`"${text}" cannot be filtered by: it is ${wordOf(type.kind)}.`)
  if (value === null)
    return whereMissing([...steps, { name, some: false }], presence(elementOf(type), type.kind === 'array'))
  const clock =
    elementOf(type).kind === 'datetime'
      ? await clockOf(value, holderAfter(path.steps, path.from), context)
      : context
  if (isListOfConditions(type) && Array.isArray(value)) {
    const any = strings(text, value).map((each) => ({ [name]: scalarCondition(text, type, each, clock) }))
    return nest({ steps }, { OR: any })
  }
  const isOwnUri = end.kind === 'system' && name === 'uri'
  const target = isOwnUri
    ? holderAfter(path.steps, path.from)
    : targetOf(end.kind === 'property' ? end.reference : null, context.catalogue.model)
  const isNamed = isOwnUri || isReference(type)
  const given = isNamed ? await namesToUris(text, value, target, context.names) : value
  if (isObject(given) && 'matches' in given && steps.some(({ kind, some }) => kind === 'object' && some))
    throw new AskError(`"${text}" is inside a list, where "matches" finds no words. Use contains.`)
  return nest({ steps }, { [name]: fieldCondition(text, type, given, clock) })
}

/** Rejects paths that can be selected but not filtered. */
function assertFilterable({ steps, from, text }: Path): void {
  for (const [at, step] of steps.entries()) {
    const { name } = step
    if (step.kind === 'reference' && step.some && step.reference.kind === 'atUri')
      throw new AskError(
        `"${name}" is a list of URIs, behind which nothing can be filtered: filter by "${name}" itself instead of "${text}".`,
      )
    if (step.kind === 'reverse' && step.reference.target !== holderAfter(steps.slice(0, at), from).nsid)
      throw new AskError(
        `The lexicons do not say that ${step.record.nsid} refers to this collection alone, so it cannot be filtered by "${text}". Search that collection instead.`,
      )
  }
}

function many(type: FieldType, inner: Where): Where {
  return type.kind === 'array' ? { some: inner } : inner
}

/** Accepts `none`, `some`, or either with filters on the referring records; of their number a number. */
async function recordsCondition(
  { steps, text }: Path,
  { last, isCount }: Extract<End, { kind: 'records' }>,
  value: unknown,
  context: FilterContext,
): Promise<Where> {
  if (isCount) {
    const count = scalarCondition(text, leafType({ ...last, kind: 'count' }), value ?? 0, context)
    return nest({ steps: steps.slice(0, -1) }, { [last.name]: { count } })
  }
  const quantifier = value === null ? 'none' : value
  const given = quantifier === 'none' || quantifier === 'some' ? { [quantifier]: {} } : value
  const [entry, ...others] = isObject(given) ? Object.entries(given) : []
  const [name, inside] = others.length === 0 && entry !== undefined ? entry : []
  if (name === 'isNull') return isNull(text, inside) ? whereNone(steps, last, {}) : nest({ steps }, {})
  if (name === 'none' || name === 'some') {
    const inner = allOf(await filterConditions(inside, last.record, context))
    return name === 'none' ? whereNone(steps, last, inner) : nest({ steps }, inner)
  }
  throw new AskError(
    `"${text}" are records that refer to this one: write "some", "none", {"none": {filters on them}}, or a field of them such as "${text}.${last.record.type.fields[0]?.name ?? 'uri'}".`,
  )
}

/** A condition on a present value; names of records are URIs already. */
function fieldCondition(text: string, type: FieldType, value: unknown, clock: Clock): Where {
  const element = elementOf(type)
  if (type.kind === 'array' && element.kind !== 'object' && element.kind !== 'strongRef')
    return arrayCondition(text, element, value, clock)
  if (isObject(value) && isOnly(value, 'isNull')) return { isNull: isNull(text, value.isNull) }
  if (element.kind === 'object')
    throw new AskError(
      `"${text}" holds objects: filter by what is inside, such as "${text}.${element.type.fields[0]?.name ?? 'name'}".`,
    )
  if (isReference(element)) return many(type, uriCondition(text, value))
  return scalarCondition(text, type, value, clock)
}
