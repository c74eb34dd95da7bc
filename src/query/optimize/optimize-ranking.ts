/** Plans how a list by relevance is read: its candidates, what is known of the search's terms, and the other records. */
import type { Table } from '../../database/layout/tables.ts'
import { mostCounted, mostRanked } from '../../search/relevance.ts'
import type { WordMatch } from '../../sql/dialect.ts'
import { isIdOrder } from './access-paths.ts'
import { findCandidateSources } from './candidate-sources.ts'
import { columnsOfSort } from './columns-read.ts'
import { planCount } from './groups/optimize-count.ts'
import { chosenRows, planRows, type Wanted } from './optimize-rows.ts'
import { isUnhinted, type Optimizer } from './optimizer.ts'
import { alwaysTrue } from '../plan/conditions.ts'
import { newestFirst } from '../plan/build-page.ts'
import type { OrderedRows, PhysicalRanking } from '../plan/physical-plan.ts'
import type { ListPlan, Ranking, WordTerm } from '../plan/plan.ts'
import { conjuncts } from '../plan/plan-facts.ts'

/** Plans candidates: the newest matches, or, on later pages, those of the first and any since then. */
export function planRanking(optimizer: Optimizer, list: ListPlan, ranking: Ranking): PhysicalRanking {
  const last = ranking.statistics?.last ?? null
  const page = { ...list.page, from: last }
  const newest = { ...list, sort: newestFirst, page }
  const limit = ranking.statistics === null ? mostRanked : 2 * mostRanked
  const wanted = { reverse: last !== null, inclusive: last !== null, limit }
  const candidates = planRows(optimizer, newest, wanted)
  const match = wholeMatch(list, ranking)
  const records = planCount(optimizer, { table: list.table, where: alwaysTrue })
  optimizer.estimate.rows += ranking.terms.length * rankingRows
  const required = match === null ? [] : requiredTerms(match)
  const terms = ranking.terms.map((term) => ({
    ...term,
    isRequired: required.some((each) => JSON.stringify(each) === JSON.stringify(term)),
    isFrequent: estimateTerm(optimizer, list.table, ranking, term) >= mostCounted,
  }))
  const isOneTerm = match?.kind === 'term' && terms.length === 1
  return {
    ...ranking,
    terms,
    candidates,
    match,
    records,
    countsCandidates: isOneTerm && list.link === null && conjuncts(list.where).length === 1,
    columns: isUnhinted(optimizer) ? columnsOfSort(newestFirst) : [],
  }
}

/** The query of the index that all candidates match; null if several conditions ask for words. */
function wholeMatch({ where }: ListPlan, { index }: Ranking): WordMatch | null {
  const [first, ...others] = conjuncts(where).filter((part) => part.kind === 'words')
  return first !== undefined && others.length === 0 && first.index === index ? first.match : null
}

/** The terms that every matching record has. */
function requiredTerms(match: WordMatch): readonly WordTerm[] {
  if (match.kind === 'term') return [match]
  return match.kind === 'all' ? match.of.flatMap(requiredTerms) : []
}

/** The estimated number of records with a term. */
function estimateTerm(optimizer: Optimizer, table: Table, { index }: Ranking, match: WordTerm): number {
  const found = findCandidateSources(
    optimizer,
    table,
    { kind: 'words', index, match, lookup: 'set' },
    mostCounted,
  )
  return found?.estimate ?? mostCounted
}

/** Counting and scoring the records of one term takes at most as long as reading so many. */
const rankingRows = 5_000

/** Plans the rows of one page of a list by relevance. */
export function planRankedRows(
  optimizer: Optimizer,
  list: ListPlan,
  ranking: PhysicalRanking,
  wanted: Wanted,
): OrderedRows {
  const { table, page } = list
  const [score = null, ...place] = page.from ?? []
  const isBehind = page.from !== null && score === null
  const others = planRows(
    optimizer,
    { ...list, sort: newestFirst, page: { ...page, from: isBehind ? place : null } },
    wanted,
  )
  const idOrder = isIdOrder(optimizer, table, newestFirst)
  return {
    ...chosenRows(list, wanted),
    order: { kind: 'relevance', ranking, others, reversed: wanted.reverse, idOrder },
    path: ranking.candidates.path,
  }
}
