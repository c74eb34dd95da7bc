/** The custom scalars. Inputs become the values that the compiler compares: instants are bigint microseconds. */
import { GraphQLError } from 'graphql/error'
import { Kind } from 'graphql/language'
import { GraphQLBoolean, GraphQLInt, GraphQLScalarType, GraphQLString } from 'graphql/type'
import { valueFromASTUntyped } from 'graphql/utilities/valueFromASTUntyped'
import { parseInstant } from '../../util/instant.ts'
import type { FieldType } from '../model/model.ts'

export const DateTime = new GraphQLScalarType<bigint, string>({
  name: 'DateTime',
  specifiedByURL: 'https://atproto.com/specs/lexicon#datetime',
  description:
    'A moment. Output: as the record has it. Input: RFC 3339 such as "2026-11-16T13:00:00Z", or a date such as "2026-11-16", which means midnight UTC. Compared as an instant, in microseconds.',
  coerceInputValue: instant,
  coerceInputLiteral: (node) => instant(valueFromASTUntyped(node)),
  coerceOutputValue: String,
})

export const BigInt53 = new GraphQLScalarType<number, number>({
  name: 'BigInt',
  specifiedByURL: 'https://atproto.com/specs/data-model#data-types',
  description: 'An integer between -9007199254740991 and 9007199254740991, as a JSON number.',
  coerceInputValue: safeInteger,
  coerceInputLiteral: (node) => {
    if (node.kind !== Kind.INT) throw new GraphQLError('BigInt wants an integer without quotes or fraction.')
    return safeInteger(Number(node.value))
  },
  coerceOutputValue: Number,
})

export const Json = new GraphQLScalarType<unknown, unknown>({
  name: 'JSON',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  description: 'Any JSON value, as the record has it. Output only.',
})

/** A bigint if a double may not hold the number. */
export const MeasureValue = new GraphQLScalarType<number | bigint | string, number | string>({
  name: 'MeasureValue',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  description:
    'A number, or for MIN and MAX of datetimes a moment as text. Integers beyond ±9007199254740991 are exact as literals and as text; as JSON numbers they are doubles. Input only.',
  coerceInputValue: measureValue,
  coerceInputLiteral: (node) => {
    if (node.kind !== Kind.INT && node.kind !== Kind.FLOAT) return measureValue(valueFromASTUntyped(node))
    return measureValue(isExactAsText(node.value) ? node.value : Number(node.value))
  },
})

/** The type of single values; of texts and of references, a string. */
export function scalarOf(type: FieldType): GraphQLScalarType {
  if (type.kind === 'integer') return type.bits === 32 ? GraphQLInt : BigInt53
  if (type.kind === 'boolean') return GraphQLBoolean
  return type.kind === 'datetime' ? DateTime : GraphQLString
}

/** Of integers that a double may not hold; none has more digits than the largest double. */
function isExactAsText(text: string): boolean {
  return /^-?\d{16,308}$/.test(text) && !Number.isSafeInteger(Number(text))
}

function measureValue(value: unknown): number | bigint | string {
  if (typeof value === 'string' && isExactAsText(value)) return BigInt(value)
  if (typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))) return value
  throw new GraphQLError(
    'MeasureValue wants a number, or for MIN and MAX of datetimes a moment such as "2026-11-16".',
  )
}

function instant(value: unknown): bigint {
  const parsed = typeof value === 'string' ? parseInstant(value) : null
  if (parsed === null)
    throw new GraphQLError(
      `${JSON.stringify(value)} is no moment between the years 0001 and 9999. Write RFC 3339 such as "2026-11-16T13:00:00Z", or a date such as "2026-11-16".`,
    )
  return parsed
}

function safeInteger(value: unknown): number {
  if (typeof value === 'string')
    throw new GraphQLError(
      `${JSON.stringify(value.slice(0, 80))} is text: BigInt wants an integer without quotes.`,
    )
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw new GraphQLError(`${String(value)} is no integer between -9007199254740991 and 9007199254740991.`)
  return value
}
