/** Conditions as addresses have them: `language=en&language=fr`, `section.not=sport`, `publishedAt.from=2026-11-01`. */
import { type Operator, operatorsOf } from '../../ask/fields.ts'
import { conditionProblem, type FieldCondition, findOperator } from '../../ask/where.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Problem } from './problem.ts'

export type Condition = FieldCondition<ShownField>

/** More would be refused by the service with a message about GraphQL. */
export const mostConditions = 40
const mostValues = 100

/** `parameters` without those that are not conditions. Blank values come from empty inputs of forms and are left out. */
export function readConditions(
  parameters: readonly (readonly [string, string])[],
  { fields }: PageSubject,
): { readonly conditions: readonly Condition[]; readonly problems: readonly Problem[] } {
  const found = new Map<string, Condition>()
  const problems: Problem[] = []
  for (const [name, value] of parameters) {
    const read = findOperator(name, fields)
    if (read === null) {
      problems.push({ kind: 'unknownParameter', name: name.slice(0, 100) })
      continue
    }
    const [field, operator] = read
    if (value.trim() === '') continue
    const problem = conditionProblem(field, operator, value)
    if (problem !== null) {
      problems.push(problem)
      continue
    }
    const key = `${field.name} ${operator}`
    const values = [...(found.get(key)?.values ?? [])]
    // Only lists of values have several; a form sends its input besides the condition that is set already.
    if (!isList(operator)) values.length = 0
    if (!values.includes(value)) values.push(value)
    found.set(key, { field, operator, values })
  }
  const conditions = [...found.values()]
  if (conditions.length > mostConditions || conditions.some(({ values }) => values.length > mostValues))
    problems.push({ kind: 'tooManyConditions', most: mostConditions })
  return { conditions, problems }
}

export function isList(operator: Operator): boolean {
  return operator === 'is' || operator === 'not' || operator === 'all'
}

/** Whether `readConditions` reads them as they are. */
export function areReadable(conditions: readonly Condition[]): boolean {
  const isRead = ({ field, operator, values }: Condition) =>
    values.length <= mostValues && values.every((value) => isReadable(field, operator, value))
  return conditions.length <= mostConditions && conditions.every(isRead)
}

/** Records have values that conditions cannot have: blank and long ones. */
export function isReadable(field: ShownField, operator: Operator, value: string): boolean {
  return value.trim() !== '' && conditionProblem(field, operator, value) === null
}

/** The parameters that `readConditions` reads as these conditions. */
export function writeConditions(
  conditions: readonly Condition[],
  isReserved: (name: string) => boolean,
): readonly (readonly [string, string])[] {
  return conditions.flatMap(({ field, operator, values }) => {
    const isDefault = operatorsOf(field)[0] === operator && !isReserved(field.name)
    const name = isDefault ? field.name : `${field.name}.${operator}`
    return values.map((value) => [name, value] as const)
  })
}
