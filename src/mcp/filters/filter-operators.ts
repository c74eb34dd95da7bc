/** The operators of filters by kind of field, and suggestions for unknown operators. */
import type { FieldType } from '../../schema/model/model.ts'
import { operatorsOn, operatorTargetOf, whereOperators } from '../../schema/model/where-operators.ts'
import { nearest } from '../../util/text/nearest.ts'
import { ToolError } from '../tools/tool.ts'

const synonyms = new Map(
  Object.entries(whereOperators).flatMap(([name, operator]) =>
    operator.synonyms.map((synonym: string) => [synonym, name] as const),
  ),
)

export function operatorsFor(type: FieldType): readonly string[] {
  return operatorsOn(operatorTargetOf(type) ?? 'datetime').map(([name]) => name)
}

export function unknownOperator(text: string, name: string, allowed: readonly string[]): ToolError {
  const plain = name.replace(/^\$/, '').toLowerCase()
  const other = synonyms.get(plain)
  const near = other !== undefined && allowed.includes(other) ? other : nearest(plain, allowed)
  const meant = near === null || near === name ? '' : ` Did you mean "${near}"?`
  return new ToolError(
    `"${text}" has no operator "${name.slice(0, 40)}".${meant} It takes ${allowed.join(', ')}.`,
  )
}

/** Rejects `AND`, `OR` and `NOT`, which users of GraphQL filters expect: filters are always joined by `AND`. */
export function assertNoJoining(name: string): void {
  if (/^\$?(or|and|not|nor)$/i.test(name))
    throw new ToolError(
      `"${name}" is no field: all filters have to hold. For one field or another value write a list of values or {"ne": …}; for one condition or another ask twice, or use run_graphql.`,
    )
}
