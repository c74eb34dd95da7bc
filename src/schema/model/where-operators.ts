/**
 * The operators of `where`, one entry each. The GraphQL inputs, the compiler, the optimizer, the prices, the agents'
 * tools and the documentation read this table; a new operator needs an entry here and code in its compiling phase.
 */
import type { FieldType } from './model.ts'

/**
 * The operand of an operator. `url` is a text of format `uri`, `uri` a reference's URI; `elements` are objects or
 * references in an array. What the index of words holds is `searched` besides `string`; arrays of texts, or of objects
 * that have free text, are `texts` besides `array` or `elements`.
 */
export type OperatorTarget =
  | 'string'
  | 'searched'
  | 'url'
  | 'integer'
  | 'datetime'
  | 'boolean'
  | 'uri'
  | 'array'
  | 'elements'
  | 'texts'
  | 'reverse'
  | 'strongRef'
  | 'atUri'

export interface WhereOperator {
  /** The targets that have the operator, each with its description in the schema. */
  readonly on: Readonly<Partial<Record<OperatorTarget, string | null>>>
  /** The argument: a value of the field, a list of values, a text, a boolean, or conditions on a record or a number. */
  readonly value: 'value' | 'list' | 'text' | 'flag' | 'where' | 'number'
  /** The condition that the operator compiles to (query/plan/build-where.ts). */
  readonly condition:
    | 'compare'
    | 'in'
    | 'text'
    | 'words'
    | 'url'
    | 'has'
    | 'missing'
    | 'semi-join'
    | 'count'
    | 'indexed'
    | 'current'
  /** The index that finds matching records and estimates their number; null when there is none. */
  readonly index: 'ordered' | 'trigrams' | 'words' | 'url' | 'elements' | 'reference' | null
  /** The weight in query/price/cost-weights.ts if that index exists; `operand`: the weight of the compared operand. */
  readonly price: 'operand' | 'lookup' | 'compared' | 'join' | 'text'
  /** Names in other query languages; the error for an agent that uses one suggests the operator. */
  readonly synonyms: readonly string[]
}

const described = <Text extends string | null>(text: Text) =>
  ({ string: text, url: text, integer: text, datetime: text }) as const
const ordered = described(null)
const everyValue = { ...ordered, boolean: null, uri: null }
const atLeastOne = 'At least one matches; `{}` is "there is at least one".'
const isReferenceMissing = 'Whether the reference is missing.'
const isIndexed = 'Whether a record with that URI is indexed.'

const holds = 'Holds this text, ignoring case and accents; no wildcards.'
const begins = 'Begins with this text, ignoring case and accents.'

const textSearch = { value: 'text', condition: 'text', index: 'trigrams', price: 'lookup' } as const
const membership = {
  value: 'list',
  condition: 'has',
  index: 'elements',
  price: 'compared',
  synonyms: [],
} as const
const semiJoin = {
  value: 'where',
  condition: 'semi-join',
  index: 'reference',
  price: 'join',
  synonyms: [],
} as const
const flag = { value: 'flag', index: null, synonyms: [] } as const
const comparison = { value: 'value', condition: 'compare', index: 'ordered', price: 'operand' } as const
const ofList = { ...comparison, value: 'list', condition: 'in' } as const

