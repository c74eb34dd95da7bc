/** Plans how a list is read: its page, the rows before the page, and its total. */
import { beyondStart } from '../plan/bounds.ts'
import {
  chooseForPage,
  isDefaultOrder,
  isIdOrder,
  orderGiven,
  planPath,
  type Choice,
  unanswered,
} from './access-paths.ts'
import { columnsOfConditions, columnsOfFields, columnsOfSort } from './columns-read.ts'
import { conjuncts } from '../plan/plan-facts.ts'
import { totalSize } from '../price/cost-reading.ts'
import { planCount } from './optimize-count.ts'
import { filterEstimate, linkIndexOf, planConjuncts, planFilter, spansOf } from './optimize-filter.ts'
import { isFenced, type Optimizer, rowsOf } from './optimizer.ts'
import type {
  AccessPath,
  Conjunct,
  OrderedRows,
  PhysicalList,
  PhysicalPage,
  PhysicalRanking,
  RowOrder,
  Span,
} from '../plan/physical-plan.ts'
import type { Table } from '../../database/layout/tables.ts'
import { mostRanked } from '../../search/relevance.ts'
import type { Condition, Fields, ListOutput, ListPlan, Ranking, SortKey } from '../plan/plan.ts'

/** With at least this many candidates, they are sorted before they are verified. */
const manyCandidates = 500

