/** Builds the order and the page of a list field, and reads its cursor. */
import { findReference, findValue, type Table } from '../../database/layout/tables.ts'
import { ServiceError } from '../../errors.ts'
import { leafProperties, storedName } from '../../schema/model/leaves.ts'
import { relevanceField, type SortField } from '../../schema/model/operators.ts'
import { decodeCursor, parseArray } from '../../util/cursor.ts'
import type { Json } from '../../util/is-object.ts'
import { badInput } from '../parse/prepare.ts'
import { assertWithin } from '../parse/limits.ts'
import { mostCounted, mostRanked, mostRankedTerms } from '../../search/relevance.ts'
import { referringCount } from './build-operators.ts'
import type { ListSearch } from './build-search.ts'
import { isInstant } from './plan-facts.ts'
import { type Direction, type MissingPlace, unusualPlace } from './fields.ts'
import { type PositionPart, readPosition } from './positions.ts'
import type { KeyValue, ListPlan, Page, PlanContext, RankingStatistics, SortKey } from './plan.ts'

interface SortArgument {
  readonly field: SortField | typeof relevanceField
  readonly direction: Direction
  readonly missing?: MissingPlace | undefined
}

const defaultPageSize = 20

type OrderAndPage = Pick<ListPlan, 'sort' | 'distinct' | 'page' | 'binding' | 'ranking'>

/** `fieldName` is the name of the list field; cursors are bound to it together with the order. */
export function buildPage(
  context: PlanContext,
  table: Table,
  fieldName: string,
  search: ListSearch | null,
  { sortBy, distinctOn, ...page }: Json,
): OrderAndPage {
  const order = sortArguments(sortBy)
  const fields = (distinctOn ?? []) as readonly SortField[]
  assertWithin('distinctFields', fields.length, '`distinctOn` has too many fields')
  if (order.some(({ field }) => field === relevanceField)) {
    if (fields.length > 0)
      throw badInput(
        '`distinctOn` does not go with `RELEVANCE`, by which only the newest matches are ordered. Sort by a field, such as `indexedAt`, or leave `distinctOn` out.',
      )
    return buildRankedPage(context, fieldName, search, order, page)
  }
  const distinct = fields.flatMap((field) => keyValues(context, table, field))
  const sort = sortKeys(context, table, order)
  const names = order
    .map(({ field, direction, missing }) => [field.name, direction, missing ?? []].flat().join(' '))
    .join(', ')
  const of = fields.length === 0 ? '' : ` distinct ${fields.map(({ name }) => name).join(', ')}`
  const binding = `${fieldName} ${names}${of}`
  return { sort, distinct, binding, ranking: null, page: pageArguments(context, page, sort, binding).page }
}

/** The keys of a total order, from the argument `sortBy`. */
export function buildSort(context: PlanContext, table: Table, sortBy: unknown): readonly SortKey[] {
  return sortKeys(context, table, sortArguments(sortBy))
}

function sortArguments(sortBy: unknown): readonly SortArgument[] {
  const asked = (sortBy ?? []) as readonly {
    readonly field: SortArgument['field']
    readonly direction?: Direction | null
    readonly nulls?: MissingPlace | null
  }[]
  if (asked.some(({ direction }) => direction === null))
    throw badInput('A `direction` in `sortBy` is null. Write ASC or DESC, or leave it out.')
  assertWithin('sortFields', asked.length, '`sortBy` has too many fields')
  const given = asked.map(({ field, direction: asked, nulls }) => {
    const direction = asked ?? (field === relevanceField ? 'desc' : 'asc')
    return { field, direction, missing: unusualPlace(nulls, direction) }
  })
  if (given.length > 0) return given
  return [{ field: { name: 'indexedAt', leaf: { kind: 'system', name: 'indexedAt' } }, direction: 'desc' }]
}

/** The default order. */
export const newestFirst: readonly SortKey[] = (['indexed_at', 'rkey', 'did'] as const).map((name) => ({
  value: { kind: 'system', name },
  direction: 'desc',
  nullable: false,
}))

/** What a collection adds to a page of a merged list, whose cursors end with the collection of their record. */
export function buildMergedPage(
  context: PlanContext,
  table: Table,
  fieldName: string,
  given: Json,
): OrderAndPage {
  const { page, text } = pageArguments(context, given, newestFirst, fieldName, true)
  // Records of equal keys are in the order of their collections.
  const inclusive = text !== null && table.collection.nsid > text
  return {
    sort: newestFirst,
    distinct: [],
    binding: fieldName,
    ranking: null,
    page: { ...page, inclusive },
  }
}

/** The default order decides between records of the same relevance. */
function buildRankedPage(
  context: PlanContext,
  fieldName: string,
  search: ListSearch | null,
  order: readonly SortArgument[],
  given: Json,
): OrderAndPage {
  if (search === null || search.terms.length === 0)
    throw badInput(
      '`RELEVANCE` needs words to be relevant for. Write a word in `search` that is not excluded, or sort by another field.',
    )
  if (order.length > 1)
    throw badInput(
      '`RELEVANCE` is a whole order: equally relevant records come newest first. Leave the others out.',
    )
  if (search.terms.length > mostRankedTerms)
    throw badInput(
      `\`RELEVANCE\` ranks by at most ${mostRankedTerms} words and phrases, and the search asks for ${search.terms.length}. Leave some out, or sort by another field.`,
    )
  if (order[0]?.missing !== undefined)
    throw badInput('Every record has a `RELEVANCE`: leave `nulls` out, or sort by another field.')
  const direction = order[0]?.direction ?? 'desc'
  const sort: readonly SortKey[] = [
    { value: { kind: 'relevance' }, direction, nullable: true },
    ...newestFirst,
  ]
  const binding = `${fieldName} RELEVANCE ${direction} ${search.text}`
  const { page, text } = pageArguments(context, given, sort, binding, true)
  const { index, terms } = search
  const statistics = text === null ? null : readStatistics(text, terms.length)
  if (text !== null && statistics === null) throw wrongCursor(page.backward ? 'before' : 'after', sort)
  return { sort, distinct: [], binding, page, ranking: { index, terms, statistics } }
}

