/**
 * Introspection, which graphql-js executes itself, alone and while the plan is made: so it is counted before. The
 * count goes through the schema as the execution will, and stops at the limit.
 */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type {
  DocumentNode,
  FieldNode,
  GraphQLObjectType,
  GraphQLResolveInfo,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql'
import { Kind, parse } from 'graphql/language'
import { getNamedType, isObjectType, SchemaMetaFieldDef, TypeMetaFieldDef } from 'graphql/type'
import { getIntrospectionQuery } from 'graphql/utilities/getIntrospectionQuery'
import { moduleBeside } from '../util/module-beside.ts'
import { argumentsOf, type Collected, collectFields, type Selection } from './collect.ts'
import { assertWithin, limits } from './limits.ts'
import { RequestErrors } from './request-errors.ts'

/** Few ask, and whoever does is answered at once: so what executes is loaded then, without waiting for a promise. */
const load = createRequire(import.meta.url)
const executor = fileURLToPath(moduleBeside(import.meta.url, 'execute-introspection'))

/** One `__schema` or `__type` with the fragments it uses: its JSON, and how many fields that has. */
export function introspect(
  selection: Selection,
  operation: OperationDefinitionNode,
  collected: Collected,
  rawVariables: Readonly<Record<string, unknown>>,
): { readonly json: string; readonly fields: number } {
  const most = Math.max(limits.introspectionFields, 1.5 * sizeOfAll(selection.schema))
  const fields = countFields(selection, collected, most)
  assertWithin('introspectionFields', fields, 'Too much of the schema is asked for at once', Math.ceil(most))
  const { key, nodes } = collected
  const selectionSet = { kind: Kind.SELECTION_SET, selections: nodes as FieldNode[] } as const
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [{ ...operation, selectionSet }, ...selection.fragments.values()],
  }
  const { executeSync } = load(executor) as typeof import('./execute-introspection.ts')
  const result = executeSync({ schema: selection.schema, document, variableValues: rawVariables })
  if (result.errors !== undefined) throw new RequestErrors('BAD_USER_INPUT', result.errors)
  return { json: JSON.stringify(result.data?.[key] ?? null), fields }
}

const sizes = new WeakMap<GraphQLSchema, number>()

/** Of what tools ask for. */
function sizeOfAll(schema: GraphQLSchema): number {
  const known = sizes.get(schema)
  if (known !== undefined) return known
  const { definitions } = parse(getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true }))
  const fragments = new Map(
    definitions.flatMap((it) => (it.kind === Kind.FRAGMENT_DEFINITION ? [[it.name.value, it] as const] : [])),
  )
  const operation = definitions.find((it) => it.kind === Kind.OPERATION_DEFINITION)
  const query = schema.getQueryType()
  if (operation === undefined || query === null || query === undefined) throw new Error('There is no query.')
  const selection = { schema, fragments, variables: { sources: {}, coerced: {} } as Selection['variables'] }
  const [collected] = collectFields(selection, query, [operation.selectionSet])
  const size = collected === undefined ? 0 : countFields(selection, collected, Number.POSITIVE_INFINITY)
  sizes.set(schema, size)
  return size
}

/** Fields in the answer; a little over `most` when there are more. */
function countFields(selection: Selection, root: Collected, most: number): number {
  let count = 0
  const walk = (collected: Collected, source: unknown): void => {
    count += 1
    if (count > most) return
    const { field } = collected
    const type = getNamedType(field?.type)
    if (!isObjectType(type) || field?.resolve === undefined) return
    const info = { schema: selection.schema } as GraphQLResolveInfo
    const found: unknown = field.resolve(source, argumentsOf(selection, collected), undefined, info)
    const fields = found === null || found === undefined ? [] : fieldsOf(type, collected)
    for (const each of Array.isArray(found) ? found : [found]) for (const field of fields) walk(field, each)
  }
  const collections = new Map<Collected, readonly Collected[]>()
  const fieldsOf = (type: GraphQLObjectType, collected: Collected): readonly Collected[] => {
    const known = collections.get(collected) ?? collectFields(selection, type, collected.selections)
    collections.set(collected, known)
    return known
  }
  const field = root.name === '__schema' ? SchemaMetaFieldDef : TypeMetaFieldDef
  walk({ ...root, field }, undefined)
  return count
}
