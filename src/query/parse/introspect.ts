/** Introspection, executed by graphql-js after the charge. The plan has its size, which is counted up to the limit. */
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
import type { Json } from '../../util/is-object.ts'
import { siblingModule } from '../../util/sibling-module.ts'
import { assertWithin, limits } from './limits.ts'
import { RequestErrors, argumentsOf, type Collected, collectFields, type Selection } from './prepare.ts'
import { givenValues } from './variable-types.ts'

/** Introspection is rare and answered synchronously, so its executor is required on first use. */
const load = createRequire(import.meta.url)
const executor = fileURLToPath(siblingModule(import.meta.url, 'execute-introspection'))

export interface Introspection {
  /** Number of values in its answer. */
  readonly fields: number
  /** Executes the introspection; throws RequestErrors. */
  readonly json: () => string
}

/** One `__schema` or `__type` with the fragments it uses. */
export function introspect(
  selection: Selection,
  operation: OperationDefinitionNode,
  collected: Collected,
  rawVariables: Json,
): Introspection {
  const most = Math.max(limits.introspectionFields, Math.ceil(1.5 * sizeOfAll(selection.schema)))
  const fields = countFields(selection, collected, most)
  assertWithin('introspectionFields', fields, 'Too much of the schema is asked for at once', most)
  return { fields, json: () => execute(selection, operation, collected, rawVariables) }
}

function execute(
  { schema, fragments }: Selection,
  operation: OperationDefinitionNode,
  { key, nodes }: Collected,
  rawVariables: Json,
): string {
  const selectionSet = { kind: Kind.SELECTION_SET, selections: nodes as FieldNode[] } as const
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [{ ...operation, selectionSet }, ...fragments.values()],
  }
  const { executeSync } = load(executor) as typeof import('./execute-introspection.ts')
  const variableValues = givenValues(operation, rawVariables)
  const { data, errors } = executeSync({ schema, document, variableValues })
  if (errors !== undefined) throw new RequestErrors('BAD_USER_INPUT', errors)
  return JSON.stringify(data?.[key] ?? null)
}

const sizes = new WeakMap<GraphQLSchema, number>()

/** Size of the introspection query that tools send. */
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

/** Values in the answer; an object without values counts as one. Returns `most + 1` if there are more than `most`. */
function countFields(selection: Selection, root: Collected, most: number): number {
  let count = 0
  const add = (values: number): boolean => {
    count += values
    return count <= most
  }
  const scan = (collected: Collected, source: unknown): boolean => {
    const { field } = collected
    const type = getNamedType(field?.type)
    if (!isObjectType(type) || field?.resolve === undefined) return add(1)
    const info = { schema: selection.schema } as GraphQLResolveInfo
    const found: unknown = field.resolve(source, argumentsOf(selection, collected), undefined, info)
    if (found === null || found === undefined) return add(1)
    const objects: readonly unknown[] = Array.isArray(found) ? found : [found]
    const fields = fieldsOf(type, collected)
    // Fields that contain no objects are counted without traversing each object.
    const inner = fields.filter(({ field }) => isObjectType(getNamedType(field?.type)))
    const own = fields.length === 0 ? 1 : fields.length - inner.length
    if (!add(1 + objects.length * own)) return false
    return inner.length === 0 || objects.every((object) => inner.every((field) => scan(field, object)))
  }
  const known = new Map<Collected, readonly Collected[]>()
  const fieldsOf = (type: GraphQLObjectType, collected: Collected): readonly Collected[] => {
    const fields = known.get(collected) ?? collectFields(selection, type, collected.selections)
    known.set(collected, fields)
    return fields
  }
  const field = root.name === '__schema' ? SchemaMetaFieldDef : TypeMetaFieldDef
  scan({ ...root, field }, undefined)
  return Math.min(count, most + 1)
}