/** Plans a list; `fields` are its selected fields, which are optimized already. */
export function planList(
  optimizer: Optimizer,
  list: ListPlan,
  fields: Fields<ListOutput<PhysicalList>>,
): PhysicalList {
  const needs = needsOf(list)
  const { backward, from } = list.page
  const hasBefore = from !== null && hasPageInfo(list, backward ? 'hasNextPage' : 'hasPreviousPage')
  // The page comes first: it may use most of the planning budget.
  const rank = list.ranking
  const ranking = rank === null ? null : planRanking(optimizer, list, rank)
  const page = needs.rows ? planPage(optimizer, list, ranking, needs) : null
  const edge = { reverse: !backward, inclusive: true, limit: 1 }
  const before = !hasBefore
    ? null
    : ranking === null
      ? planRows(optimizer, list, edge)
      : planRanked(optimizer, list, ranking, edge)
  const total = list.fields.some(({ output }) => output.kind === 'totalCount')
    ? planCount(optimizer, list.table, list.where, list.link)
    : null
  if (total !== null && total.kind !== 'rows' && list.link === null)
    optimizer.estimate.savedSize += totalSize(list)
  return { list, fields, page, before, total, ranking }
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
): PhysicalPage {
  const { dialect } = optimizer
  const { backward, size } = list.page
  if (ranking !== null) {
    const wanted = { reverse: backward, inclusive: false, limit: ends ? size + 1 : size }
    const ranked = planRanked(optimizer, list, ranking, wanted)
    return { rows: ranked, carries: 'ids', isNumbered: true, ends, more, columns: new Set() }
  }
  const asIdList = !isFenced(optimizer) && (ends || backward)
  const columns = isFenced(optimizer) ? columnsOfPage(list, ends) : new Set<string>()
  const limit = (asIdList ? more : ends) ? size + 1 : size
  const rows = planRows(optimizer, list, { reverse: backward, inclusive: false, limit }, columns)
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

/** The default order. */
const newestFirst: readonly SortKey[] = (['indexed_at', 'rkey', 'did'] as const).map((name) => ({
  value: { kind: 'system', name },
  direction: 'desc',
  nullable: false,
}))

/**
 * Plans the candidates of a list by relevance: the newest matching records, or, on later pages, those that were ranked
 * on the first one, and any that came since.
 */
function planRanking(optimizer: Optimizer, list: ListPlan, ranking: Ranking): PhysicalRanking {
  const last = ranking.statistics?.last ?? null
  const page = { ...list.page, from: last }
  const newest = { ...list, sort: newestFirst, page }
  const limit = ranking.statistics === null ? mostRanked : 2 * mostRanked
  const candidates = planRows(optimizer, newest, { reverse: last !== null, inclusive: last !== null, limit })
  const [match, ...others] = conjuncts(list.where).filter((part) => part.kind === 'words')
  const isSure = match !== undefined && others.length === 0 && match.index === ranking.index
  const records = planCount(optimizer, list.table, { kind: 'all', of: [] }, null)
  optimizer.estimate.rows += ranking.terms.length * rankingRows
  return { ...ranking, candidates, match: isSure ? match.match : null, records }
}

/** Counting and scoring the records of one term takes at most as long as reading so many. */
const rankingRows = 5_000

function planRanked(
  optimizer: Optimizer,
  list: ListPlan,
  ranking: PhysicalRanking,
  { reverse, inclusive, limit }: Wanted,
): OrderedRows {
  const { table, link, page } = list
  const [score = null, ...place] = page.from ?? []
  const isBehind = page.from !== null && score === null
  const others = planRows(
    optimizer,
    { ...list, sort: newestFirst, page: { ...page, from: isBehind ? place : null } },
    { reverse, inclusive, limit },
  )
  const idOrder = isIdOrder(optimizer, table, newestFirst)
  return {
    table,
    link,
    linkIndex: null,
    sort: reverse ? list.sort.map(reversed) : list.sort,
    position: page.from,
    inclusive,
    limit,
    filter: [],
    order: { kind: 'relevance', ranking, others, reversed: reverse, idOrder },
    path: ranking.candidates.path,
    comesInOrder: false,
  }
}

interface Wanted {
  /** Against the list's own order. */
  readonly reverse: boolean
  readonly inclusive: boolean
  readonly limit: number
}

/** Rows in order, starting at the page's cursor. `carried`: the columns to print of rows that arrive in order. */
function planRows(
  optimizer: Optimizer,
  list: ListPlan,
  { reverse, inclusive, limit }: Wanted,
  carried: ReadonlySet<string> = new Set(['id']),
): OrderedRows {
  const { table, link } = list
  const { dialect } = optimizer
  const { where, sort } = whereBeyond(optimizer, list, reverse ? list.sort.map(reversed) : list.sort)
  optimizer.estimate.rows += filterEstimate(optimizer, table, where)
  const idOrder = isIdOrder(optimizer, table, sort)
  const isUnconditional = conjuncts(where).length === 0
  const choice: Choice =
    link === null ? chooseForPage(optimizer, table, where, sort, idOrder) : { kind: 'planner' }
  const filter = planConjuncts(optimizer, unanswered(where, choice))
  const ordered = (order: RowOrder, path: AccessPath, comesInOrder: boolean): OrderedRows => ({
    table,
    link,
    linkIndex: link === null ? null : linkIndexOf(table, link),
    sort,
    position: list.page.from,
    inclusive,
    limit,
    filter,
    order,
    path,
    comesInOrder,
  })
  if (link !== null) {
    // A parent may have many children; only a scan by id returns them sorted.
    if (!idOrder || !isUnconditional) optimizer.estimate.rows = Number.POSITIVE_INFINITY
    // The index of a link holds the records of each parent in the default order.
    const inOrder = idOrder ? isUnconditional : !dialect.joinKeepsOrder && isDefaultOrder(sort)
    const order: RowOrder = idOrder ? { kind: 'ids', sorted: false } : { kind: 'sort' }
    return ordered(order, { kind: 'planner' }, link.kind === 'columns' && inOrder)
  }
  const path = (inOrder = false): AccessPath => planPath(optimizer, table, where, choice, inOrder)
  if (idOrder) {
    const sorted = choice.kind === 'candidate-ids'
    // A scan of another index may not return id order, so its rows may have to be sorted.
    const inOrder = sorted || (choice.kind === 'index-scan' && choice.index === null)
    return ordered({ kind: 'ids', sorted }, path(), inOrder)
  }
  const isExact = choice.kind === 'candidate-ids' && choice.part.kind === 'words'
  if (
    !isFenced(optimizer) &&
    choice.kind === 'candidate-ids' &&
    choice.estimate >= manyCandidates &&
    !isExact
  ) {
    const unverified = conjuncts(where).filter((part) => part !== choice.part)
    const order: RowOrder = {
      kind: 'verify',
      verified: planFilter(optimizer, choice.part),
      unverified: unverified.map((part) => planFilter(optimizer, part)),
    }
    return ordered(order, path(), true)
  }
  const given = orderGiven(choice, table, sort)
  if (given === 'none') return ordered({ kind: 'sort' }, path(), false)
  const spans = given === 'all' ? spansOf(optimizer, table, where, limit) : [null]
  const filterOf = (span: Span | null): readonly Conjunct[] => {
    if (span === null) return filter
    const strategy = span.side === 'near' ? 'each' : 'once'
    return planConjuncts(optimizer, unanswered(where, choice), { isNested: false, strategy })
  }
  const order: RowOrder = {
    kind: 'path',
    given,
    spans: spans.map((span) => ({ span, filter: filterOf(span) })),
    keepsTies: dialect.joinKeepsOrder && keepsTies(choice, table, where, given),
    columns: isFenced(optimizer)
      ? new Set([
          // A row of which nothing is read still has its id.
          ...(given === 'all' && carried.size > 0 ? carried : ['id']),
          ...columnsOfConditions(table, conjuncts(where)),
          ...columnsOfSort(sort),
        ])
      : new Set(),
  }
  // The first rows of the whole table, in an order that has an index: the planner always chooses that index, so no
  // fence is needed.
  const isPlain = given === 'all' && list.page.from === null && isUnconditional && !optimizer.state.hiding
  const isFree = isPlain && isFenced(optimizer)
  return ordered(order, isFree ? { kind: 'planner' } : path(true), !dialect.joinKeepsOrder && given === 'all')
}

/** Whether rows come from an index over all sort keys except the account, one value of it after the other. */
function keepsTies(choice: Choice, table: Table, where: Condition, given: 'all' | 'first'): boolean {
  if (choice.kind !== 'index-scan' || given !== 'all') return false
  const isPair = table.indexes.some(({ name, kind }) => name === choice.index && kind === 'pair')
  return !isPair && conjuncts(where).every(({ kind }) => kind !== 'in')
}

/**
 * The conditions besides the page's start. A bound on the first sort key that the start implies is dropped; missing
 * values, which it excluded too, are then no longer part of the order.
 */
function whereBeyond(
  optimizer: Optimizer,
  { table, where, page }: ListPlan,
  sort: readonly SortKey[],
): Pick<ListPlan, 'where' | 'sort'> {
  const [first, ...others] = sort
  if (page.from === null || first === undefined) return { where, sort }
  const parts = conjuncts(where)
  const beyond = beyondStart(parts, first, page.from[0] ?? null)
  // If the start lies outside of the conditions, rows are passed.
  if (!beyond.isWithin) optimizer.estimate.rows += rowsOf(optimizer, table)
  if (beyond.parts.length === parts.length) return { where, sort }
  return { where: { kind: 'all', of: beyond.parts }, sort: [{ ...first, nullable: false }, ...others] }
}

function reversed(key: SortKey): SortKey {
  return { ...key, direction: key.direction === 'asc' ? 'desc' : 'asc' }
}
