/** Plans how a list is read: its page, the rows before the page, and its total. */
import { countsOf } from '../plan/groups/count-tables.ts'
import type {
  CountedRows,
  DistinctCount,
  OrderedRows,
  PhysicalList,
  PhysicalPage,
  PhysicalRanking,
} from '../plan/physical-plan.ts'
import { conjuncts } from '../plan/plan-facts.ts'
import type { KeyValue, ListPlan } from '../plan/plan.ts'
import { totalSize } from '../price/cost-pages.ts'
import { isIdOrder } from './access-paths.ts'
import { columnsOfFields, columnsOfSort } from './columns-read.ts'
import { planCount, planCountedRows } from './groups/optimize-count.ts'
import { planRankedRows, planRanking } from './optimize-ranking.ts'
import { chosenRows, planRows, type Wanted } from './optimize-rows.ts'
import { isUnhinted, type Optimizer } from './optimizer.ts'

/** All but the fields. `isMerged`: of a merged list, which needs a page's ids. */
export function planList(
  optimizer: Optimizer,
  list: ListPlan,
  isMerged: boolean,
): Omit<PhysicalList, 'fields'> {
  const needs = needsOf(list)
  const { backward, inclusive, from } = list.page
  const hasBefore = from !== null && hasPageInfo(list, backward ? 'hasNextPage' : 'hasPreviousPage')
  // The page comes first: it may use most of the planning budget.
  const rank = list.ranking
  const ranking = rank === null ? null : planRanking(optimizer, list, rank)
  const page = needs.rows ? planPage(optimizer, list, ranking, needs, isMerged) : null
  const edge = { reverse: !backward, inclusive: !inclusive, limit: 1 }
  const before = hasBefore ? planOrdered(optimizer, list, ranking, edge, false) : null
  const total = list.fields.some(({ output }) => output.kind === 'totalCount')
    ? planTotal(optimizer, list)
    : null
  const isRead = total === null || total.kind === 'rows' || total.kind === 'distinct'
  if (!isRead && list.link === null) optimizer.estimate.savedSize += totalSize(list)
  return { list, page, before, total, ranking }
}

function planTotal(optimizer: Optimizer, list: ListPlan): PhysicalList['total'] {
  return list.distinct.length > 0 ? planDistinctCount(optimizer, list) : planCount(optimizer, list)
}

/** `isPage`: rows of the page, not those on the side that its cursor bounds. */
function planOrdered(
  optimizer: Optimizer,
  list: ListPlan,
  ranking: PhysicalRanking | null,
  wanted: Wanted,
  isPage: boolean,
): OrderedRows {
  if (ranking !== null) return planRankedRows(optimizer, list, ranking, wanted)
  // The first of all matching records is always in the list: no record with the same values precedes it.
  return list.distinct.length > 0 && (isPage || list.page.backward)
    ? planDistinctRows(optimizer, list, wanted, isPage)
    : planRows(optimizer, list, wanted)
}

/** Whether the answer depends on the rows of a page, on its ends, and on whether there are more rows. */
function needsOf(list: ListPlan): Pick<PhysicalPage, 'ends' | 'more'> & { readonly rows: boolean } {
  const more = hasPageInfo(list, list.page.backward ? 'hasPreviousPage' : 'hasNextPage')
  const hasCursor = hasPageInfo(list, 'startCursor') || hasPageInfo(list, 'endCursor')
  const ends = more || (hasCursor && list.page.size > 0)
  return { rows: ends || list.fields.some(({ output }) => printsRows(output)), ends, more }
}

function hasPageInfo(list: ListPlan, kind: string): boolean {
  return list.fields.some(
    ({ output }) => output.kind === 'pageInfo' && output.fields.some((field) => field.output.kind === kind),
  )
}

function printsRows({ kind }: { readonly kind: string }): boolean {
  return kind === 'edges' || kind === 'nodes'
}