export const whereOperators = {
  eq: { ...comparison, on: everyValue, synonyms: ['=', '=='] },
  ne: {
    ...comparison,
    on: { ...everyValue, ...described('Present and different.') },
    index: null,
    synonyms: ['!=', '<>', 'not'],
  },
  in: {
    ...ofList,
    on: { ...described('One of these; an empty list matches nothing.'), uri: null },
    synonyms: ['any'],
  },
  notIn: {
    ...ofList,
    on: { ...described('Present and none of these.'), uri: null },
    index: null,
    synonyms: ['nin'],
  },
  gt: { ...comparison, on: ordered, synonyms: ['>', 'after'] },
  gte: { ...comparison, on: ordered, synonyms: ['>=', 'min', 'from', 'since'] },
  lt: { ...comparison, on: ordered, synonyms: ['<', 'before'] },
  lte: { ...comparison, on: ordered, synonyms: ['<=', 'max', 'to', 'until'] },
  contains: {
    ...textSearch,
    on: { string: holds, url: holds, texts: 'A text in it holds this one, ignoring case and accents.' },
    synonyms: ['like'],
  },
  startsWith: { ...textSearch, on: { string: begins, url: begins }, synonyms: [] },
  matches: {
    ...textSearch,
    on: { searched: 'Has these words, in the syntax of `search`.' },
    condition: 'words',
    index: 'words',
    synonyms: ['match', 'search'],
  },
  sameUrl: {
    on: {
      url: 'Is the same web address: scheme, `www.`, slashes at the end, fragment and tracking parameters do not count.',
    },
    value: 'text',
    condition: 'url',
    index: 'url',
    price: 'operand',
    synonyms: ['url', 'link', 'address'],
  },
  has: { ...membership, on: { array: 'Has this element.' }, value: 'value' },
  hasAny: { ...membership, on: { array: 'Has at least one of these; an empty list matches nothing.' } },
  hasAll: { ...membership, on: { array: 'Has all of these; an empty list matches every array.' } },
  some: { ...semiJoin, on: { elements: atLeastOne, reverse: atLeastOne } },
  none: { ...semiJoin, on: { reverse: 'Not one matches.' }, index: null },
  count: {
    on: { reverse: 'How many there are; 0 counts.' },
    value: 'number',
    condition: 'count',
    index: 'reference',
    price: 'join',
    synonyms: [],
  },
  isNull: {
    ...flag,
    on: {
      ...everyValue,
      ...described('Whether the value is missing.'),
      array: null,
      elements: null,
      strongRef: isReferenceMissing,
      atUri: isReferenceMissing,
    },
    condition: 'missing',
    price: 'operand',
  },
  isIndexed: { ...flag, on: { strongRef: isIndexed, atUri: isIndexed }, condition: 'indexed', price: 'join' },
  isCurrent: {
    ...flag,
    on: { strongRef: 'Whether the indexed record still has that CID.' },
    condition: 'current',
    price: 'text',
  },
} as const satisfies Record<string, WhereOperator>

export type OperatorName = keyof typeof whereOperators

/** Operators that compile to a condition of this kind. */
export type OperatorOf<Kind extends WhereOperator['condition']> = {
  [Name in OperatorName]: (typeof whereOperators)[Name]['condition'] extends Kind ? Name : never
}[OperatorName]

/** Those that compare with one value; groups are compared by them, too. */
export const comparisons = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'] as const satisfies OperatorOf<'compare'>[]

/** Those of any of the targets, in the table's order. */
export function operatorsOn(
  ...targets: readonly OperatorTarget[]
): readonly (readonly [name: OperatorName, operator: WhereOperator, description: string | null])[] {
  return operatorEntries.flatMap(([name, operator]) => {
    const target = targets.find((each) => operator.on[each] !== undefined)
    return target === undefined ? [] : [[name, operator, operator.on[target] ?? null] as const]
  })
}

const operatorEntries = Object.entries(whereOperators) as readonly (readonly [OperatorName, WhereOperator])[]

/** The operator target of a single value of this type; null if the type has no operators for values. */
export function operatorTargetOf(
  type: FieldType,
): 'string' | 'url' | 'integer' | 'datetime' | 'boolean' | null {
  if (type.kind === 'string') return type.use.filter
  return type.kind === 'integer' || type.kind === 'datetime' || type.kind === 'boolean' ? type.kind : null
}

/** Whether a text is a URI that may be a web address. */
export function isUrl(type: FieldType): boolean {
  return type.kind === 'string' && type.use.filter === 'url'
}
