/** The columns that `fields` names, and the selection that reads them; references to one collection are followed. */
import type { GraphQLField, GraphQLObjectType, GraphQLOutputType, GraphQLSchema } from 'graphql'
import { getNamedType, getNullableType, isListType, isObjectType } from 'graphql/type'
import type { ColumnType, FileColumn } from '../../files/file-spec.ts'
import type { Collection, Reference } from '../../schema/model/model.ts'
import { usualColumns } from '../../schema/graphql/usual-columns.ts'
import { nearest } from '../../util/text/nearest.ts'
import { badInput } from '../parse/prepare.ts'

export interface ExportFields {
  readonly columns: readonly FileColumn[]
  /** Without braces. */
  readonly selection: string
}

/** What holds a field: a record, or an object of one. */
interface Holder {
  readonly collection: Collection
  readonly type: GraphQLObjectType
  /** Properties of the record. */
  readonly path: readonly string[]
}

/** A response key with what is selected below; `on` is the type of a record behind a reference. */
interface Node {
  readonly on: string | null
  readonly below: Map<string, Node>
}

/** A value to read: the keys that lead to it, with the types of records on the way. */
interface Found {
  readonly steps: readonly { readonly key: string; readonly on: string | null }[]
  readonly type: ColumnType
  /** What is selected below the last key: the fields of objects in an array. */
  readonly selection: string
}

/** Maximum number of columns. */
const mostColumns = 200
/** Objects in an array are printed to this depth. */
const mostNested = 3

/** `names` is null for the fields that files have when nothing is said. */
export function readFields(
  schema: GraphQLSchema,
  collection: Collection,
  names: readonly string[] | null,
): ExportFields {
  const holder = recordHolder(schema, collection)
  const wanted = names ?? usualColumns(holder.type)
  if (wanted.includes(''))
    throw badInput(
      '`fields` has an empty name. Write names separated by commas, or leave `fields` out for all.',
    )
  if (wanted.length > mostColumns)
    throw badInput(`\`fields\` has ${wanted.length} names, and a file at most ${mostColumns} columns.`)
  const columns: FileColumn[] = []
  const tree = new Map<string, Node>()
  const ends = new Map<string, string>()
  for (const name of wanted) {
    for (const [columnName, found] of findFields(schema, holder, name.split('.'), name)) {
      if (columns.some((column) => column.name === columnName))
        throw badInput(`\`fields\` names \`${columnName}\` twice.`)
      const path = found.steps.map(({ key }) => key)
      columns.push({ name: columnName, type: found.type, path })
      ends.set(path.join('.'), found.selection)
      plant(tree, found.steps)
    }
  }
  return { columns, selection: print(tree, [], ends) }
}

function plant(tree: Map<string, Node>, steps: Found['steps']): void {
  let level = tree
  for (const { key, on } of steps) {
    const node = level.get(key) ?? { on, below: new Map<string, Node>() }
    level.set(key, node)
    level = node.below
  }
}

function print(
  tree: ReadonlyMap<string, Node>,
  path: readonly string[],
  ends: ReadonlyMap<string, string>,
): string {
  return [...tree]
    .map(([key, { on, below }]) => {
      const here = [...path, key]
      if (below.size === 0) return `${key}${ends.get(here.join('.')) ?? ''}`
      const inside = print(below, here, ends)
      return `${key} { ${on === null ? inside : `... on ${on} { ${inside} }`} }`
    })
    .join(' ')
}

function recordHolder(schema: GraphQLSchema, collection: Collection): Holder {
  return { collection, type: schema.getType(collection.typeName) as GraphQLObjectType, path: [] }
}

/** The fields with the names of their columns: several, if the name is that of an object. */
function findFields(
  schema: GraphQLSchema,
  holder: Holder,
  [name = '', ...rest]: readonly string[],
  whole: string,
): readonly (readonly [string, Found])[] {
  const fields = holder.type.getFields()
  const field = fields[name]
  if (field === undefined || !isValue(field)) throw unknownField(holder.type, name, whole)
  const shape = shapeOf(field.type)
  const property = propertyOf(field)
  const here = { ...holder, path: property === null ? holder.path : [...holder.path, property] }
  if (
    rest.length > 0 &&
    !(shape.kind === 'object' && rest[0] !== undefined && rest[0] in shape.type.getFields())
  ) {
    const behind = follow(schema, here, field, whole)
    if (behind !== null)
      return below(findFields(schema, behind.holder, rest, whole), behind.key, behind.holder.type.name)
  }
  switch (shape.kind) {
    case 'scalar':
      if (rest.length > 0) throw badInput(`\`${whole}\` in \`fields\`: \`${name}\` has no fields below.`)
      return [[whole, { steps: [{ key: name, on: null }], type: shape.type, selection: '' }]]
    case 'list': {
      if (rest.length > 0)
        throw badInput(
          `\`${whole}\` in \`fields\`: \`${name}\` is an array, which is one column. Write \`${name}\`.`,
        )
      const selection = shape.of === null ? '' : selectAll(shape.of, mostNested)
      if (selection === null) throw manyShapes(whole)
      return [[whole, { steps: [{ key: name, on: null }], type: 'json', selection }]]
    }
    case 'object': {
      const inner: Holder = { ...here, type: shape.type }
      if (rest.length > 0) return below(findFields(schema, inner, rest, whole), name, null)
      // An object stands for its own scalar fields.
      const own = Object.values(shape.type.getFields()).filter(
        (each) => isValue(each) && shapeOf(each.type).kind === 'scalar' && each.name !== 'isCurrent',
      )
      return own.flatMap((each) =>
        below(findFields(schema, inner, [each.name], `${whole}.${each.name}`), name, null),
      )
    }
    case 'other':
      throw manyShapes(whole)
  }
}

