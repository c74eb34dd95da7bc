/**
 * Leaves out conditions of which omitted variables leave nothing, upwards. By the specification an input field whose
 * variable is omitted is left out alone, and the empty object around it may say something else: `some: {}` asks for any
 * record. What is written as a literal keeps its meaning.
 */
import type { ArgumentNode, FieldNode, ObjectFieldNode, ValueNode, VariableValues } from 'graphql'
import { Kind } from 'graphql/language'

/** Arguments and input fields that are conditions on records. Without any condition they hold for all. */
const conditions: ReadonlySet<string> = new Set(['where', 'denominator', 'numerator', 'against'])

/** The field without such conditions in its arguments. */
export function withoutOmitted(node: FieldNode, { coerced }: VariableValues): FieldNode {
  if (!node.arguments?.some(({ value }) => value.kind === Kind.OBJECT)) return node
  return { ...node, arguments: node.arguments.map((one): ArgumentNode => ({ ...one, value: given(one) })) }

  function given({ name, value }: ArgumentNode | ObjectFieldNode): ValueNode {
    if (value.kind !== Kind.OBJECT) return value
    if (conditions.has(name.value)) return left(value, name.value) ?? { kind: Kind.OBJECT, fields: [] }
    return { ...value, fields: value.fields.map((field) => ({ ...field, value: given(field) })) }
  }

  /** Null where nothing is left. */
  function left(value: ValueNode, name: string): ValueNode | null {
    if (value.kind === Kind.VARIABLE) return Object.hasOwn(coerced, value.name.value) ? value : null
    if (value.kind === Kind.OBJECT) {
      const fields = value.fields.flatMap((field): readonly ObjectFieldNode[] => {
        const inner = left(field.value, field.name.value)
        return inner === null ? [] : [{ ...field, value: inner }]
      })
      return value.fields.length > 0 && fields.length === 0 ? null : { ...value, fields }
    }
    // An omitted variable among other values is null, as the specification says.
    if (value.kind !== Kind.LIST || (name !== 'AND' && name !== 'OR')) return value
    const values = value.values.flatMap((each) => left(each, name) ?? [])
    return value.values.length > 0 && values.length === 0 ? null : { ...value, values }
  }
}
