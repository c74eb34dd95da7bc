/** Writes paths as selections, and reads their values from an answer. */
import { getNamedType, isLeafType, isObjectType, type GraphQLSchema } from 'graphql'
import type { Field, FieldType, ObjectType, Reference } from '../../schema/model/model.ts'
import { isObject } from '../../util/is-object.ts'
import type { Subject } from '../words/collections.ts'
import { mergeSelections, nested, type Selection } from '../graphql/graphql-text.ts'
import { elementOf, type Path, type SchemaContext, type Step } from './paths.ts'
import { type Json, ToolError } from '../tools/tool.ts'

/** Referring records that are read per record for a path through a reverse reference. */
const mostReferring = 3
/** Levels of objects that are read if a path ends at an object. */
const deepest = 3
/** Target collections that are selected for one reference, which may have any target. */
const mostTargets = 8

/** The URI of a record and its values at the paths. */
export function selectRow(paths: readonly Path[], context: SchemaContext): Selection {
  return mergeSelections([{ uri: {} }, ...paths.map((path) => selectPath(path, context))])
}

/** The values of a record by path; missing values are omitted. */
export function readRow(node: Json, paths: readonly Path[], context: SchemaContext): Json {
  const values = paths.flatMap((path): [string, unknown][] => {
    const value = readFrom(path.steps, path, node, context)
    return value === undefined || path.text === 'uri' ? [] : [[path.text, value]]
  })
  return { uri: node.uri, ...Object.fromEntries(values) }
}

/** The row with the CID of its record behind the URI, if callers ask for it. */
export function citedRow({ cid }: Json, row: Json, cite: boolean): Json {
  return cite ? { uri: row['uri'], cid, ...row } : row
}

export function selectPath(path: Path, context: SchemaContext): Selection {
  const fields = path.steps.flatMap((step) => selectStep(step, path, context))
  return nested(fields, selectEnd(path, context))
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
  if (end.kind === 'records') return { uri: {} }
  const { name, type } = end.field
  if (end.kind === 'operator') {
    if (end.name === 'isIndexed') throw new ToolError(`"${text}" can only be filtered by.`)
    return { [name]: elementOf(type).kind === 'strongRef' ? { [end.name]: {} } : {} }
  }
  const selected = selectValue(type, 0)
  if (selected === null)
    throw new ToolError(
      `Values of "${text}" have several shapes; read whole records with detail "full", or use run_graphql.`,
    )
  if (end.kind === 'system' || !isReference(end.field)) return { [name]: selected }
  const resolved = resolvedName(context.schema, end.on, end.field)
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
  if (!isObject(record)) return null
  const subjects = targetsOf(reference, context)
  const subject = subjects.find(
    ({ collection }) => subjects.length === 1 || collection.typeName === record['__typename'],
  )
  const name = subject === undefined ? null : record[subject.display?.name ?? 'uri']
  return typeof name === 'string' && name !== '' ? name : null
}

function targetsOf(reference: Reference | null, { catalogue }: SchemaContext): readonly Subject[] {
  const { subjects } = catalogue
  const targets = reference?.targets
  const possible = targets ? subjects.filter(({ collection }) => targets.includes(collection.nsid)) : subjects
  return possible.slice(0, mostTargets)
}

/** The name of the `…Resolved` field of a reference; null if it is omitted in favour of a property. */
export function resolvedName(
  schema: GraphQLSchema,
  on: string,
  field: { readonly name: string },
): string | null {
  const type = schema.getType(on)
  const name = `${field.name}Resolved`
  const found = isObjectType(type) ? type.getFields()[name] : undefined
  const { kind } = found?.extensions.role ?? {}
  if (found === undefined || (kind !== 'resolved' && kind !== 'groupResolved')) return null
  return isLeafType(getNamedType(found.type)) ? null : name
}

function readFrom(steps: readonly Step[], path: Path, node: unknown, context: SchemaContext): unknown {
  if (Array.isArray(node)) {
    const values = node.map((each) => readFrom(steps, path, each, context)).flat()
    const present = values.filter((value) => value !== undefined)
    return present.length === 0 ? undefined : present
  }
  if (!isObject(node)) return undefined
  const [step, ...rest] = steps
  if (step === undefined) return readEnd(path, node, context)
  if (step.kind === 'reverse') {
    const { nodes } = (node[step.reference.viaField] ?? {}) as { nodes?: unknown }
    return readFrom(rest, path, nodes, context)
  }
  const name = step.kind === 'object' ? step.field.name : resolvedName(context.schema, step.on, step.field)
  return name === null ? undefined : readFrom(rest, path, node[name], context)
}

function readEnd({ end }: Path, record: Json, context: SchemaContext): unknown {
  if (end.kind === 'records') return record.uri
  const value = record[end.field.name] ?? undefined
  if (end.kind === 'system') return value
  if (end.kind === 'operator')
    return typeof value === 'object' ? ((value as Json)[end.name] ?? undefined) : value
  if (value === undefined || !isReference(end.field)) return withoutNulls(value)
  const name = resolvedName(context.schema, end.on, end.field)
  const resolved = name === null ? null : record[name]
  const nameOf = (reference: unknown, target: unknown) =>
    readDisplay(target, end.reference, context) ?? (isObject(reference) ? reference.uri : reference)
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

export function isReference({ type }: Field): boolean {
  const { kind } = elementOf(type)
  return kind === 'strongRef' || kind === 'atUri'
}
