/** Validates a caller's conditions on values and lists of values, and writes them with GraphQL's operators. */
import type { FieldType } from '../schema/model/model.ts'
import type { OperatorName, OperatorTarget } from '../schema/model/where-operators.ts'
import { isUrl, operatorsOn, operatorTargetOf, whereOperators } from '../schema/model/where-operators.ts'
import { normalizeWrittenUrl } from '../util/text/normalize-url.ts'
import { nearest } from '../util/text/nearest.ts'
import { parseStretch, type Stretch } from './dates.ts'
import type { Literal } from './graphql-text.ts'
import { AskError, didYouMean } from './ask-error.ts'
import { anyOf, readText, type Where } from './where.ts'
import { isObject } from '../util/is-object.ts'

/** The time from which "today" is computed. */
export interface Clock {
  readonly now: () => Date
}

const synonyms = new Map(
  Object.entries(whereOperators).flatMap(([name, operator]) =>
    operator.synonyms.map((synonym: string) => [synonym, name] as const),
  ),
)
const namesOn = (...targets: readonly OperatorTarget[]): string[] =>
  operatorsOn(...targets).map(([name]) => name)

/** `value` is not null. */
export function arrayCondition(text: string, of: FieldType, value: unknown, clock: Clock): Where {
  const element = (given: unknown): Literal => scalarLiteral(text, of, given, clock)
  const isText = of.kind === 'string'
  if (!isObject(value)) return anyOf(of, true, [value].flat().map(element))
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]): [string, Literal] => {
      if (name === 'isNull') return [name, isNull(text, inner)]
      if (name === 'has' || name === 'eq') return ['has', element(inner)]
      if (name === 'hasAny' || name === 'in') return ['hasAny', list(text, inner).map(element)]
      if (name === 'hasAll') return [name, list(text, inner).map(element)]
      if (name === 'contains' && isText) return [name, asText(text, inner)]
      throw unknownOperator(text, name, isText ? namesOn('array', 'texts') : namesOn('array'))
    }),
  )
}

/** `value` is not null. */
export function scalarCondition(text: string, type: FieldType, value: unknown, clock: Clock): Where {
  const literal = (given: unknown): Literal => scalarLiteral(text, type, given, clock)
  const compared = (name: string, given: unknown): Where =>
    type.kind === 'datetime'
      ? momentCondition(text, name, parseStretch(asText(text, given), clock.now()))
      : { [name]: literal(given) }
  if (Array.isArray(value)) {
    const values = [...new Set(value.map(literal))]
    if (type.kind === 'boolean' && values.length === 0)
      throw new AskError(`"${text}" is true or false; the list is empty.`)
    return anyOf(type, false, values)
  }
  if (!isObject(value)) return compared(plainOperator(type, value), value)
  const target = operatorTargetOf(type) ?? 'datetime'
  const isText = type.kind === 'string' && type.freeText
  const allowed = isText ? namesOn(target, 'searched') : namesOn(target)
  const conditions = Object.entries(value).map(([name, inner]): Where => {
    if (!allowed.includes(name)) throw unknownOperator(text, name, allowed)
    if (name === 'isNull') return { isNull: isNull(text, inner) }
    if (inner === null && (name === 'eq' || name === 'ne')) return { isNull: name === 'eq' }
    if (name === 'in' || name === 'notIn') return { [name]: list(text, inner).map(literal) }
    return compared(name, inner)
  })
  const bounds = conditions.flatMap((condition) => Object.entries(condition))
  if (new Map(bounds).size === bounds.length) return Object.fromEntries(bounds)
  throw new AskError(
    `Some of ${Object.keys(value).join(', ')} set the same bound of "${text}"; leave one of them out.`,
  )
}

/** The meaning of a value without an operator: a part of a text, or an address however it was copied. */
function plainOperator(type: FieldType, value: unknown): OperatorName {
  if (type.kind === 'string' && type.freeText) return 'contains'
  return isUrl(type) && normalizeWrittenUrl(String(value).trim()) !== null ? 'sameUrl' : 'eq'
}

/** Whether a list of plain values is not the same as `in`, because a plain value is not the same as `eq`. */
export function isListOfConditions(type: FieldType): boolean {
  return type.kind === 'datetime' || (type.kind === 'string' && (type.freeText || isUrl(type)))
}

