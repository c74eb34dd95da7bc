/** Builds the order and the page of a list field, and reads its cursor. */
import type { ColumnValue } from '../../database/database.ts'
import { findReference, findValue, type Table } from '../../database/layout/tables.ts'
import { ServiceError } from '../../errors.ts'
import { leafName, type SortField } from '../../schema/model/operators.ts'
import { decodeCursor } from '../../util/cursor.ts'
import { badInput } from '../parse/prepare.ts'
import { assertWithin } from '../parse/limits.ts'
import { isInstant } from './plan-facts.ts'
import type { Direction, KeyValue, ListPlan, Page, SortKey } from './plan.ts'

interface SortArgument {
  readonly field: SortField
  readonly direction: Direction
}

const defaultPageSize = 20

/** `fieldName` is the name of the list field; cursors are bound to it together with the order. */
export function buildPage(
  table: Table,
  fieldName: string,
  maxPageSize: number,
  { sortBy, ...page }: Readonly<Record<string, unknown>>,
): Pick<ListPlan, 'sort' | 'page' | 'binding'> {
  const order = sortArguments(sortBy)
  const sort = sortKeys(table, order)
  const binding = `${fieldName} ${order.map(({ field, direction }) => `${field.name} ${direction}`).join(', ')}`
  return { sort, binding, page: pageArguments(maxPageSize, page, sort, binding) }
}

function sortArguments(sortBy: unknown): readonly SortArgument[] {
  const given = (sortBy ?? []) as readonly SortArgument[]
  if (given.some(({ direction }) => direction === null))
    throw badInput('A `direction` in `sortBy` is null. Write ASC or DESC, or leave it out.')
  assertWithin('sortFields', given.length, '`sortBy` has too many fields')
  if (given.length > 0) return given
  return [{ field: { name: 'indexedAt', leaf: { kind: 'system', name: 'indexedAt' } }, direction: 'desc' }]
}

/** The requested keys, then `rkey` and `did` in the direction of the last key. */
function sortKeys(table: Table, order: readonly SortArgument[]): readonly SortKey[] {
  const keyOf = (value: KeyValue, direction: Direction): SortKey => ({
    value,
    direction,
    nullable: value.kind !== 'system',
  })
  const last = order.at(-1)?.direction ?? 'desc'
  return [
    ...order.flatMap(({ field, direction }) =>
      keyValues(table, field).map((value) => keyOf(value, direction)),
    ),
    keyOf({ kind: 'system', name: 'rkey' }, last),
    keyOf({ kind: 'system', name: 'did' }, last),
  ]
}

function keyValues(table: Table, { leaf }: SortField): readonly KeyValue[] {
  const kind = 'system'
  if (leaf.kind === 'system') {
    switch (leaf.name) {
      case 'indexedAt':
        return [{ kind, name: 'indexed_at' }]
      case 'changedAt':
        return [{ kind, name: 'changed_at' }]
      // A repo collection ends in a slash, which no record key contains, so comparing both parts compares the URI.
      case 'uri':
        return [
          { kind, name: 'baseUri' },
          { kind, name: 'rkey' },
        ]
      case 'did':
      case 'rkey':
        return [{ kind, name: leaf.name }]
      case 'collection':
        return []
    }
  }
  const path = [leaf.field.property]
  const reference = findReference(table, path)
  if (reference !== undefined) return [{ kind: 'uriText', ...reference }]
  const column = findValue(table, path)
  if (column === undefined) throw new Error(`No column to sort ${table.name} by ${leafName(leaf)}.`)
  return [{ kind: 'column', column }]
}

function pageArguments(
  maxPageSize: number,
  { first, last, after, before }: Readonly<Record<string, unknown>>,
  sort: readonly SortKey[],
  binding: string,
): Page {
  const given = (value: unknown): boolean => value !== undefined && value !== null
  if (given(first) && given(last))
    throw badInput(
      '`first` and `last` exclude each other. Write `first` to page forwards, `last` to page backwards.',
    )
  if (given(last) && given(after))
    throw badInput('`after` goes with `first`. To page backwards write `last` with `before`.')
  if (given(before) && !given(last))
    throw badInput('`before` goes with `last`. To page forwards write `first` with `after`.')
  const backward = given(last)
  const [name, size] = backward ? ['last', last] : ['first', first ?? defaultPageSize]
  if (typeof size !== 'number' || size < 0 || size > maxPageSize)
    throw badInput(
      `\`${name}: ${String(size)}\` is out of range: write 0 to ${maxPageSize}, and follow the cursors for more.`,
    )
  const cursor = backward ? before : after
  return {
    backward,
    size,
    from: given(cursor) ? position(String(cursor), sort, binding, backward ? 'before' : 'after') : null,
  }
}

function position(
  cursor: string,
  sort: readonly SortKey[],
  binding: string,
  name: string,
): readonly ColumnValue[] {
  const values = decodeCursor(binding, cursor)?.map((value, index) => keyFromCursor(value, sort[index]))
  if (values === undefined || values.length !== sort.length || values.includes(undefined))
    throw new ServiceError(
      'INVALID_CURSOR',
      `\`${name}\` is no cursor of this list with this \`sortBy\`. Take an \`endCursor\` or \`startCursor\` of the same list and order.`,
    )
  return values as ColumnValue[]
}

/** Undefined if a cursor cannot hold this value for this key. Instants are text, because JSON numbers are too short. */
function keyFromCursor(value: unknown, key: SortKey | undefined): ColumnValue | undefined {
  if (key === undefined) return undefined
  if (value === null) return key.nullable ? null : undefined
  if (isInstant(key.value))
    return typeof value === 'string' && /^-?\d{1,18}$/.test(value) ? BigInt(value) : undefined
  const isNumber = key.value.kind === 'column' && ['integer', 'boolean'].includes(key.value.column.kind)
  return typeof value === (isNumber ? 'number' : 'string') ? (value as ColumnValue) : undefined
}
