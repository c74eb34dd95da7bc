/** Reads conditions on fields, turns them into a `where`, and combines those that hold together. */
import type { FieldType } from '../schema/model/model.ts'
import { parseInstant } from '../util/instant.ts'
import { type AskField, type Operator, operators, operatorsOf } from './fields.ts'
import type { Literal } from './graphql-text.ts'
import type { RecordStep, Step } from './paths.ts'

export type Where = { readonly [name: string]: Literal }

/** A condition that holds together with others. */
export type WherePart = Where | MissingAmong

type Steps = readonly Pick<Step, 'name' | 'some'>[]

export interface FieldCondition<Named extends AskField = AskField> {
  readonly field: Named
  readonly operator: Operator
  /** As they are written. */
  readonly values: readonly string[]
}

/** What is wrong with a value of a condition on the field with that name. */
export type ConditionProblem =
  | {
      readonly kind: 'unknownOperator'
      readonly name: string
      readonly operator: string
      readonly operators: readonly string[]
    }
  | { readonly kind: 'longValue'; readonly name: string; readonly most: number }
  | { readonly kind: 'notFlag'; readonly name: string }
  | { readonly kind: 'notInteger' | 'notBoolean' | 'notTime'; readonly name: string; readonly value: string }

/** More would be refused by the service with a message about GraphQL. */
export const longestValue = 1_000

/** The field and the operator of `language` or `language.not`; null if there is no such field or operator. */
export function findOperator<Named extends AskField>(
  name: string,
  fields: ReadonlyMap<string, Named>,
): readonly [Named, Operator] | null {
  const whole = fields.get(name)
  if (whole !== undefined) return [whole, operatorsOf(whole)[0] ?? 'is']
  const at = name.lastIndexOf('.')
  const field = fields.get(name.slice(0, at))
  const operator = operators.find((each) => each === name.slice(at + 1))
  return field === undefined || operator === undefined ? null : [field, operator]
}

export function conditionProblem(
  field: AskField,
  operator: Operator,
  value: string,
): ConditionProblem | null {
  const { name, type } = field
  if (!operatorsOf(field).includes(operator))
    return { kind: 'unknownOperator', name, operator, operators: operatorsOf(field) }
  if (value.length > longestValue) return { kind: 'longValue', name, most: longestValue }
  if (operator === 'missing') return value === '0' || value === '1' ? null : { kind: 'notFlag', name }
  if (readText(type, value) !== null) return null
  const kind = type.kind === 'integer' ? 'notInteger' : type.kind === 'boolean' ? 'notBoolean' : 'notTime'
  return { kind, name, value }
}

/** The value of the type that a text means; null if it means none. */
export function readText(type: FieldType, text: string): Literal | null {
  const { kind } = type
  const trimmed = text.trim()
  if (type.kind === 'integer') {
    const most = type.bits === 32 ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER
    return /^-?\d{1,16}$/.test(trimmed) && Math.abs(Number(trimmed)) <= most ? Number(trimmed) : null
  }
  if (kind === 'boolean') return text === 'true' || text === 'false' ? text === 'true' : null
  if (kind === 'datetime') return parseInstant(trimmed) === null ? null : trimmed
  return text
}

/**
 * Conditions on one array, or on the records that refer by one reference, must hold for the same element or record.
 * Excluded values are inside `NOT`, so that records without a value stay. A record whose reference leads to none that is
 * indexed has no value of that.
 */
export function whereOf(conditions: readonly FieldCondition[]): Where {
  return allOf(conditions.map(conditionOn))
}

function conditionOn({ field, operator, values }: FieldCondition): WherePart {
  const { type, isArray, steps } = field
  const [value = ''] = values
  const operands = values.map((each) => readText(type, each) ?? each)
  const [first = ''] = operands
  const along = (inner: Where): Where => nest(field, inner)
  switch (operator) {
    case 'is':
      return along(anyOf(type, isArray, operands))
    case 'not':
      return { NOT: along(anyOf(type, isArray, operands)) }
    case 'all':
      return along({ hasAll: operands })
    case 'missing':
      return value === '1' ? whereMissing(steps, presence(type, isArray)) : along(presence(type, isArray))
    case 'from':
      return along({ gte: first })
    case 'to':
      return along(
        type.kind === 'datetime' && isDate(value.trim()) ? throughDay(value.trim()) : { lte: first },
      )
    case 'contains':
    case 'matches':
      return along({ [operator]: value })
    case 'starts':
      return along({ startsWith: value })
  }
}

/** That there is a value; of an array of texts or objects, an element. */
export function presence({ kind }: FieldType, isArray: boolean): Where {
  if (isArray && (kind === 'string' || kind === 'atUri')) return { contains: '' }
  return isArray && kind === 'object' ? { some: {} } : { isNull: false }
}

export function anyOf(type: FieldType, isArray: boolean, values: readonly Literal[]): Where {
  const [first = ''] = values
  const isOne = values.length === 1
  if (isArray && type.kind !== 'strongRef') return isOne ? { has: first } : { hasAny: values }
  // Both values of a boolean: any value.
  if (type.kind === 'boolean') return isOne ? { eq: first } : { isNull: false }
  const equal: Where = isOne ? { eq: first } : { in: values }
  const inner = type.kind === 'strongRef' || type.kind === 'atUri' ? { uri: equal } : equal
  return isArray ? { some: inner } : inner
}

