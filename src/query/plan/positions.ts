/** Reads positions in orders of lists and of groups from cursors. Anyone can write one, so each value is checked. */
import type { ColumnValue } from '../../database/database.ts'

/**
 * `integer`: of at most 53 bits. `bigint`: of at most 64 bits. `wideSum`: a sum that may exceed 64 bits. `instant`:
 * microseconds. `date`: the first day of a bucket.
 */
export type OrderType = 'text' | 'boolean' | 'integer' | 'bigint' | 'double' | 'instant' | 'date' | 'wideSum'

/** One value of an order. */
export interface PositionPart {
  readonly type: OrderType
  readonly nullable: boolean
}

/** Null if a cursor cannot hold these values. */
export function readPosition(
  values: readonly unknown[] | null,
  parts: readonly PositionPart[],
): readonly ColumnValue[] | null {
  if (values?.length !== parts.length) return null
  const read = parts.map(({ type, nullable }, index) =>
    values[index] === null ? (nullable ? null : undefined) : valueOf(type, values[index]),
  )
  return read.includes(undefined) ? null : (read as ColumnValue[])
}

const instantText = /^-?\d{1,18}$/
const dateText = /^(?!0000)\d{4}-(0[1-9]|1[0-2])-01$/
const sumText = /^-?\d{1,30}$/

/** Undefined if it is no such value. Large integers and fractions are text, because engines write JSON numbers differently. */
function valueOf(type: OrderType, value: unknown): ColumnValue | undefined {
  switch (type) {
    case 'text':
      // A record can hold it: no database compares with another text, nor PostgreSQL with NUL.
      return typeof value === 'string' && !value.includes('\0') && value.isWellFormed() ? value : undefined
    case 'boolean':
      // PostgreSQL cannot compare a boolean's small integer with a larger one.
      return value === 0 || value === 1 ? value : undefined
    case 'integer':
      return Number.isSafeInteger(value) ? (value as number) : undefined
    case 'double':
      return JSON.stringify(Number(value)) === value ? Number(value) : undefined
    case 'instant':
      return typeof value === 'string' && instantText.test(value) ? BigInt(value) : undefined
    case 'date':
      return typeof value === 'string' && dateText.test(value) ? value : undefined
    case 'bigint':
    case 'wideSum': {
      if (typeof value !== 'string' || !sumText.test(value)) return undefined
      const sum = BigInt(value)
      // Beyond that, engines cannot compare with it.
      return BigInt.asIntN(type === 'bigint' ? 64 : 85, sum) === sum ? sum : undefined
    }
  }
}
