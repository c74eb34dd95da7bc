/** Field collection and merging: https://spec.graphql.org/September2025/#CollectFields() */
import type {
  FieldNode,
  FragmentDefinitionNode,
  GraphQLField,
  GraphQLObjectType,
  GraphQLSchema,
  SelectionNode,
  SelectionSetNode,
  VariableValues,
} from 'graphql'
import { getArgumentValues, getDirectiveValues } from 'graphql/execution/values'
import { Kind } from 'graphql/language'
import { GraphQLIncludeDirective, GraphQLSkipDirective, isAbstractType } from 'graphql/type'
import { typeFromAST } from 'graphql/utilities/typeFromAST'
import { ServiceError } from '../../errors.ts'

export interface Selection {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly variables: VariableValues
}

/** One response key: the field nodes that merge into it, and the field of the schema. */
export interface Collected {
  readonly key: string
  readonly name: string
  /** Undefined for `__typename`, which every type has. */
  readonly field: GraphQLField<unknown, unknown> | undefined
  readonly nodes: readonly FieldNode[]
  /** The merged selections below the field. */
  readonly selections: readonly SelectionSetNode[]
}

/** The fields selected of a concrete type, in response order. */
export function collectFields(
  selection: Selection,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): readonly Collected[] {
  const found = new Map<string, { name: string; nodes: FieldNode[] }>()
  const visited = new Set<string>()
  const collect = (set: SelectionSetNode): void => {
    for (const node of set.selections) {
      if (!isIncluded(selection, node)) continue
      switch (node.kind) {
        case Kind.FIELD: {
          const key = node.alias?.value ?? node.name.value
          const known = found.get(key)
          if (known === undefined) found.set(key, { name: node.name.value, nodes: [node] })
          else known.nodes.push(node)
          break
        }
        case Kind.INLINE_FRAGMENT:
          if (applies(selection.schema, type, node.typeCondition)) collect(node.selectionSet)
          break
        case Kind.FRAGMENT_SPREAD: {
          const fragment = selection.fragments.get(node.name.value)
          if (fragment === undefined || visited.has(node.name.value)) break
          visited.add(node.name.value)
          if (applies(selection.schema, type, fragment.typeCondition)) collect(fragment.selectionSet)
        }
      }
    }
  }
  for (const set of sets) collect(set)
  const fields = type.getFields()
  return [...found].map(([key, { name, nodes }]) => ({
    key,
    name,
    nodes,
    field: fields[name],
    selections: nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
  }))
}

/** Coerced argument values; a fault in a variable is reported as the caller's. */
export function argumentsOf(
  { variables }: Selection,
  { field, nodes }: Collected,
): Readonly<Record<string, unknown>> {
  if (field === undefined) return {}
  return callersFault(() => getArgumentValues(field, nodes[0] as FieldNode, variables))
}

/** Errors that graphql-js throws during coercion are the caller's fault, such as a variable that is null. */
function callersFault<Result>(coerce: () => Result): Result {
  try {
    return coerce()
  } catch (error) {
    throw new ServiceError('BAD_USER_INPUT', error instanceof Error ? error.message : String(error))
  }
}

function isIncluded({ variables }: Selection, node: SelectionNode): boolean {
  if (node.directives === undefined || node.directives.length === 0) return true
  return callersFault(
    () =>
      getDirectiveValues(GraphQLSkipDirective, node, variables)?.if !== true &&
      getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false,
  )
}

function applies(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  condition: FragmentDefinitionNode['typeCondition'] | undefined,
): boolean {
  if (condition === undefined) return true
  const wanted = typeFromAST(schema, condition)
  return wanted === type || (isAbstractType(wanted) && schema.isSubType(wanted, type))
}
