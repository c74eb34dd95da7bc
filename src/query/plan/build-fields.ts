/** Builds the outputs of the fields that are selected below a field, in the order of the response. */
import { getNamedType, isObjectType } from 'graphql/type'
import { type Collected, collectFields } from '../parse/prepare.ts'
import type { Constant, Fields } from './fields.ts'
import type { PlanContext } from './plan.ts'

/** Turns each selection below a field of object type, except `__typename`, into an output. */
export function fieldsBelow<Kind>(
  context: PlanContext,
  { field, selections }: Collected,
  output: (below: Collected) => Kind | Constant,
): Fields<Kind> {
  const type = getNamedType(field?.type)
  if (!isObjectType(type)) throw new Error('A field with selections has no object type.')
  return collectFields(context.selection, type, selections).map((below) => ({
    key: below.key,
    output: below.name === '__typename' ? constantOutput(type.name) : output(below),
  }))
}

/** The same for fields whose names are the kinds of their outputs. */
export function namedBelow<Kind extends string>(
  context: PlanContext,
  collected: Collected,
): Fields<{ readonly kind: Kind }> {
  return fieldsBelow(context, collected, ({ name }) => ({ kind: name as Kind }))
}

export function constantOutput(value: unknown): Constant {
  return { kind: 'constant', json: JSON.stringify(value) }
}
