/**
 * Plans lists of which only the first record of each combination of values remains. In the worst case all matching
 * records are read; the first pages are found among the first rows of a path in the list's order.
 */
import { conjuncts } from '../plan/plan-facts.ts'
import { isIdOrder } from './access-paths.ts'
import { countsOf } from '../plan/groups/count-tables.ts'
import { planCountedRows } from './groups/optimize-count.ts'
import { chosenRows, planRows, type Wanted } from './optimize-rows.ts'
import { isFenced, type Optimizer } from './optimizer.ts'
import type { CountedRows, DistinctCount, OrderedRows } from '../plan/physical-plan.ts'
import type { KeyValue, ListPlan } from '../plan/plan.ts'

/** Number of rows that are searched first; the first pages of most lists lie among them. */
const nearRows = 1_000

/** `isNear`: the page may lie among the first rows of the list. */
export function planDistinctRows(
  optimizer: Optimizer,
  list: ListPlan,
  wanted: Wanted,
  isNear: boolean,
): OrderedRows {
  const { table, link, where, distinct } = list
  const near = isNear && !wanted.reverse && link === null ? planNear(optimizer, list) : null
  const idOrder = isIdOrder(optimizer, table, list.sort)
  const found = planCountedRows(optimizer, table, where, link)
  const all = idOrder ? found : withoutIndex(optimizer, found)
  return {
    ...chosenRows(list, wanted),
    order: {
      kind: 'distinct',
      keys: distinct,
      sort: list.sort,
      idOrder,
      near,
      all,
    },
    path: near?.path ?? all.rows.path,
  }
}

/** SQLite would read rows one by one in the order of an index over the values, which takes twice as long as sorting. */
function withoutIndex(optimizer: Optimizer, access: CountedRows): CountedRows {
  const { kind, rows } = access
  if (isFenced(optimizer) || kind !== 'rows' || rows.path.kind !== 'planner') return access
  return { kind, rows: { ...rows, path: { kind: 'index-scan', index: null } } }
}

/** Null if even the first rows are found only by sorting all of them. */
function planNear(optimizer: Optimizer, list: ListPlan): OrderedRows | null {
  const first = { reverse: false, inclusive: false, limit: nearRows }
  const rows = planRows(optimizer, { ...list, page: { ...list.page, from: null } }, first)
  return rows.order.kind === 'ids' || rows.order.kind === 'path' ? rows : null
}

/** Plans the number of combinations. */
export function planDistinctCount(optimizer: Optimizer, list: ListPlan): DistinctCount {
  const { table, where, link, distinct } = list
  const counts = optimizer.state.hiding ? undefined : countsOfKeys(table, distinct)
  if (counts === undefined || link !== null || conjuncts(where).length > 0)
    return { kind: 'distinct', keys: distinct, rows: planCountedRows(optimizer, table, where, link) }
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