function below(
  found: readonly (readonly [string, Found])[],
  key: string,
  on: string | null,
): readonly (readonly [string, Found])[] {
  return found.map(([name, each]) => [name, { ...each, steps: [{ key, on }, ...each.steps] }])
}

/** The record behind a reference, if the field is a single one. */
function follow(
  schema: GraphQLSchema,
  { collection, type, path }: Holder,
  { name }: GraphQLField<unknown, unknown>,
  whole: string,
): { readonly key: string; readonly holder: Holder } | null {
  const reference = collection.references.find((each) => each.path.join('.') === path.join('.'))
  if (reference === undefined || reference.many) return null
  const target = targetOf(schema, reference)
  const key = name.endsWith('Resolved') ? name : `${name}Resolved`
  if (target === null || !(key in type.getFields()))
    throw badInput(
      `\`${whole}\` in \`fields\`: it is not known to which collection \`${name}\` refers, so that it cannot be followed.`,
    )
  return { key, holder: recordHolder(schema, target) }
}

/** Null for a reference to several collections, or to one that is not served. */
export function targetOf(schema: GraphQLSchema, { target }: Reference): Collection | null {
  for (const type of Object.values(schema.getTypeMap()))
    if (isObjectType(type) && type.extensions.collection?.nsid === target) return type.extensions.collection
  return null
}

type Shape =
  | { readonly kind: 'scalar'; readonly type: ColumnType }
  /** `of`: the objects in it; null if they are scalars. */
  | { readonly kind: 'list'; readonly of: GraphQLOutputType | null }
  | { readonly kind: 'object'; readonly type: GraphQLObjectType }
  /** A union or an interface. */
  | { readonly kind: 'other' }

function shapeOf(type: GraphQLOutputType): Shape {
  const bare = getNullableType(type)
  const named = getNamedType(type)
  if (isListType(bare)) return { kind: 'list', of: columnTypeOf(named.name) === null ? bare.ofType : null }
  if (isObjectType(bare)) return { kind: 'object', type: bare }
  const column = columnTypeOf(named.name)
  return column === null ? { kind: 'other' } : { kind: 'scalar', type: column }
}

/** Null for types with fields. */
export function columnTypeOf(name: string): ColumnType | null {
  switch (name) {
    case 'ID':
    case 'String':
      return 'text'
    case 'Int':
    case 'BigInt':
      return 'integer'
    case 'Float':
      return 'float'
    case 'Boolean':
      return 'boolean'
    case 'DateTime':
      return 'instant'
    case 'JSON':
      return 'json'
    case undefined:
  }
  return null
}

/** All fields of objects in an array, with braces; null if they have many shapes. */
function selectAll(type: GraphQLOutputType, depth: number): string | null {
  const shape = shapeOf(type)
  if (shape.kind === 'list') return shape.of === null ? '' : selectAll(shape.of, depth)
  if (shape.kind !== 'object') return shape.kind === 'scalar' ? '' : null
  const names = Object.values(shape.type.getFields()).flatMap((field) => {
    if (!isValue(field) || field.name === 'isCurrent' || field.extensions.role?.kind === 'resolved') return []
    const own = shapeOf(field.type)
    if (own.kind === 'scalar' || (own.kind === 'list' && own.of === null)) return [field.name]
    if (depth === 1) return []
    const inside = selectAll(field.type, depth - 1)
    return inside === null ? [] : [`${field.name}${inside}`]
  })
  return names.length === 0 ? null : ` { ${names.join(' ')} }`
}

/** Whether a field holds a value, and not a list of other records. */
function isValue({ args, extensions }: GraphQLField<unknown, unknown>): boolean {
  return args.length === 0 && extensions.role?.kind !== 'reverse'
}

function propertyOf({ extensions: { role } }: GraphQLField<unknown, unknown>): string | null {
  return role?.kind === 'property' || role?.kind === 'resolved' ? role.field.property : null
}

function unknownField(type: GraphQLObjectType, name: string, whole: string): Error {
  const names = Object.values(type.getFields()).flatMap((field) => (isValue(field) ? [field.name] : []))
  const isOfGroups = name.includes('_') && names.includes(name.split('_')[0] ?? '')
  const guess = isOfGroups ? whole.replaceAll('_', '.') : nearest(name, names)
  const hint = guess === null ? `It has ${names.join(', ')}.` : `Did you mean \`${guess}\`?`
  return badInput(`\`${whole}\` in \`fields\`: ${type.name} has no value \`${name}\`. ${hint}`)
}

function manyShapes(whole: string): Error {
  return badInput(
    `\`${whole}\` in \`fields\` may have one of several types, which no column has. Ask for \`recordJson\`, which contains it.`,
  )
}
