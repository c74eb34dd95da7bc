/** Turns conditions into a `where`. */
import { parseSearch, type Search, SearchError, wantedTerms } from '../../search/parse-search.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Subject } from '../fields/subject.ts'
import { type Condition, isDate } from './conditions.ts'
import type { View } from './view.ts'

export type Where = Readonly<Record<string, unknown>>

/** The arguments of lists, aggregates and exports that select records; undefined ones are left out. */
export interface RecordArguments {
  readonly where: Where | undefined
  readonly search: string | undefined
}

export function recordArguments({
  conditions,
  search,
}: Pick<View, 'conditions' | 'search'>): RecordArguments {
  return {
    where: conditions.length === 0 ? undefined : whereOf(conditions),
    search: search === '' ? undefined : search,
  }
}

/** Whether the service takes the search. */
export function canSearch(search: string, collection: Subject['collection']): boolean {
  return parse(search, collection) !== 'refused'
}

/** Whether the search is blank or only excludes words, so that no record is more relevant than another. */
export function isUnranked(search: string, collection: Subject['collection']): boolean {
  const parsed = parse(search, collection)
  return parsed === null || (parsed !== 'refused' && wantedTerms(parsed).length === 0)
}

function parse(search: string, { searchFields }: Subject['collection']): Search | null | 'refused' {
  try {
    return parseSearch(
      search,
      searchFields.map(({ name }) => name),
    )
  } catch (error) {
    if (error instanceof SearchError) return 'refused'
    throw error
  }
}

/**
 * Conditions on one array, or on the records that refer by one reference, must hold for the same element or record.
 * Excluded values are inside `NOT`, so that records without a value stay. A record whose reference leads to none that is
 * indexed has no value of that.
 */
export function whereOf(conditions: readonly Condition[]): Where {
  const where: Record<string, unknown> = {}
  const others: Where[] = []
  for (const condition of conditions) {
    const { field, operator } = condition
    if (operator === 'not') others.push({ NOT: nest(field, anyOf(field, condition.values)) })
    else if (operator === 'missing' && condition.values[0] === '1' && isReferred(field))
      others.push({ NOT: nest(field, { isNull: false }) })
    else if (!merge(where, nest(field, conditionOn(condition))))
      others.push(nest(field, conditionOn(condition)))
  }
  return others.length === 0 ? where : { ...where, AND: others }
}

/** Whether it is a value of a record that this one refers to. */
function isReferred({ steps }: ShownField): boolean {
  return steps.some(({ record }) => record !== null) && !steps.some(({ some }) => some)
}

/** Records that meet both. */
export function andWhere(where: Where | undefined, ...others: readonly Where[]): Where {
  const all = [...(where === undefined || Object.keys(where).length === 0 ? [] : [where]), ...others]
  const [first = {}, ...rest] = all
  return rest.length === 0 ? first : { AND: all }
}

export function nest({ steps }: ShownField, inner: Where): Where {
  return steps.reduceRight<Where>(
    (inside, { name, some }) => ({ [name]: some ? { some: inside } : inside }),
    inner,
  )
}

function conditionOn({ field, operator, values }: Condition): Where {
  const [value = ''] = values
  switch (operator) {
    case 'is':
      return anyOf(field, values)
    case 'all':
      return { hasAll: values.map((each) => operand(field, each)) }
    case 'missing':
      return { isNull: value === '1' }
    case 'from':
      return { gte: operand(field, value) }
    case 'to':
      return field.type.kind === 'datetime' && isDate(value.trim())
        ? throughDay(value.trim())
        : { lte: operand(field, value) }
    case 'contains':
      return { contains: value }
    case 'starts':
      return { startsWith: value }
    case 'matches':
      return { matches: value }
    case 'not':
      throw new Error('Excluded values are negated conditions.')
  }
}

function anyOf(field: ShownField, values: readonly string[]): Where {
  const operands = values.map((value) => operand(field, value))
  const [first] = operands
  if (field.isArray && field.type.kind === 'strongRef')
    return { some: { uri: operands.length === 1 ? { eq: first } : { in: operands } } }
  if (field.isArray) return operands.length === 1 ? { has: first } : { hasAny: operands }
  const { kind } = field.type
  // Both values of a boolean: any value.
  if (kind === 'boolean') return operands.length === 1 ? { eq: first } : { isNull: false }
  const equal = operands.length === 1 ? { eq: first } : { in: operands }
  return kind === 'strongRef' || kind === 'atUri' ? { uri: equal } : equal
}

function operand({ type }: ShownField, value: string): unknown {
  if (type.kind === 'integer') return Number(value.trim())
  if (type.kind === 'boolean') return value === 'true'
  return type.kind === 'datetime' ? value.trim() : value
}

/** The day after the last one has no date of four digits. */
function throughDay(date: string): Where {
  if (date === '9999-12-31') return { lte: `${date}T23:59:59.999999Z` }
  return { lt: new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10) }
}

/** Adds the condition, unless the place of its operator is taken. */
function merge(into: Record<string, unknown>, condition: Where): boolean {
  const [[name, value] = ['', {}]] = Object.entries(condition)
  const present = Object.hasOwn(into, name) ? into[name] : undefined
  if (present === undefined) {
    into[name] = structuredClone(value)
    return true
  }
  if (typeof present !== 'object' || Array.isArray(present) || typeof value !== 'object') return false
  return merge(present as Record<string, unknown>, value as Where)
}
