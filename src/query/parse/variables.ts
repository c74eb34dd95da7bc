/**
 * Coerces the variables of a request to the types that the operation declares, after checking them against the limits.
 */
import type { GraphQLSchema, OperationDefinitionNode, VariableValues } from 'graphql'
import { getVariableValues } from 'graphql/execution/values'
import { withHint } from './hints.ts'
import { assertWithin } from './limits.ts'
import { mostErrors, RequestErrors } from './request-errors.ts'

type Raw = Readonly<Record<string, unknown>>

/** Throws RequestErrors or ServiceError. */
export function coerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  raw: Raw,
): VariableValues {
  assertVariablesWithin(raw)
  const coerced = getVariableValues(schema, variableDefinitions, raw, { maxErrors: mostErrors })
  if (coerced.errors === undefined) return coerced.variableValues
  throw new RequestErrors(
    'BAD_USER_INPUT',
    coerced.errors.map((error) => withHint(schema, error)),
  )
}

/** Checks level by level instead of by recursion, because values may be nested to any depth. */
function assertVariablesWithin(raw: Raw): void {
  let level: unknown[] = [raw]
  let [values, objects] = [0, -1]
  for (let depth = 0; level.length > 0; depth += 1) {
    const below: unknown[] = []
    for (const value of level) {
      if (typeof value === 'string')
        assertWithin('characters', value.length, 'A string in the variables is too long')
      if (typeof value !== 'object' || value === null) continue
      if (Array.isArray(value))
        assertWithin('listValues', value.length, 'A list in the variables has too many values')
      else objects += 1
      // Names count too, because the message about an unknown name repeats it.
      const names = Array.isArray(value) ? [] : Object.keys(value)
      values += Array.isArray(value) ? value.length : 2 * names.length
      assertWithin('inputValues', values, 'The variables have too many names and values')
      assertWithin('inputObjects', objects, 'The variables have too many objects')
      const inside: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
      for (const each of names) below.push(each)
      for (const each of inside) below.push(each)
    }
    assertWithin('nesting', depth, 'Brackets in the variables are nested too deep')
    level = below
  }
}