/** A condition on the URI of a reference. */
export function uriCondition(text: string, value: unknown): Where {
  if (value === null) return { isNull: true }
  if (typeof value === 'string' || Array.isArray(value))
    return anyOf({ kind: 'atUri' }, false, strings(text, [value].flat()))
  const wrong = new AskError(`"${text}" is a reference: write a URI or the name of a record.`)
  if (!isObject(value)) throw wrong
  const entries = Object.entries(value).map(([name, inner]): [string, Literal] => {
    if (name === 'in' || name === 'notIn') return [name, strings(text, inner)]
    if (name === 'isNull') return [name, isNull(text, inner)]
    if (name !== 'eq' && name !== 'ne')
      throw unknownOperator(text, name, ['eq', 'ne', 'in', 'notIn', 'isNull'])
    if (typeof inner !== 'string') throw wrong
    return [name, inner]
  })
  return { uri: Object.fromEntries(entries) }
}

function unknownOperator(text: string, name: string, allowed: readonly string[]): AskError {
  const plain = name.replace(/^\$/, '').toLowerCase()
  const synonym = synonyms.get(plain)
  const near = synonym !== undefined && allowed.includes(synonym) ? synonym : nearest(plain, allowed)
  return new AskError(
    `"${text}" has no operator "${name.slice(0, 40)}".${didYouMean(near === name ? null : near)} It takes ${allowed.join(', ')}.`,
  )
}

/** `gt` a day starts with the next day; `lte` a day includes that day. */
function momentCondition(text: string, name: string, stretch: Stretch): Where {
  const { start, end, includesEnd } = stretch
  if (start === end) return { [name]: start }
  if (name === 'ne') throw notMoment(text)
  if (name === 'eq') return { gte: start, ...notAfter(stretch) }
  if (name === 'gt') return { [includesEnd ? 'gt' : 'gte']: end }
  return name === 'lte' ? notAfter(stretch) : { [name]: start }
}

export function notAfter({ end, includesEnd }: Stretch): Where {
  return { [includesEnd ? 'lte' : 'lt']: end }
}

function notMoment(text: string): AskError {
  return new AskError(
    `Here "${text}" takes moments such as "2026-11-16T09:30:00Z", and not days or months. Where it is one time and no list, write any of several as a plain list, ["2026-10", "2026-11"], and others by bounds, {"lt": "2026-11"} or {"gt": "2026-11"}.`,
  )
}

function scalarLiteral(text: string, type: FieldType, value: unknown, clock: Clock): Literal {
  switch (type.kind) {
    case 'integer': {
      const number = typeof value === 'string' ? readText(type, value) : value
      const most = type.bits === 32 ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER
      if (typeof number === 'number' && Number.isInteger(number) && Math.abs(number) <= most) return number
      throw new AskError(
        `"${text}" is an integer, and ${shown(value)} is not. Write a number, or bounds such as {"gte": 8}.${insteadOfNull(value)}`,
      )
    }
    case 'boolean': {
      const flag = typeof value === 'string' ? readText(type, value) : value
      if (typeof flag === 'boolean') return flag
      throw new AskError(`"${text}" is true or false, and ${shown(value)} is neither.${insteadOfNull(value)}`)
    }
    case 'datetime': {
      const { start, end } = parseStretch(asText(text, value), clock.now())
      // A day or a month is many moments, of which a list of values and `ne` would mean the first alone.
      if (start !== end) throw notMoment(text)
      return start
    }
    default:
      return asText(text, value)
  }
}

function asText(text: string, value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string')
    throw new AskError(`"${text}" takes a text, and ${shown(value)} is not one.${insteadOfNull(value)}`)
  if (value.includes('\0')) throw new AskError(`The text for "${text}" has a NUL in it; leave it out.`)
  return value.toWellFormed()
}

function list(text: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new AskError(`This operator of "${text}" takes a list, such as ["a", "b"].`)
}

export function strings(text: string, value: unknown): string[] {
  return list(text, value).map((each) => asText(text, each))
}

export function isNull(text: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw new AskError(`isNull of "${text}" is true or false.`)
}

const equalities = new Set(['eq', 'in', 'has', 'hasAny'])

/** Whether a value is a word for a missing value, or is empty, also in a list or in an operator that compares whole values. */
export function meansMissing(value: unknown): boolean {
  if (typeof value === 'string')
    return /^(?:|-|none|nil|null|undefined|unknown|missing|empty|nothing|not set|n\/a)$/i.test(value.trim())
  if (Array.isArray(value)) return value.every(meansMissing)
  return (
    isObject(value) &&
    Object.entries(value).every(([name, each]) => equalities.has(name) && meansMissing(each))
  )
}

/** What to write for records without a value. */
export function nullAdvice(text: string): string {
  return `For records without ${text} write null: ${JSON.stringify({ [text]: null })}.`
}

function insteadOfNull(value: unknown): string {
  return value === null
    ? ' For records without a value write null alone, not in a list or an operator; for these or others ask twice.'
    : ''
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 60)
}

export function isOnly(value: object, name: string): boolean {
  return Object.keys(value).length === 1 && name in value
}
