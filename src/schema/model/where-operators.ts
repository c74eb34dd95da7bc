/**
 * The operators of `where`, one entry each. The GraphQL inputs, the compiler, the optimizer, the prices, the agents'
 * tools and the documentation read this table; a new operator needs an entry here and code in its compiling phase.
 */
import type { FieldType } from './model.ts'

/** The operand of an operator. `uri` is a reference's URI; `elements` are objects or references in an array. */
export type OperatorTarget =
  | 'string'
  | 'integer'
  | 'datetime'
  | 'boolean'
  | 'uri'
  | 'array'
  | 'elements'
  | 'reverse'
  | 'strongRef'
  | 'atUri'

export interface WhereOperator {
  /** The targets that have the operator, each with its description in the schema. */
  readonly on: Readonly<Partial<Record<OperatorTarget, string | null>>>
  /** The argument: a value of the field, a list of values, a text, a boolean, or conditions. */
  readonly value: 'value' | 'list' | 'text' | 'flag' | 'where'
  /** The condition that the operator compiles to (query/plan/build-where.ts). */
  readonly condition: 'compare' | 'in' | 'text' | 'has' | 'missing' | 'semi-join' | 'indexed' | 'current'
  /** The index that finds matching records and estimates their number; null when there is none. */
  readonly index: 'ordered' | 'trigrams' | 'elements' | 'reference' | null
  /** The weight in query/price/cost-weights.ts if that index exists; `operand`: the weight of the compared operand. */
  readonly price: 'operand' | 'search' | 'has' | 'join' | 'pin'
  /** Names in other query languages; the error for an agent that uses one suggests the operator. */
  readonly synonyms: readonly string[]
}

const everyValue = { string: null, integer: null, datetime: null, boolean: null, uri: null }
const ordered = { string: null, integer: null, datetime: null }
const missing = 'Whether the value is missing.'
const different = 'Present and different.'
const listed = 'One of these; an empty list matches nothing.'
const notListed = 'Present and none of these.'

const comparison = { value: 'value', condition: 'compare', index: 'ordered', price: 'operand' } as const

export const whereOperators = {
  eq: { ...comparison, on: everyValue, synonyms: ['=', '=='] },
  ne: {
    ...comparison,
    on: { ...everyValue, string: different, integer: different, datetime: different },
    index: null,
    synonyms: ['!=', '<>', 'not'],
  },
  in: {
    on: { string: listed, integer: listed, datetime: listed, uri: null },
    value: 'list',
    condition: 'in',
    index: 'ordered',
    price: 'operand',
    synonyms: ['any'],
  },
  notIn: {
    on: { string: notListed, integer: notListed, datetime: notListed, uri: null },
    value: 'list',
    condition: 'in',
    index: null,
    price: 'operand',
    synonyms: ['nin'],
  },
  gt: { ...comparison, on: ordered, synonyms: ['>', 'after'] },
  gte: { ...comparison, on: ordered, synonyms: ['>=', 'min', 'from', 'since'] },
  lt: { ...comparison, on: ordered, synonyms: ['<', 'before'] },
  lte: { ...comparison, on: ordered, synonyms: ['<=', 'max', 'to', 'until'] },
  contains: {
    on: { string: 'Holds this text, ignoring case and accents; no wildcards.' },
    value: 'text',
    condition: 'text',
    index: 'trigrams',
    price: 'search',
    synonyms: ['like'],
  },
  startsWith: {
    on: { string: 'Begins with this text, ignoring case and accents.' },
    value: 'text',
    condition: 'text',
    index: 'trigrams',
    price: 'search',
    synonyms: [],
  },
  has: {
    on: { array: 'Has this element.' },
    value: 'value',
    condition: 'has',
    index: 'elements',
    price: 'has',
    synonyms: [],
  },
  hasAny: {
    on: { array: 'Has at least one of these; an empty list matches nothing.' },
    value: 'list',
    condition: 'has',
    index: 'elements',
    price: 'has',
    synonyms: [],
  },
  hasAll: {
    on: { array: 'Has all of these; an empty list matches every array.' },
    value: 'list',
    condition: 'has',
    index: 'elements',
    price: 'has',
    synonyms: [],
  },
  some: {
    on: {
      elements: 'At least one matches; `{}` is "there is at least one".',
      reverse: 'At least one matches; `{}` is "there is at least one".',
    },
    value: 'where',
    condition: 'semi-join',
    index: 'reference',
    price: 'join',
    synonyms: [],
  },
  none: {
    on: { reverse: 'Not one matches.' },
    value: 'where',
    condition: 'semi-join',
    index: null,
    price: 'join',
    synonyms: [],
  },
  isNull: {
    on: {
      string: missing,
      integer: missing,
      datetime: missing,
      boolean: null,
      uri: null,
      array: null,
      elements: null,
      strongRef: 'Whether the reference is missing.',
      atUri: 'Whether the reference is missing.',
    },
    value: 'flag',
    condition: 'missing',
    index: null,
    price: 'operand',
    synonyms: [],
  },
  isIndexed: {
    on: {
      strongRef: 'Whether a record with that URI is indexed.',
      atUri: 'Whether a record with that URI is indexed.',
    },
    value: 'flag',
    condition: 'indexed',
    index: null,
    price: 'join',
    synonyms: [],
  },
  isCurrent: {
    on: { strongRef: 'Whether the indexed record still has that CID.' },
    value: 'flag',
    condition: 'current',
    index: null,
    price: 'pin',
    synonyms: [],
  },
} as const satisfies Record<string, WhereOperator>

export type OperatorName = keyof typeof whereOperators

/** Operators that compile to a condition of this kind. */
export type OperatorOf<Kind extends WhereOperator['condition']> = {
  [Name in OperatorName]: (typeof whereOperators)[Name]['condition'] extends Kind ? Name : never
}[OperatorName]

/** In the table's order. */
export function operatorsOn(
  target: OperatorTarget,
): readonly (readonly [name: OperatorName, operator: WhereOperator, description: string | null])[] {
  return operatorEntries.flatMap(([name, operator]) => {
    const description = operator.on[target]
    return description === undefined ? [] : [[name, operator, description] as const]
  })
}

const operatorEntries = Object.entries(whereOperators) as readonly (readonly [OperatorName, WhereOperator])[]

export function isOperatorOf<Kind extends WhereOperator['condition']>(
  name: string,
  ...kinds: readonly Kind[]
): name is OperatorOf<Kind> {
  const operator: WhereOperator | undefined = Object.hasOwn(whereOperators, name)
    ? whereOperators[name as OperatorName]
    : undefined
  return operator !== undefined && (kinds as readonly string[]).includes(operator.condition)
}

/** The operator target of a single value of this type; null if the type has no operators for values. */
export function operatorTargetOf({ kind }: FieldType): 'string' | 'integer' | 'datetime' | 'boolean' | null {
  switch (kind) {
    case 'string':
    case 'integer':
    case 'datetime':
    case 'boolean':
      return kind
    case 'atUri':
    case 'strongRef':
    case 'object':
    case 'union':
    case 'array':
    case 'bytes':
    case 'blob':
    case 'cidLink':
    case 'unknown':
      return null
  }
}
