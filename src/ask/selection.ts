/** Selects in GraphQL what paths lead to, and reads it from answers. */
import type { Collection, FieldType, ObjectType, Reference } from '../schema/model/model.ts'
import { targetOf } from '../schema/model/operators.ts'
import type { Subject } from './collections.ts'
import { mergeSelections, nested, onType, type Selection } from './graphql-text.ts'
import { elementOf, isReference, type Path, type SchemaContext, type Step } from './paths.ts'
import { AskError } from './ask-error.ts'
import { isObject, type Json } from '../util/is-object.ts'

/** Referring records that are read per record for a path through a reverse reference. */
export const mostReferring = 3
/** Levels of objects that are read if a path ends at an object. */
const deepest = 3
/** Target collections that are selected for one reference, which may have any target. */
const mostTargets = 8

/** The URI of a record and its values at the paths; with `cite`, its CID. */
export function selectRow(paths: readonly Path[], context: SchemaContext, cite = false): Selection {
  const values = paths.map((path) => selectPath(path, context))
  return mergeSelections([{ uri: {} }, ...values, cite ? { cid: {} } : {}])
}

/** The values of a record by path, behind its URI and CID; missing values are omitted. */
export function readRow(node: Json, paths: readonly Path[], context: SchemaContext, cite = false): Json {
  const values = paths.flatMap((path): [string, unknown][] => {
    const value = readPath(node, path, context)
    return value === undefined || path.text === 'uri' ? [] : [[path.text, value]]
  })
  return { uri: node.uri, ...(cite && { cid: node['cid'] }), ...Object.fromEntries(values) }
}

export function selectPath(path: Path, context: SchemaContext): Selection {
  const way = fieldsAlong(path.steps, path.from)
  if (way === null) throw new AskError(`"${path.text}" cannot be selected here; read it with run_graphql.`)
  const totals = listsAlong(path).map(({ fields }) => nested(fields, { totalCount: {} }))
  return mergeSelections([...totals, nested(way.fields, selectEnd(path, way.on, context))])
}

/** The lists of referring records on the way: their paths, and the fields that lead to each. */
function listsAlong({ text, steps, from }: Path) {
  const parts = text.trim().split('.')
  return steps.flatMap(({ kind }, at) => {
    const way = kind === 'reverse' ? fieldsAlong(steps.slice(0, at + 1), from) : null
    const path = parts.slice(0, at + 1).join('.')
    return way === null ? [] : [{ path, fields: way.fields.slice(0, -1) }]
  })
}

/** How many records refer, by the paths of the lists that have more than are read; null without any. */
export function readTotals(node: Json, paths: readonly Path[]): Json | null {
  const totals = paths.flatMap(listsAlong).flatMap(({ path, fields }) => {
    const total = readAligned(node, fields, ({ totalCount }) => totalCount)
    const isMore = [total].flat(Infinity).some((count) => Number(count) > mostReferring)
    return isMore ? [[path, total] as const] : []
  })
  return totals.length === 0 ? null : Object.fromEntries(totals)
}

/**
 * The fields and fragments along the steps, and the type of the record or object that they lead to; null where a property
 * took the name of the field of a record behind a reference.
 */
export function fieldsAlong(steps: readonly Step[], from: Collection) {
  const fields: string[] = []
  let on = from.type
  for (const { kind, name, record } of steps) {
    const resolved = kind === 'reference' ? resolvedName(on.fields, name) : name
    if (resolved === null) return null
    if (kind === 'reverse') fields.push(`${name}(first: ${mostReferring})`, 'nodes')
    else fields.push(resolved, ...(record === null ? [] : [onType(record.typeName)]))
    const field = on.fields.find((each) => each.name === name)
    const inside = field === undefined ? null : elementOf(field.type)
    on = record?.type ?? (inside?.kind === 'object' ? inside.type : on)
  }
  return { fields, on }
}

/**
 * What `read` takes from the object behind the fields. Of several on the way it is a list, with null where one has nothing,
 * so that lists of one way have their values in the same places; undefined if none has anything.
 */
