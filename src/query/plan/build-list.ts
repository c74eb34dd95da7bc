/** Builds the plan of a list field: order, page, conditions and selected fields. */
import type { GraphQLObjectType } from 'graphql'
import { getNamedType, isObjectType } from 'graphql/type'
import type { ColumnValue } from '../../database/database.ts'
import { findReference, findValue, type Table } from '../../database/layout/tables.ts'
import { ServiceError } from '../../errors.ts'
import { leafName, type SortField } from '../../schema/model/operators.ts'
import { decodeCursor } from '../../util/cursor.ts'
import { buildWhere } from './build-where.ts'
import { argumentsOf, type Collected, collectFields } from '../parse/collect.ts'
import type { PlanContext } from './context.ts'
import { assertWithin } from '../parse/limits.ts'
import type {
  Direction,
  EdgeOutput,
  KeyValue,
  Link,
  ListOutput,
  ListPlan,
  Page,
  PageInfoOutput,
  Selected,
  SortKey,
} from './plan.ts'

interface SortArgument {
  readonly field: SortField
  readonly direction: Direction
}

const defaultPageSize = 20

/** `fieldName` is the name of the list field; cursors are bound to it together with the order. */
export function buildList(
  context: PlanContext,
  collected: Collected,
  table: Table,
  link: Link | null,
  fieldName: string,
): ListPlan {
  const { where, sortBy, ...page } = argumentsOf(context.selection, collected)
  const order = sortArguments(sortBy)
  const sort = sortKeys(table, order)
  const binding = `${fieldName} ${order.map(({ field, direction }) => `${field.name} ${direction}`).join(', ')}`
  return {
    table,
    link,
    where: buildWhere(context, table, where),
    sort,
    page: buildPage(context, page, sort, binding),
    binding,
    fields: listFields(context, collected, table),
  }
}

function sortArguments(sortBy: unknown): readonly SortArgument[] {
  const given = (sortBy ?? []) as readonly SortArgument[]
  if (given.some(({ direction }) => direction === null))
    throw new ServiceError(
      'BAD_USER_INPUT',
      'A `direction` in `sortBy` is null. Write ASC or DESC, or leave it out.',
    )
  assertWithin('sortFields', given.length, '`sortBy` has too many fields')
  if (given.length > 0) return given
  return [{ field: { name: 'indexedAt', leaf: { kind: 'system', name: 'indexedAt' } }, direction: 'desc' }]
}

/** The requested keys, then `rkey` and `did` in the direction of the last key. */
function sortKeys(table: Table, order: readonly SortArgument[]): readonly SortKey[] {
  const direction = order.at(-1)?.direction ?? 'desc'
  const keys = order.flatMap(({ field, direction }) =>
    keyValues(table, field).map(({ value, nullable }) => ({ value, nullable, direction })),
  )
  const ties = (['rkey', 'did'] as const).map((name) => ({
    value: { kind: 'system' as const, name },
    nullable: false,
    direction,
  }))
  return [...keys, ...ties]
}

function keyValues(
  table: Table,
  { leaf }: SortField,
): readonly { readonly value: KeyValue; readonly nullable: boolean }[] {
  const system = (name: Extract<KeyValue, { kind: 'system' }>['name']) => ({
    value: { kind: 'system' as const, name },
    nullable: false,
  })
  if (leaf.kind === 'system') {
    switch (leaf.name) {
      case 'indexedAt':
        return [system('indexed_at')]
      case 'changedAt':
        return [system('changed_at')]
      // A repo collection ends in a slash, which no record key contains, so comparing both parts compares the URI.
      case 'uri':
        return [system('baseUri'), system('rkey')]
      case 'did':
      case 'rkey':
        return [system(leaf.name)]
      case 'collection':
        return []
    }
  }
  const path = [leaf.field.property]
  const reference = findReference(table, path)
  if (reference !== undefined) return [{ value: { kind: 'uriText', ...reference }, nullable: true }]
  const column = findValue(table, path)
  if (column === undefined) throw new Error(`No column to sort ${table.name} by ${leafName(leaf)}.`)
  return [{ value: { kind: 'column', column }, nullable: true }]
}

