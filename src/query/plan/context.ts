/**
 * What all builders of a plan use: the schema and the tables of one model, limits that count through the operation, and
 * checks of single argument values.
 */
import { getNamedType, isObjectType } from 'graphql/type'
import { ServiceError } from '../../errors.ts'
import type { Table } from '../../database/layout/tables.ts'
import type { Collection, Model } from '../../schema/model/model.ts'
import { type Collected, collectFields, type Selection } from '../parse/collect.ts'
import { assertWithin } from '../parse/limits.ts'
import type { Constant, Selected } from './plan.ts'

/** The input that the caller provides. */
export interface PlanSetting {
  /** Version of the program. */
  readonly version: string
  readonly model: Model
  readonly tables: readonly Table[]
  /** Maximum value of `first` and `last`. */
  readonly maxPageSize: number
  readonly selection: Selection
}

export interface PlanContext extends PlanSetting {
  readonly asked: Asked
}

/**
 * Counts the conditions and values of all `where` of an operation. A variable can be used in a hundred of them, so
 * building must stop as soon as a limit is exceeded.
 */
export class Asked {
  #conditions = 0
  #values = 0

  get conditions(): number {
    return this.#conditions
  }

  /** Counts an operator, or an object of operators. */
  countCondition(): void {
    this.#conditions += 1
    assertWithin('allConditions', this.#conditions, 'All `where` of the operation have too many conditions')
  }

  countValues(number: number): void {
    this.#values += number
    assertWithin('parameters', this.#values, 'The operation compares with too many values')
  }
}

export function tableOf({ tables }: PlanContext, collection: Collection): Table {
  return tables.find((table) => table.collection === collection) as Table
}

/** Turns each selection below a field of object type, except `__typename`, into an output. */
export function fieldsBelow<Kind>(
  context: PlanContext,
  { field, selections }: Collected,
  output: (below: Collected) => Kind | Constant,
): readonly Selected<Kind>[] {
  const type = getNamedType(field?.type)
  if (!isObjectType(type)) throw new Error('A field with selections has no object type.')
  return collectFields(context.selection, type, selections).map((below) => ({
    key: below.key,
    output: below.name === '__typename' ? constantOutput(type.name) : output(below),
  }))
}

export function constantOutput(value: unknown): Constant {
  return { kind: 'constant', json: JSON.stringify(value) }
}

/** Returns the text. NUL and lone surrogates are rejected, because no record can hold them. */
export function checkedText(name: string, text: string): string {
  assertWithin('characters', text.length, `\`${name}\` is too long`)
  if (text.includes('\0') || !text.isWellFormed())
    throw new ServiceError(
      'BAD_USER_INPUT',
      `\`${name}\` has a NUL character or half a surrogate pair, which no record can hold. Remove it.`,
    )
  return text
}

/** Returns an integer within bounds, or the default if the argument is absent or null. */
export function integerArgument(
  name: string,
  value: unknown,
  { min, max, otherwise }: { readonly min: number; readonly max: number; readonly otherwise: number },
): number {
  if (value === undefined || value === null) return otherwise
  if (typeof value === 'number' && value >= min && value <= max) return value
  throw new ServiceError(
    'BAD_USER_INPUT',
    `\`${name}: ${String(value)}\` is out of range: write ${min} to ${max}.`,
  )
}

/** https://atproto.com/specs/at-uri-scheme: authority, then optional collection, then optional record key. */
const atUri = /^at:\/\/[A-Za-z0-9._:%-]+(\/[A-Za-z0-9.-]+(\/[A-Za-z0-9._~:@!$&'()*+,;=%-]+)?)?$/

export function checkedAtUri(name: string, uri: string): string {
  if (atUri.test(checkedText(name, uri))) return uri
  throw new ServiceError(
    'BAD_USER_INPUT',
    `\`${name}\` is no AT-URI. Write at://DID/COLLECTION/RECORD-KEY, such as at://did:plc:abc/app.example.post/3k2a.`,
  )
}

/** Throws BAD_USER_INPUT for null, which cannot be compared with anything. */
export function present(name: string, value: unknown): unknown {
  if (value !== null) return value
  throw new ServiceError(
    'BAD_USER_INPUT',
    `\`${name}: null\` in \`where\` says nothing. Ask for missing values with \`isNull: true\`, or leave \`${name}\` out.`,
  )
}
