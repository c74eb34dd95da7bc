/** The operation that an export of groups asks, and the columns of its file. */
import type { GraphQLField, GraphQLObjectType, GraphQLSchema } from 'graphql'
import { getNamedType, isInputObjectType, isListType, getNullableType, isObjectType } from 'graphql/type'
import type { FileColumn } from '../../files/file-spec.ts'
import { leafProperties } from '../../schema/model/leaves.ts'
import type { Collection } from '../../schema/model/model.ts'
import { nearest } from '../../util/text/nearest.ts'
import type { GraphQLRequest } from '../execute/execute.ts'
import { badInput } from '../parse/prepare.ts'
import { assertKnown, readArguments } from './export-arguments.ts'
import { columnTypeOf, readFields, targetOf } from './export-fields.ts'
import { readNames, rootField } from './export-query.ts'

export interface AggregateQuery {
  /** One aggregate, with `groups` and `groupCount`. */
  readonly request: GraphQLRequest
  readonly columns: readonly FileColumn[]
}

/** The answer to an aggregate query. */
export interface AggregateAnswer {
  readonly data: Readonly<
    Record<
      string,
      {
        readonly groupCount: number
        readonly groups: readonly unknown[]
        readonly groupsPageInfo?: { readonly hasNextPage: boolean }
      }
    >
  >
}

/** Parameters of a file besides the arguments of the aggregate. */
const others = ['fields', 'bom']
/** Maximum number of groups of any aggregate, which is the limit if none is given. */
const mostGroups = '1000'

export function buildAggregateQuery(
  schema: GraphQLSchema,
  collection: Collection,
  parameters: ReadonlyMap<string, string>,
): AggregateQuery {
  const field = rootField(schema, `${collection.rootField}Aggregate`)
  assertKnown(parameters, field, others)
  const given = new Map([['limit', mostGroups], ...parameters])
  const { definitions, uses, variables } = readArguments(field.args, given)
  const aggregate = getNamedType(field.type) as GraphQLObjectType
  const group = getNamedType(aggregate.getFields().groups?.type) as GraphQLObjectType
  const { columns, selection } = readColumns(schema, collection, group, variables, parameters)
  // How many groups remain after conditions on groups is what a page of groups says.
  const isPaged = 'groupsPageInfo' in aggregate.getFields()
  const size = `groupCount${isPaged ? ' groupsPageInfo { hasNextPage }' : ''}`
  const query = `query Export(${definitions.join(', ')}) {
    ${field.name}(${uses.join(', ')}) { ${size} groups { ${selection} } } }`
  return { request: { query, variables }, columns }
}

/** The keys, the counts, and the measures and fields of records behind keys that `fields` names. */
function readColumns(
  schema: GraphQLSchema,
  collection: Collection,
  group: GraphQLObjectType,
  variables: Readonly<Record<string, unknown>>,
  parameters: ReadonlyMap<string, string>,
): { readonly columns: readonly FileColumn[]; readonly selection: string } {
  const { groupBy } = variables
  if (!Array.isArray(groupBy) || groupBy.length === 0)
    throw badInput(
      '`groupBy` is missing: a file of groups has a row for each. Name fields, separated by commas.',
    )
  const fields = group.getFields()
  // The operation refuses keys that are not there.
  const keys = groupBy.map(String).filter((name) => name in fields)
  const counts = parameters.has('denominator') ? ['count', 'total', 'share'] : ['count']
  const measures = (readNames(parameters.get('fields')) ?? []).filter((name) => name !== '')
  const names = [...new Set([...keys, ...counts, ...measures])]
  const found = names.flatMap((name, index) => {
    const alias = `column${index}`
    return readBehindKey(schema, collection, group, keys, name, alias) ?? [readMeasure(group, name, alias)]
  })
  return {
    columns: found.map(({ column }) => column),
    selection: found.map((each) => each.selection).join(' '),
  }
}

