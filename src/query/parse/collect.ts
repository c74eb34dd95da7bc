/**
 * Field collection and merging (https://spec.graphql.org/September2025/#CollectFields()), and the values of arguments
 * with checks of single ones.
 */
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
import { assertWithin } from './limits.ts'

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

/** The error for a mistake of the caller in an argument. */
export function badInput(message: string): ServiceError {
  return new ServiceError('BAD_USER_INPUT', message)
}

/** Errors that graphql-js throws during coercion are the caller's fault, such as a variable that is null. */
function callersFault<Result>(coerce: () => Result): Result {
  try {
    return coerce()
  } catch (error) {
    throw badInput(error instanceof Error ? error.message : String(error))
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

/** Returns the text. NUL and lone surrogates are rejected, because no record can hold them. */
export function checkedText(name: string, text: string): string {
  assertWithin('characters', text.length, `\`${name}\` is too long`)
  if (text.includes('\0') || !text.isWellFormed())
    throw badInput(
      `\`${name}\` has a NUL character or half a surrogate pair, which no record can hold. Remove it.`,
    )
  return text
}

/** Returns an integer from `min` to `max`, or the default if the argument is absent or null. */
export function integerArgument(
  name: string,
  value: unknown,
  max: number,
  otherwise: number,
  min = 0,
): number {
  if (value === undefined || value === null) return otherwise
  if (typeof value === 'number' && value >= min && value <= max) return value
  throw badInput(`\`${name}: ${String(value)}\` is out of range: write ${min} to ${max}.`)
}

/** https://atproto.com/specs/at-uri-scheme: authority, then optional collection, then optional record key. */
const atUri = /^at:\/\/[A-Za-z0-9._:%-]+(\/[A-Za-z0-9.-]+(\/[A-Za-z0-9._~:@!$&'()*+,;=%-]+)?)?$/

export function checkedAtUri(name: string, uri: string): string {
  if (atUri.test(checkedText(name, uri))) return uri
  throw badInput(
    `\`${name}\` is no AT-URI. Write at://DID/COLLECTION/RECORD-KEY, such as at://did:plc:abc/app.example.post/3k2a.`,
  )
}

/** Throws BAD_USER_INPUT for null, which cannot be compared with anything. */
export function present(name: string, value: unknown): unknown {
  if (value !== null) return value
  throw badInput(
    `\`${name}: null\` in \`where\` says nothing. Ask for missing values with \`isNull: true\`, or leave \`${name}\` out.`,
  )
}