export function isDate(value: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(value)
}

/** The day after the last one has no date of four digits. */
function throughDay(date: string): Where {
  if (date === '9999-12-31') return { lte: `${date}T23:59:59.999999Z` }
  return { lt: new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10) }
}

/** Records that meet all, each condition by itself: what several say of an element may be met by different ones. */
export function andWhere(...given: readonly (Where | null | undefined)[]): Where {
  const all = given.filter((where) => where != null).filter((where) => Object.keys(where).length > 0)
  const [first = {}, ...rest] = all
  return rest.length === 0 ? first : { AND: all }
}

/** Applies the condition at the end of the steps; operators that are undefined are left out. */
export function nest(
  { steps }: { readonly steps: Steps },
  condition: { readonly [operator: string]: Literal | undefined },
): Where {
  return steps.reduceRight<Where>(
    (inner, { name, some }) => ({ [name]: some ? { some: inner } : inner }),
    condition as Where,
  )
}

/**
 * The value at the end of the steps is missing, as in groups: also behind a missing object or an unresolved reference,
 * in an element or a referring record that lacks it, and where there is none of these. `present`: what it would meet.
 */
export function whereMissing(steps: Steps, present: Where): WherePart {
  const at = steps.findIndex(({ some }) => some)
  if (at !== -1) return new MissingAmong(steps.slice(0, at + 1), whereMissing(steps.slice(at + 1), present))
  return steps.length === 1 && present.isNull === false
    ? nest({ steps }, { isNull: true })
    : { NOT: nest({ steps }, present) }
}

/** There are none of the elements or referring records that the steps lead to, or one of them meets the condition. */
export class MissingAmong {
  readonly steps: Steps
  readonly inner: WherePart

  constructor(steps: Steps, inner: WherePart) {
    this.steps = steps
    this.inner = inner
  }
}

/** No referring record of the last step meets the condition. */
export function whereNone(steps: readonly Step[], last: RecordStep, condition: Where): Where {
  return nest({ steps: steps.slice(0, -1) }, { [last.name]: { none: condition } })
}

/** All hold. Those with one path apply to the same record: two on `enrichment` must be met by one of them. */
export function allOf(conditions: readonly WherePart[]): Where {
  const missing = conditions.filter((each) => each instanceof MissingAmong)
  let plain = conditions.filter((each): each is Where => !(each instanceof MissingAmong))
  const merged: Record<string, Literal> = {}
  const rest: Where[] = []
  for (const same of Map.groupBy(missing, ({ steps }) => JSON.stringify(nest({ steps }, {}))).values()) {
    const [{ steps }] = same as [MissingAmong]
    // What is asked of one of these elements or records is asked of the same one.
    const asked = plain.map((each) => innerOf(each, steps)).filter((each) => each !== null)
    const one = nest({ steps }, allOf([...asked, ...same.map(({ inner }) => inner)]))
    plain = plain.filter((each) => innerOf(each, steps) === null)
    plain.push(asked.length > 0 ? one : { OR: [{ NOT: nest({ steps }, {}) }, one] })
  }
  for (const condition of plain)
    for (const [name, value] of Object.entries(condition)) {
      const known = merged[name]
      const both = known === undefined ? value : name === 'NOT' ? null : mergeLiterals(known, value)
      if (both === null) rest.push({ [name]: value })
      else merged[name] = both
    }
  return rest.length === 0 ? merged : { ...merged, AND: [...((merged.AND ?? []) as Where[]), ...rest] }
}

/** What a condition asks at the end of the steps; null if it is another condition. */
function innerOf(condition: Where, steps: Steps): Where | null {
  let inner: Literal | undefined = condition
  for (const name of steps.flatMap(({ name, some }) => (some ? [name, 'some'] : [name]))) {
    if (!isObject(inner) || Object.keys(inner).length !== 1 || inner[name] === undefined) return null
    inner = inner[name]
  }
  return isObject(inner) ? inner : null
}

/** Null if the literals cannot share one object: they contradict or repeat each other, or both contain `none`. */
function mergeLiterals(a: Literal, b: Literal): Literal | null {
  if (!isObject(a) || !isObject(b)) return null
  const merged: Record<string, Literal> = { ...a }
  for (const [name, value] of Object.entries(b)) {
    const known = merged[name]
    // Under `AND`, both still apply to the same record.
    if ((name === 'OR' || name === 'NOT') && known !== undefined) {
      merged.AND = [...((merged.AND ?? []) as Where[]), { [name]: value }]
      continue
    }
    // `none: a` with `none: b` is stricter than `none: a and b`.
    const both = known === undefined ? value : name === 'none' ? null : mergeLiterals(known, value)
    if (both === null) return null
    merged[name] = both
  }
  return merged
}

function isObject(value: Literal): value is Where {
  return typeof value === 'object' && value.constructor === Object
}