/** Null if this is not what cursors of a list by relevance hold. */
function readStatistics(text: string, terms: number): RankingStatistics | null {
  const values = [...(parseArray(text) ?? [])]
  const last = values.pop()
  const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
  if (values.length !== terms + 3 || !values.every(isCount)) return null
  const [records = 0, words = 0, ranked = 0, ...frequencies] = values
  // With larger numbers a score might exceed 64 bits.
  if (words === 0 || ranked > mostRanked || frequencies.some((count) => count > mostCounted)) return null
  const place = typeof last === 'string' ? readPosition(parseArray(last), newestFirst.map(partOf)) : null
  return place === null && last !== null ? null : { text, records, words, ranked, frequencies, last: place }
}

/** The requested keys, then `rkey` and `did` in the direction of the last key. */
function sortKeys(context: PlanContext, table: Table, order: readonly SortArgument[]): readonly SortKey[] {
  const keyOf = (value: KeyValue, direction: Direction, missing?: MissingPlace): SortKey => {
    const nullable = value.kind !== 'system' && value.kind !== 'count'
    return { value, direction, nullable, ...(nullable && missing !== undefined && { missing }) }
  }
  const last = order.at(-1)?.direction ?? 'desc'
  return [
    ...order.flatMap(({ field, direction, missing }) =>
      keyValues(context, table, field).map((value) => keyOf(value, direction, missing)),
    ),
    keyOf({ kind: 'system', name: 'rkey' }, last),
    keyOf({ kind: 'system', name: 'did' }, last),
  ]
}

function keyValues(context: PlanContext, table: Table, { leaf }: SortArgument['field']): readonly KeyValue[] {
  const system = (name: Extract<KeyValue, { kind: 'system' }>['name']): KeyValue => ({ kind: 'system', name })
  if (leaf.kind === 'relevance') return [leaf]
  if (leaf.kind === 'count') return [referringCount(context, leaf.reference)]
  if (leaf.kind === 'system') {
    // A repo collection ends in a slash, which no record key contains, so comparing both parts compares the URI.
    if (leaf.name === 'uri') return [system('baseUri'), system('rkey')]
    return leaf.name === 'collection' ? [] : [system(storedName(leaf.name))]
  }
  const path = leafProperties(leaf)
  const reference = findReference(table, path)
  if (reference !== undefined) return [{ kind: 'uriText', ...reference }]
  const column = findValue(table, path)
  if (column === undefined) throw new Error(`No column to sort ${table.name} by ${path.join('.')}.`)
  return [{ kind: 'column', column }]
}

/** `hasText`: whether a cursor has a text after the values of the sort keys. */
function pageArguments(
  { maxPageSize, file }: PlanContext,
  { first, last, after, before }: Json,
  sort: readonly SortKey[],
  binding: string,
  hasText = false,
): { readonly page: Page; readonly text: string | null } {
  const given = (value: unknown): boolean => value !== undefined && value !== null
  if (given(first) && given(last))
    throw badInput(
      '`first` and `last` exclude each other. Write `first` to page forwards, `last` to page backwards.',
    )
  if (given(last) && given(after))
    throw badInput('`after` goes with `first`. To page backwards write `last` with `before`.')
  if (given(before) && !given(last))
    throw badInput('`before` goes with `last`. To page forwards write `first` with `after`.')
  if (file !== null && [last, after, before].some(given))
    throw badInput(
      'A file is one page: `first` is the largest number of its rows. Leave `last`, `after` and `before` out.',
    )
  const backward = given(last)
  const [name, size] = backward
    ? ['last', last]
    : ['first', first ?? (file === null ? defaultPageSize : maxPageSize)]
  if (typeof size !== 'number' || size < 0 || size > maxPageSize)
    throw badInput(
      `\`${name}: ${String(size)}\` is out of range: write 0 to ${maxPageSize}${file === null ? ', and follow the cursors for more' : ''}.`,
    )
  const cursor = backward ? before : after
  const page = { backward, size, from: null, inclusive: false }
  if (!given(cursor)) return { page, text: null }
  const parts: PositionPart[] = sort.map(partOf)
  if (hasText) parts.push({ type: 'text', nullable: false })
  const from = readPosition(decodeCursor(binding, String(cursor)), parts)
  if (from === null) throw wrongCursor(backward ? 'before' : 'after', sort)
  return { page: { ...page, from: from.slice(0, sort.length) }, text: hasText ? String(from.at(-1)) : null }
}

function partOf({ value, nullable }: SortKey): PositionPart {
  if (isInstant(value)) return { type: 'instant', nullable }
  if (value.kind === 'relevance' || value.kind === 'count') return { type: 'integer', nullable }
  const kind = value.kind === 'column' ? value.column.kind : 'text'
  return { type: kind === 'integer' || kind === 'boolean' ? kind : 'text', nullable }
}

function wrongCursor(name: string, [first]: readonly SortKey[]): ServiceError {
  const [given, same] =
    first?.value.kind === 'relevance'
      ? ['`search` and `sortBy`', 'list, search and order']
      : ['`sortBy` and `distinctOn`', 'list and order']
  return new ServiceError(
    'INVALID_CURSOR',
    `\`${name}\` is no cursor of this list with this ${given}. Take an \`endCursor\` or \`startCursor\` of the same ${same}.`,
  )
}
