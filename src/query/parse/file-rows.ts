/** The rows of a file, from its operation: those of the one list or aggregate that it selects, with a column for each value. */
import type { GraphQLNamedType, OperationDefinitionNode, SelectionSetNode } from 'graphql'
import { getNamedType, getNullableType, isAbstractType, isListType, isObjectType } from 'graphql/type'
import type { ColumnType, FileColumn } from '../../files/file-spec.ts'
import { argumentsOf, badInput, type Collected, collectFields, type Selection } from './prepare.ts'

export interface FileRows {
  readonly kind: 'records' | 'groups'
  /** What the file is called: by the NSID of its collection, and whether it has only a part of it. */
  readonly name: string
  readonly columns: readonly FileColumn[]
}

/** A file with more columns is refused. */
const mostColumns = 200

/** Throws BAD_USER_INPUT for an operation with other values than those of rows. */
export function fileRows(selection: Selection, operation: OperationDefinitionNode): FileRows {
  const query = selection.schema.getQueryType()
  const roots = isObjectType(query) ? collectFields(selection, query, [operation.selectionSet]) : []
  const [root, ...others] = roots
  const role = root?.field?.extensions.role
  if (root === undefined || others.length > 0 || (role?.kind !== 'connection' && role?.kind !== 'aggregate'))
    throw badInput(
      'A file has the rows of one list or one aggregate. Select one field such as `collection { nodes { uri } }` or `collectionAggregate(groupBy: […]) { groups { count } }`, and nothing next to it.',
    )
  const [kind, name] =
    role.kind === 'connection' ? (['records', 'nodes'] as const) : (['groups', 'groups'] as const)
  const type = getNamedType(root.field?.type)
  const [rows, ...rest] = isObjectType(type) ? collectFields(selection, type, root.selections) : []
  if (rows === undefined || rest.length > 0 || rows.name !== name)
    throw badInput(
      `Of \`${root.name}\` a file has \`${name} { … }\` alone. Leave everything next to it out: headers tell how many rows there are.`,
    )
  const columns = [...readColumns(selection, rows).values()]
  if (columns.length === 0) throw badInput('A file needs a column. Select a field.')
  if (columns.length > mostColumns)
    throw badInput(
      `The file would have ${columns.length} columns, and may have ${mostColumns}. Select fewer fields.`,
    )
  const given = root.nodes.flatMap((node) => node.arguments ?? [])
  const isPart = given.some(({ name: argument }) => ['where', 'search'].includes(argument.value))
  const { nsid } = role.collection
  return {
    kind,
    name: `${nsid}${isPart ? '.filtered' : ''}${kind === 'groups' ? '.aggregate' : ''}`,
    columns,
  }
}

/** By name, in the order of the selection. */
function readColumns(
  selection: Selection,
  { field, selections }: Collected,
): ReadonlyMap<string, FileColumn> {
  const found = new Map<string, FileColumn>()
  addColumns(getNamedType(field?.type), selections, [])
  return found

  /** Records behind a reference have one of several types; validation ensures that equal keys have equal types. */
  function addColumns(
    type: GraphQLNamedType | undefined,
    sets: readonly SelectionSetNode[],
    path: readonly string[],
  ): void {
    const types = isAbstractType(type)
      ? selection.schema.getPossibleTypes(type)
      : isObjectType(type)
        ? [type]
        : []
    for (const each of types)
      for (const collected of collectFields(selection, each, sets))
        addColumn(collected, [...path, collected.key])
  }

  function addColumn(collected: Collected, path: readonly string[]): void {
    const { field: own, key, selections: below } = collected
    const named = getNamedType(own?.type)
    const hasFields = isObjectType(named) || isAbstractType(named)
    if (hasFields && own !== undefined && own.args.length > 0)
      throw badInput(
        `\`${key}\` is a list within a row, which a file does not have. Leave it out, or ask for its rows in a file of their own.`,
      )
    const name = path.join('.')
    const type = columnTypes.get(named?.name) ?? 'text'
    if (isOnePercentile(selection, collected)) found.set(name, { name, type, path: [...path, 0] })
    else if (isListType(getNullableType(own?.type))) found.set(name, { name, type: 'json', path })
    else if (hasFields) addColumns(named, below, path)
    else found.set(name, { name, type, path })
  }
}

/** GraphQL gives a list, because `p` takes several. */
function isOnePercentile(selection: Selection, collected: Collected): boolean {
  const { p } = argumentsOf(selection, collected)
  return Array.isArray(p) && p.length === 1
}

/** By the name of a scalar; the others, and enums, are texts. */
const columnTypes: ReadonlyMap<string | undefined, ColumnType> = new Map([
  ['Int', 'integer'],
  ['BigInt', 'integer'],
  ['Float', 'float'],
  ['Boolean', 'boolean'],
  ['DateTime', 'instant'],
  ['JSON', 'json'],
])
