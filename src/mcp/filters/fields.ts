/** Writes paths as selections, and reads their values from an answer. */
import { getNamedType, isLeafType, isObjectType, type GraphQLSchema } from 'graphql'
import type { Collection, Field, FieldType, ObjectType, Reference } from '../../schema/model/model.ts'
import type { Subject } from '../words/collections.ts'
import { mergeSelections, nested, type Selection } from '../graphql/graphql-text.ts'
import type { Path, Step, SchemaContext } from './paths.ts'
import { type Json, ToolError } from '../tools/tool.ts'

/** Referring records that are read per record for a path through a reverse reference. */
export const mostReferring = 3
/** Levels of objects that are read if a path ends at an object. */
const deepest = 3
/** Target collections that are selected for one reference, which may have any target. */
const mostTargets = 8

export function selectPath(path: Path, context: SchemaContext): Selection {
  const way = path.steps.flatMap((step) => selectStep(step, path, context))
  return nested(way, path.end.kind === 'records' ? { uri: {} } : selectEnd(path, context))
}

export function selectPaths(paths: readonly Path[], context: SchemaContext): Selection {
  return mergeSelections(paths.map((path) => selectPath(path, context)))
}

function selectStep(step: Step, path: Path, { schema }: SchemaContext): string[] {
  switch (step.kind) {
    case 'object':
      return [step.field.name]
    case 'reverse':
      return [`${step.reference.viaField}(first: ${mostReferring})`, 'nodes']
    case 'reference': {
      const name = resolvedName(schema, step.on, step.field)
      if (name !== null) return [name, `... on ${step.target.typeName}`]
      throw new ToolError(`"${path.text}" cannot be selected here; read it with run_graphql.`)
    }
  }
}

function selectEnd({ end, text }: Path, context: SchemaContext): Selection {
  if (end.kind === 'system') return { [end.name]: {} }
  if (end.kind === 'records') return { uri: {} }
  if (end.kind === 'aspect') {
    if (end.name === 'isIndexed') throw new ToolError(`"${text}" can only be filtered by.`)
    return isStrongRef(end.field) ? nested([end.field.name, end.name]) : nested([end.field.name])
  }
  const selected = selectValue(end.field.type, 0)
  if (selected === null)
    throw new ToolError(
      `"${text}" has no one shape; read whole records with detail "full", or use run_graphql.`,
    )
  const own = { [end.field.name]: selected }
  const resolved = isReference(end.field) ? resolvedName(context.schema, end.on, end.field) : null
  if (resolved === null) return own
  return mergeSelections([own, { [resolved]: selectDisplay(end.reference, context) }])
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
      nested([`... on ${collection.typeName}`], { [display?.name ?? 'uri']: {} }),
    ),
  ])
}

/** The name of a record that was read with `selectDisplay`; null if the record is not indexed or has no name. */
export function readDisplay(
  record: unknown,
  reference: Reference | null,
  context: SchemaContext,
): string | null {
  if (typeof record !== 'object' || record === null) return null
  const { __typename: type, ...named } = record as Json
  const subjects = targetsOf(reference, context)
  const subject = subjects.find(({ collection }) => subjects.length === 1 || collection.typeName === type)
  const name = subject === undefined ? null : named[subject.display?.name ?? 'uri']
  return typeof name === 'string' && name !== '' ? name : null
}

function targetsOf(reference: Reference | null, { catalogue }: SchemaContext): readonly Subject[] {
  const targets = reference?.targets ?? catalogue.subjects.map(({ collection }) => collection.nsid)
  return catalogue.subjects
    .filter(({ collection }) => targets.includes(collection.nsid))
    .slice(0, mostTargets)
}

/** The name of the `…Resolved` field of a reference; null if it is omitted in favour of a property. */
export function resolvedName(schema: GraphQLSchema, on: string, field: Field): string | null {
  const type = schema.getType(on)
  if (!isObjectType(type)) return null
  const name = `${field.name}Resolved`
  const found = type.getFields()[name]
  if (found?.extensions.role?.kind !== 'resolved' || isLeafType(getNamedType(found.type))) return null
  return name
}

/** The value of the record at the path; a list if the path passes a list; undefined if missing. */
export function readPath(path: Path, node: Json, context: SchemaContext): unknown {
  return readFrom(path.steps, path, node, context)
}

function readFrom(steps: readonly Step[], path: Path, node: unknown, context: SchemaContext): unknown {
  if (Array.isArray(node)) {
    const values = node.map((each) => readFrom(steps, path, each, context)).flat()
    const present = values.filter((value) => value !== undefined)
    return present.length === 0 ? undefined : present
  }
  if (typeof node !== 'object' || node === null) return undefined
  const record = node as Json
  const [step, ...rest] = steps
  if (step === undefined) return readEnd(path, record, context)
  if (step.kind === 'reverse') {
    const { nodes } = (record[step.reference.viaField] ?? {}) as { nodes?: unknown }
    return readFrom(rest, path, nodes, context)
  }
  const name = step.kind === 'object' ? step.field.name : resolvedName(context.schema, step.on, step.field)
  return name === null ? undefined : readFrom(rest, path, record[name], context)
}

function readEnd({ end }: Path, record: Json, context: SchemaContext): unknown {
  switch (end.kind) {
    case 'system':
      return record[end.name] ?? undefined
    case 'records':
      return record.uri
    case 'aspect': {
      const reference = record[end.field.name] as Json | string | null
      if (typeof reference !== 'object') return reference ?? undefined
      return reference?.[end.name] ?? undefined
    }
    case 'property': {
      const value = record[end.field.name] ?? undefined
      if (value === undefined || !isReference(end.field)) return withoutNulls(value)
      const name = resolvedName(context.schema, end.on, end.field)
      const resolved = name === null ? null : record[name]
      if (!Array.isArray(value)) return readDisplay(resolved, end.reference, context) ?? uriOf(value)
      const records = Array.isArray(resolved) ? resolved : []
      return value.map((each, at) => readDisplay(records[at], end.reference, context) ?? uriOf(each))
    }
  }
}

function uriOf(reference: unknown): unknown {
  return typeof reference === 'object' && reference !== null ? (reference as Json).uri : reference
}

/** Saves tokens: null members carry no information. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inside]) =>
      inside === null ? [] : [[name, withoutNulls(inside)]],
    ),
  )
}

export function isReference({ type }: Field): boolean {
  const { kind } = type.kind === 'array' ? type.of : type
  return kind === 'strongRef' || kind === 'atUri'
}

function isStrongRef({ type }: Field): boolean {
  return type.kind === 'strongRef' || (type.kind === 'array' && type.of.kind === 'strongRef')
}

/** The reference that is a property of the record itself, not of a nested object. */
export function referenceOf(collection: Collection, field: Field): Reference | null {
  return collection.references.find(({ path }) => path.length === 1 && path[0] === field.property) ?? null
}