function buildPage(
  { maxPageSize }: PlanContext,
  { first, last, after, before }: Readonly<Record<string, unknown>>,
  sort: readonly SortKey[],
  binding: string,
): Page {
  const given = (value: unknown): boolean => value !== undefined && value !== null
  const bad = (problem: string): never => {
    throw new ServiceError('BAD_USER_INPUT', problem)
  }
  if (given(first) && given(last))
    bad('`first` and `last` exclude each other. Write `first` to page forwards, `last` to page backwards.')
  if (given(last) && given(after))
    bad('`after` goes with `first`. To page backwards write `last` with `before`.')
  if (given(before) && !given(last))
    bad('`before` goes with `last`. To page forwards write `first` with `after`.')
  const backward = given(last)
  const [name, size] = backward ? ['last', last] : ['first', first ?? defaultPageSize]
  if (typeof size !== 'number' || size < 0 || size > maxPageSize)
    bad(
      `\`${name}: ${String(size)}\` is out of range: write 0 to ${maxPageSize}, and follow the cursors for more.`,
    )
  const cursor = backward ? before : after
  return {
    backward,
    size: Math.min(size as number, maxPageSize),
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
  if (isInstant(key))
    return typeof value === 'string' && /^-?\d{1,18}$/.test(value) ? BigInt(value) : undefined
  const isNumber = key.value.kind === 'column' && ['integer', 'boolean'].includes(key.value.column.kind)
  return typeof value === (isNumber ? 'number' : 'string') ? (value as ColumnValue) : undefined
}

export function isInstant({ value }: SortKey): boolean {
  if (value.kind === 'system') return value.name === 'indexed_at' || value.name === 'changed_at'
  return value.kind === 'column' && value.column.kind === 'instant'
}

function listFields(
  context: PlanContext,
  collected: Collected,
  table: Table,
): readonly Selected<ListOutput>[] {
  return fieldsBelow(context, collected, (below, type): ListOutput => {
    switch (below.name) {
      case '__typename':
        return { kind: 'constant', json: JSON.stringify(type.name) }
      case 'edges':
        return { kind: 'edges', fields: edgeFields(context, below, table) }
      case 'nodes':
        return { kind: 'nodes', fields: context.record(context, table, below.selections) }
      case 'pageInfo':
        return {
          kind: 'pageInfo',
          fields: fieldsBelow(
            context,
            below,
            ({ name }, { name: typeName }): PageInfoOutput =>
              name === '__typename'
                ? { kind: 'constant', json: JSON.stringify(typeName) }
                : { kind: name as Exclude<PageInfoOutput['kind'], 'constant'> },
          ),
        }
      default:
        return { kind: 'totalCount' }
    }
  })
}

function edgeFields(
  context: PlanContext,
  collected: Collected,
  table: Table,
): readonly Selected<EdgeOutput>[] {
  return fieldsBelow(context, collected, (below, type): EdgeOutput => {
    if (below.name === '__typename') return { kind: 'constant', json: JSON.stringify(type.name) }
    if (below.name === 'cursor') return { kind: 'cursor' }
    return { kind: 'node', fields: context.record(context, table, below.selections) }
  })
}

/** Turns each selection below a field of object type into an output. */
export function fieldsBelow<Kind>(
  context: PlanContext,
  { field, selections }: Collected,
  output: (below: Collected, type: GraphQLObjectType) => Kind,
): readonly Selected<Kind>[] {
  const type = getNamedType(field?.type)
  if (!isObjectType(type)) throw new Error('A field with selections has no object type.')
  return collectFields(context.selection, type, selections).map((below) => ({
    key: below.key,
    output: output(below, type),
  }))
}
