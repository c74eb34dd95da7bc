/** Builds what cursors of groups are bound to, and reads the cursor behind which a page of groups begins. */
import type { ColumnValue } from '../../../database/database.ts'
import { ServiceError } from '../../../errors.ts'
import type { GroupField } from '../../../schema/model/operators.ts'
import { decodeCursor } from '../../../util/cursor.ts'
import { instantText, isStoredText } from '../build-page.ts'
import type { AggregatePlan } from '../plan.ts'
import type { GroupPage } from './group-plan.ts'
import { groupOrderParts, type OrderType } from './group-order.ts'

/** `field`: the name of the aggregate field. */
export function buildGroupPage(
  field: string,
  given: Readonly<Record<string, unknown>>,
  plan: Pick<AggregatePlan, 'keys' | 'order' | 'measures'>,
): GroupPage {
  const binding = bindingOf(field, given, plan.order)
  const { after } = given
  if (after === undefined || after === null) return { binding, after: null }
  return { binding, after: position(String(after), binding, plan) }
}

function bindingOf(
  field: string,
  { groupBy, rankBy, timeZone, weekStart, interval }: Readonly<Record<string, unknown>>,
  order: AggregatePlan['order'],
): string {
  const names = ((groupBy ?? []) as readonly GroupField[]).map(({ name }) => name)
  const { field: ranked, ...ranking } = (rankBy ?? {}) as { readonly field?: GroupField }
  const defined = {
    // An argument that is null means the same as none.
    timeZone: timeZone ?? undefined,
    weekStart: weekStart ?? undefined,
    interval: interval ?? undefined,
    by: order.by,
    ranked: ranked?.name,
    ...ranking,
  }
  return JSON.stringify([field, names, 'direction' in order ? order.direction : null, defined])
}

function position(
  cursor: string,
  binding: string,
  plan: Parameters<typeof groupOrderParts>[0],
): readonly ColumnValue[] {
  const parts = groupOrderParts(plan)
  const values = decodeCursor(binding, cursor)?.map((value, index) => {
    const part = parts[index]
    if (part === undefined) return undefined
    return value === null ? (part.nullable ? null : undefined) : valueOf(part.type, value)
  })
  if (values === undefined || values.length !== parts.length || values.includes(undefined))
    throw new ServiceError(
      'INVALID_CURSOR',
      '`after` is no cursor of these groups in this order. Take a `cursor` or an `endCursor` of the same `groupBy` and order.',
    )
  return values as ColumnValue[]
}

const dateText = /^(?!0000)\d{4}-(0[1-9]|1[0-2])-01$/
const sumText = /^-?\d{1,30}$/

/** Undefined if a cursor cannot hold this value. Large integers and fractions are text, because engines write JSON numbers differently. */
function valueOf(type: OrderType, value: unknown): ColumnValue | undefined {
  switch (type) {
    case 'text':
      return isStoredText(value) ? value : undefined
    case 'boolean':
      return value === 0 || value === 1 ? value : undefined
    case 'integer':
      return Number.isSafeInteger(value) ? (value as number) : undefined
    case 'double':
      return JSON.stringify(Number(value)) === value ? Number(value) : undefined
    case 'instant':
      return isLargeInteger(value) ? BigInt(value) : undefined
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

function isLargeInteger(value: unknown): value is string {
  return typeof value === 'string' && instantText.test(value)
}