function planPage(
  optimizer: Optimizer,
  list: ListPlan,
  ranking: PhysicalRanking | null,
  { ends, more }: Pick<PhysicalPage, 'ends' | 'more'>,
  isMerged: boolean,
): PhysicalPage {
  const { dialect } = optimizer
  const { backward, size, inclusive } = list.page
  if (ranking !== null || isMerged || list.distinct.length > 0) {
    const wanted = { reverse: backward, inclusive, limit: ends ? size + 1 : size }
    const rows = planOrdered(optimizer, list, ranking, wanted, true)
    return { rows, carries: 'ids', isNumbered: true, ends, more, columns: new Set() }
  }
  const asIdList = !isUnhinted(optimizer) && (ends || backward)
  const columns = isUnhinted(optimizer) ? columnsOfPage(list, ends) : new Set<string>()
  const limit = (asIdList ? more : ends) ? size + 1 : size
  const rows = planRows(optimizer, list, { reverse: backward, inclusive, limit })
  const isOneList = list.fields.filter(({ output }) => printsRows(output)).length === 1
  // Rows that arrive in order are printed where they are found, or carry the columns to print.
  const inOrder = dialect.joinKeepsOrder ? (isOneList ? 'texts' : 'ids') : 'rows'
  const carries = asIdList ? 'id-list' : rows.comesInOrder ? inOrder : 'ids'
  const isNumbered = ends || backward || !(carries === 'rows' || dialect.joinKeepsOrder)
  return { rows, carries, isNumbered, ends, more, columns }
}

/** Columns of a record that the fields of a page read. */
function columnsOfPage({ table, fields, sort }: ListPlan, ends: boolean): ReadonlySet<string> {
  const read = fields.flatMap(({ output }): readonly string[] => {
    if (output.kind === 'nodes') return columnsOfFields(table, output.fields)
    if (output.kind !== 'edges') return []
    return output.fields.flatMap(({ output: field }) => {
      if (field.kind === 'node') return columnsOfFields(table, field.fields)
      if (field.kind === 'snippet') return ['record']
      return field.kind === 'cursor' ? columnsOfSort(sort) : []
    })
  })
  return new Set([...read, ...(ends ? columnsOfSort(sort) : [])])
}

/** Number of rows that are searched first; the first pages of most lists lie among them. */
const nearRows = 1_000

/** `isNear`: the page may lie among the first rows of the list. */
function planDistinctRows(
  optimizer: Optimizer,
  list: ListPlan,
  wanted: Wanted,
  isNear: boolean,
): OrderedRows {
  const { table, link, sort, distinct: keys } = list
  const near = isNear && !wanted.reverse && link === null ? planNear(optimizer, list) : null
  const idOrder = isIdOrder(optimizer, table, sort)
  const found = planCountedRows(optimizer, list)
  const all = idOrder ? found : withoutIndex(optimizer, found)
  const order = { kind: 'distinct', keys, sort, idOrder, near, all } as const
  return { ...chosenRows(list, wanted), order, path: near?.path ?? all.path }
}

/** SQLite would read rows one by one in the order of an index over the values, which takes twice as long as sorting. */
function withoutIndex(optimizer: Optimizer, access: CountedRows): CountedRows {
  if (isUnhinted(optimizer) || access.link !== null || access.path.kind !== 'planner') return access
  return { ...access, path: { kind: 'index-scan', index: null } }
}

/** Null if even the first rows are found only by sorting all of them. */
function planNear(optimizer: Optimizer, list: ListPlan): OrderedRows | null {
  const first = { reverse: false, inclusive: false, limit: nearRows }
  const rows = planRows(optimizer, { ...list, page: { ...list.page, from: null } }, first)
  return rows.order.kind === 'ids' || rows.order.kind === 'path' ? rows : null
}

function planDistinctCount(optimizer: Optimizer, list: ListPlan): DistinctCount {
  const { table, where, link, distinct } = list
  const counts = optimizer.state.hiding ? undefined : countsOfKeys(table, distinct)
  if (counts === undefined || link !== null || conjuncts(where).length > 0)
    return { kind: 'distinct', keys: distinct, rows: planCountedRows(optimizer, list) }
  return { kind: 'distinct-counts', counts }
}

/** Materialized counts have a row for each value, missing ones included. */
function countsOfKeys(table: ListPlan['table'], [key, ...others]: readonly KeyValue[]) {
  if (key === undefined || others.length > 0) return undefined
  if (key.kind === 'column') return countsOf(table, 'value', [key.column])
  if (key.kind === 'uriText') return countsOf(table, 'reference', [key.base, key.key])
  return key.kind === 'system' && key.name === 'did'
    ? countsOf(table, 'value', [{ name: 'base' }])
    : undefined
}
