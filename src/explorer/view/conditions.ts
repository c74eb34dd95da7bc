/** Conditions as addresses have them: `language=en&language=fr`, `section.not=sport`, `publishedAt.from=2026-11-01`. */
import { type Operator, operators, operatorsOf } from '../../ask/fields.ts'
import type { FieldCondition } from '../../ask/where.ts'
import { parseInstant } from '../../util/instant.ts'
import type { Subject } from '../fields/subject.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Problem } from './problem.ts'

export interface Condition extends FieldCondition {
  readonly field: ShownField
}

/** More would be refused by the service with a message about GraphQL. */
export const mostConditions = 40
const mostValues = 100
export const longestValue = 1_000

/** The field and the operator that a parameter names; null if it names none. */
function readName(name: string, { fields }: Subject): readonly [ShownField, Operator] | null {
  const whole = fields.get(name)
  if (whole !== undefined) return [whole, operatorsOf(whole)[0] ?? 'is']
  const at = name.lastIndexOf('.')
  const field = fields.get(name.slice(0, at))
  const operator = operators.find((each) => each === name.slice(at + 1))
  return field === undefined || operator === undefined ? null : [field, operator]
}

/** `parameters` without those that are not conditions. Blank values come from empty inputs of forms and are left out. */
export function readConditions(
  parameters: readonly (readonly [string, string])[],
  subject: Subject,
): { readonly conditions: readonly Condition[]; readonly problems: readonly Problem[] } {
  const found = new Map<string, Condition>()
  const problems: Problem[] = []
  for (const [name, value] of parameters) {
    const read = readName(name, subject)
    if (read === null) {
      problems.push({ kind: 'unknownParameter', name: name.slice(0, 100) })
      continue
    }
    const [field, operator] = read
    if (value.trim() === '') continue
    const problem = valueProblem(field, operator, value)
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

function isList(operator: Operator): boolean {
  return operator === 'is' || operator === 'not' || operator === 'all'
}

function valueProblem(field: ShownField, operator: Operator, value: string): Problem | null {
  const { name, type } = field
  if (!operatorsOf(field).includes(operator))
    return { kind: 'unknownOperator', name, operator, operators: operatorsOf(field) }
  if (value.length > longestValue) return { kind: 'longValue', name, most: longestValue }
  if (operator === 'missing') return value === '0' || value === '1' ? null : { kind: 'notFlag', name }
  if (type.kind === 'integer' && !isInteger(value.trim())) return { kind: 'notInteger', name, value }
  if (type.kind === 'boolean' && value !== 'true' && value !== 'false')
    return { kind: 'notBoolean', name, value }
  if (type.kind === 'datetime' && parseInstant(value.trim()) === null) return { kind: 'notTime', name, value }
  return null
}

function isInteger(text: string): boolean {
  return /^-?\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))
}

/** Whether `readConditions` reads them as they are. */
export function areReadable(conditions: readonly Condition[]): boolean {
  return (
    conditions.length <= mostConditions &&
    conditions.every(
      ({ field, operator, values }) =>
        values.length <= mostValues && values.every((value) => isReadable(field, operator, value)),
    )
  )
}

/** Records have values that conditions cannot have: blank and long ones. */
export function isReadable(field: ShownField, operator: Operator, value: string): boolean {
  return value.trim() !== '' && valueProblem(field, operator, value) === null
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