/** `source.displayName` of groups by `source`; null for other names. */
function readBehindKey(
  schema: GraphQLSchema,
  collection: Collection,
  group: GraphQLObjectType,
  keys: readonly string[],
  name: string,
  alias: string,
): readonly Measure[] | null {
  const [key = '', ...rest] = name.split('.')
  const resolved = `${key}Resolved`
  const role = group.getFields()[resolved]?.extensions.role
  if (rest.length === 0 || !keys.includes(key) || role?.kind !== 'groupResolved') return null
  const { joins, leaf } = role.field
  const join = joins.at(-1)
  const holder = join === undefined ? collection : targetOf(schema, join)
  const path = leaf.kind === 'property' ? leafProperties(leaf).join('\n') : ''
  const reference = holder?.references.find((each) => each.path.join('\n') === path)
  const target = reference === undefined ? null : targetOf(schema, reference)
  if (target === null)
    throw badInput(
      `\`${name}\` in \`fields\`: it is not known to which collection \`${key}\` refers, so that it cannot be followed.`,
    )
  const { columns, selection } = readFields(schema, target, [rest.join('.')])
  return columns.map((column, index) => ({
    column: { ...column, name: `${key}.${column.name}`, path: [alias, ...column.path] },
    selection: index > 0 ? '' : `${alias}: ${resolved} { ... on ${target.typeName} { ${selection} } }`,
  }))
}

interface Measure {
  readonly column: FileColumn
  readonly selection: string
}

/**
 * `avg.wordCount`, `countDistinct.language`, `percentile.wordCount.0.9`: arguments are parts of the name. `of` may be
 * absent, and is written like a measure: `change.avg.wordCount`.
 */
function readMeasure(group: GraphQLObjectType, name: string, alias: string): Measure {
  const [first = '', ...parts] = name.split('.')
  const field = group.getFields()[first]
  if (field === undefined || isOther(field)) throw unknownMeasure(group, name, first)
  const given = field.args.flatMap(({ name: argument, type }) => {
    if (isInputObjectType(type))
      return parts.length === 0 ? [] : [`${argument}: ${valueNamed(name, parts.splice(0))}`]
    const isList = isListType(getNullableType(type))
    // A number has a dot of its own.
    const text = isList ? parts.splice(0).join('.') : (parts.shift() ?? '')
    if (!/^(?:[A-Za-z_]\w*|\d+(?:\.\d+)?)$/.test(text))
      throw badInput(`\`${name}\` in \`fields\` lacks \`${argument}\`. Write it after a dot.`)
    return `${argument}: ${isList ? `[${text}]` : text}`
  })
  const called = `${alias}: ${first}${given.length === 0 ? '' : `(${given.join(', ')})`}`
  const type = getNamedType(field.type)
  if (!isObjectType(type)) {
    if (parts.length > 0) throw badInput(`\`${name}\` in \`fields\`: \`${first}\` has nothing below.`)
    const path = isListType(getNullableType(field.type)) ? [alias, '0'] : [alias]
    return { column: { name, type: columnTypeOf(type.name) ?? 'json', path }, selection: called }
  }
  const inner = parts.join('.')
  const leaf = type.getFields()[inner]
  if (inner === '')
    throw badInput(`\`${name}\` in \`fields\` lacks a field. Write it after a dot: \`${name}.FIELD\`.`)
  if (leaf === undefined) throw unknownMeasure(type, name, inner)
  const column = columnTypeOf(getNamedType(leaf.type).name) ?? 'json'
  return {
    column: { name, type: column, path: [alias, inner] },
    selection: `${called} { ${inner} }`,
  }
}

/** The input that names a value of groups: `share`, `avg.wordCount`, `percentile.wordCount.0.9`. */
function valueNamed(name: string, [measure = '', field = '', ...rank]: readonly string[]): string {
  const constant = measure.replace(/[A-Z]/g, '_$&').toUpperCase()
  const p = rank.join('.')
  if (![constant, field].every((part) => /^\w*$/.test(part)) || !/^(\d+(\.\d+)?)?$/.test(p))
    throw badInput(
      `\`${name}\` in \`fields\` ends with no measure. Write one such as \`avg.FIELD\`, or none.`,
    )
  const members = [`measure: ${constant}`, field && `field: ${field}`, p && `p: ${p}`]
  return `{${members.filter((member) => member !== '').join(', ')}}`
}

/** Records and groups within groups are no columns. */
function isOther({ type, extensions }: GraphQLField<unknown, unknown>): boolean {
  const named = getNamedType(type)
  const isList = isListType(getNullableType(type)) && isObjectType(named)
  return isList || extensions.role?.kind === 'groupResolved'
}

function unknownMeasure(type: GraphQLObjectType, name: string, part: string): Error {
  const names = Object.values(type.getFields()).flatMap((field) => (isOther(field) ? [] : [field.name]))
  const guess = nearest(part, names)
  const hint = guess === null ? 'Write a measure such as `avg.FIELD`.' : `Did you mean \`${guess}\`?`
  return badInput(`\`${name}\` in \`fields\`: ${type.name} has no value \`${part}\`. ${hint}`)
}