function readAligned(value: unknown, fields: readonly string[], read: (holder: Json) => unknown): unknown {
  if (Array.isArray(value)) {
    const values = value.map((each) => readAligned(each, fields, read) ?? null)
    return values.every((each) => each === null) ? undefined : values
  }
  const [field, ...rest] = fields
  if (field?.startsWith(onType(''))) return readAligned(value, rest, read)
  if (!isObject(value)) return undefined
  return field === undefined ? read(value) : readAligned(value[field.replace(/\(.*/, '')], rest, read)
}

function selectEnd({ end, text }: Path, on: ObjectType, context: SchemaContext): Selection {
  if (end.kind === 'records' && end.isCount)
    throw new AskError(`"${text}" can only be filtered, sorted and measured by.`)
  if (end.kind === 'records') return { uri: {} }
  const { name, type } = end.field
  if (end.kind === 'operator') {
    if (end.name === 'isIndexed') throw new AskError(`"${text}" can only be filtered by.`)
    return { [name]: elementOf(type).kind === 'strongRef' ? { [end.name]: {} } : {} }
  }
  const selected = selectValue(type, 0)
  if (selected === null)
    throw new AskError(
      `Values of "${text}" have several shapes; read whole records with detail "full", or use run_graphql.`,
    )
  if (end.kind === 'system' || !isReference(end.field.type)) return { [name]: selected }
  const resolved = resolvedName(on.fields, name)
  return {
    [name]: selected,
    ...(resolved !== null && { [resolved]: selectDisplay(end.reference, context) }),
  }
}

/** Null if nothing of the value can be selected. */
function selectValue(type: FieldType, depth: number): Selection | null {
  switch (type.kind) {
    case 'array':
      return selectValue(type.of, depth)
    case 'strongRef':
      return { uri: {} }
    case 'blob':
      return { ref: {}, mimeType: {}, size: {} }
    case 'union':
      return type.type.members.length === 0 && type.type.closed ? {} : null
    case 'object':
      return selectObject(type.type, depth)
    default:
      return {}
  }
}

function selectObject(type: ObjectType, depth: number): Selection | null {
  if (type.fields.length === 0) return { _empty: {} }
  if (depth === deepest) return null
  const fields = type.fields.flatMap((field) => {
    const below = selectValue(field.type, depth + 1)
    return below === null ? [] : [[field.name, below] as const]
  })
  return fields.length === 0 ? { __typename: {} } : Object.fromEntries(fields)
}

/** Selects the name field in each collection that the reference may lead to. */
export function selectDisplay(reference: Reference | null, context: SchemaContext): Selection {
  const subjects = targetsOf(reference, context)
  return mergeSelections([
    subjects.length === 1 ? {} : { __typename: {} },
    ...subjects.map(({ collection, display }) =>
      nested([onType(collection.typeName), display?.name ?? 'uri']),
    ),
  ])
}

/** The name of a record that was read with `selectDisplay`; null if the record is not indexed or has no name. */
function readDisplay(record: unknown, reference: Reference | null, context: SchemaContext): string | null {
  if (!isObject(record)) return null
  const subjects = targetsOf(reference, context)
  const subject = subjects.find(
    ({ collection }) => subjects.length === 1 || collection.typeName === record['__typename'],
  )
  const name = subject === undefined ? null : record[subject.display?.name ?? 'uri']
  return typeof name === 'string' && name !== '' ? name : null
}

/** Characters of a name that stands before its URI. */
const shortName = 40

/**
 * What to call the record behind a reference; null if that is its URI. Names mean records of one collection: behind a
 * reference to several the URI follows.
 */
export function recordLabel(
  uri: string,
  record: unknown,
  reference: Reference | null,
  context: SchemaContext,
): string | null {
  const name = readDisplay(record, reference, context)
  if (targetOf(reference, context.catalogue.model) !== null) return context.labels?.get(uri) ?? name
  // A filter takes what begins like a URI as one.
  if (name === null || name.startsWith('at://')) return null
  const letters = Array.from(name)
  const shown = letters.length > shortName ? `${letters.slice(0, shortName).join('')}…` : name
  return `${shown} (${uri})`
}

function targetsOf(reference: Reference | null, { catalogue }: SchemaContext): readonly Subject[] {
  const { subjects } = catalogue
  const targets = reference?.targets
  const possible = targets ? subjects.filter(({ collection }) => targets.includes(collection.nsid)) : subjects
  return possible.slice(0, mostTargets)
}

/** The name of the `…Resolved` field of a reference; null if it is omitted in favour of another of the fields next to it. */
export function resolvedName(fields: readonly { readonly name: string }[], reference: string): string | null {
  const name = `${reference}Resolved`
  return fields.some((field) => field.name === name) ? null : name
}

function readPath(node: Json, path: Path, context: SchemaContext): unknown {
  const way = fieldsAlong(path.steps, path.from)
  return way === null
    ? undefined
    : readAligned(node, way.fields, (holder) => readEnd(path, way.on, holder, context))
}

function readEnd({ end }: Path, on: ObjectType, record: Json, context: SchemaContext): unknown {
  if (end.kind === 'records') return record.uri
  const value = record[end.field.name] ?? undefined
  if (end.kind === 'system') return value
  if (end.kind === 'operator')
    return typeof value === 'object' ? ((value as Json)[end.name] ?? undefined) : value
  if (value === undefined || !isReference(end.field.type)) return withoutNulls(value)
  const name = resolvedName(on.fields, end.field.name)
  const resolved = name === null ? null : record[name]
  const nameOf = (reference: unknown, target: unknown) => {
    const uri = isObject(reference) ? reference.uri : reference
    return recordLabel(String(uri), target, end.reference, context) ?? uri
  }
  if (!Array.isArray(value)) return nameOf(value, resolved)
  const records = Array.isArray(resolved) ? resolved : []
  return value.map((each, at) => nameOf(each, records[at]))
}

/** Saves tokens: null members carry no information. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([, inside]) => inside !== null)
  return Object.fromEntries(members.map(([name, inside]) => [name, withoutNulls(inside)]))
}
