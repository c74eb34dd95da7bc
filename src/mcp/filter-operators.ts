/** The operators of filters by the kind of field, and what those who write another one most likely meant. */
import type { FieldType } from '../schema/model.ts'
import { nearest } from '../util/nearest.ts'
import { ToolError } from './tool.ts'

const comparing = ['eq', 'ne', 'in', 'notIn', 'gt', 'gte', 'lt', 'lte'] as const

/** As other languages of queries have them. */
const others: Readonly<Record<string, string>> = {
  '=': 'eq',
  '==': 'eq',
  '!=': 'ne',
  '<>': 'ne',
  not: 'ne',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
  min: 'gte',
  from: 'gte',
  since: 'gte',
  after: 'gt',
  max: 'lte',
  to: 'lte',
  until: 'lte',
  before: 'lt',
  like: 'contains',
  any: 'in',
  nin: 'notIn',
}

export function operatorsFor({ kind }: FieldType): readonly string[] {
  if (kind === 'boolean') return ['eq', 'ne', 'isNull']
  return [...comparing, ...(kind === 'string' ? ['contains', 'startsWith'] : []), 'isNull']
}

export function unknownOperator(text: string, name: string, allowed: readonly string[]): ToolError {
  const plain = name.replace(/^\$/, '').toLowerCase()
  const other = Object.hasOwn(others, plain) ? others[plain] : undefined
  const near = other !== undefined && allowed.includes(other) ? other : nearest(plain, allowed)
  const meant = near === null || near === name ? '' : ` Did you mean "${near}"?`
  return new ToolError(
    `"${text}" has no operator "${name.slice(0, 40)}".${meant} It takes ${allowed.join(', ')}.`,
  )
}

/** Filters are joined one way only, which those who know GraphQL's would not expect. */
export function assertNoJoining(name: string): void {
  if (/^\$?(or|and|not|nor)$/i.test(name))
    throw new ToolError(
      `"${name}" is no field: all filters have to hold. For one field or another value write a list of values or {"ne": …}; for one condition or another ask twice, or use run_graphql.`,
    )
}
