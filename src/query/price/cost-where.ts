/**
 * The size of what is read to find the records for which a `where` holds, in the worst case. The tables decide whether
 * it has an index, as in access-paths.ts; how many records the index finds must not matter.
 */
import type { Table } from '../../database/layout/tables.ts'
import { whereOperators } from '../../schema/model/where-operators.ts'
import type { WordMatch } from '../../sql/dialect.ts'
import type { Condition, Operand, ReferringCount } from '../plan/conditions.ts'
import type { SimpleCondition } from '../plan/plan-facts.ts'
import { columnIndex, conjuncts, isHashed, ownUris, simpleConditions } from '../plan/plan-facts.ts'
import type { ListPlan } from '../plan/plan.ts'
import { sum, weights } from './cost-weights.ts'

/** What is found: the records of a page in the default or in another order, or all that meet a `where`. */
type Wanted = 'page' | 'sorted page' | 'all'

/** Finding the records for which a `where` holds. */
export function whereSize(
  { table, where, link }: Pick<ListPlan, 'table' | 'where' | 'link'>,
  found: Wanted,
): number {
  const parts = conjuncts(where)
  const [only, ...others] = parts
  if (only === undefined) return 0
  const named = parts.find((part) => ownUris(part) !== null)
  // Only the records with these URIs are read.
  if (link === null && named !== undefined) {
    const besides = parts.filter((part) => part !== named)
    return weights.adjacent + listSize(named) + sum(besides, conditionSize)
  }
  // A list within a record is found by its reference, so that its other conditions are evaluated row by row.
  if (link === null && others.length === 0 && isLookUp(table, only, found))
    return weights.lookup + (isSearch(table, only) ? weights.lookup : 0) + listSize(only) + wordsSize(only)
  return weights.scan + (found === 'sorted page' ? weights.lookup : 0) + conditionSize(where)
}

/** Whether a trigram index answers a condition; each text it finds is then read. */
function isSearch(table: Table, part: Condition): boolean {
  if (part.kind === 'words') return true
  if (part.kind === 'text') return part.index !== null
  if (part.kind !== 'compare' || part.op !== 'eq' || part.operand.kind !== 'column') return false
  const { column } = part.operand
  return table.texts.some(({ text }) => text === column)
}

function listSize(part: Condition): number {
  return 'list' in part ? part.list.length * weights.written : 0
}

/** Whether an index answers a condition on its own. */
function isLookUp(table: Table, part: Condition, found: Wanted): boolean {
  if (found === 'sorted page') return false
  if (part.kind === 'has') return part.array.index !== null
  if (part.kind === 'uri') return !part.negated && part.of?.kind !== 'json'
  if (part.kind === 'words') return true
  if (part.kind === 'text') return part.index !== null && found === 'page'
  if (part.kind === 'url') return columnIndex(table, part) !== undefined
  if (part.kind !== 'compare' && part.kind !== 'in') return false
  if (part.kind === 'compare' ? whereOperators[part.op].index === null : part.negated) return false
  const { operand } = part
  if (isSearch(table, part)) return found === 'page'
  const isEquality = part.kind === 'in' || part.op === 'eq'
  if (operand.kind === 'system') return operand.name === 'did' && isEquality
  if (operand.kind !== 'column' || (operand.column.virtual && !isEquality)) return false
  return columnIndex(table, part) !== undefined
}

export function conditionSize(where: Condition): number {
  return sum(simpleConditions(where), (part) => simpleSize(part) + listSize(part) + wordsSize(part))
}

/** Without the values and words that it has. */
function simpleSize(condition: SimpleCondition): number {
  switch (condition.kind) {
    case 'compare':
    case 'in':
      return operandSize(condition.operand)
    case 'text':
      if (isCid(condition.operand)) return weights.words
      return condition.index === null ? weights.join : weights[whereOperators[condition.match].price]
    case 'url':
      return isHashed(condition.operand) ? weights.adjacent : weights.join
    case 'words':
      return weights[whereOperators.matches.price]
    case 'missing':
      return condition.index === null ? operandSize(condition.operand) : weights.adjacent
    case 'uri':
      return weights.compared
    case 'has':
      return condition.array.index === null ? weights.join : weights[whereOperators.has.price]
    case 'indexed':
      return weights[whereOperators.isIndexed.price] + weights.compared
    case 'current':
      return weights[whereOperators.isCurrent.price]
    case 'outerCurrent':
      return weights.words
    case 'element':
      return weights.join + weights.compared + conditionSize(condition.where)
    case 'target':
    case 'referring':
      return weights[whereOperators.some.price] + conditionSize(condition.where)
  }
}

/** Reading what an index of words has of the words of a search. */
function wordsSize(part: Condition): number {
  return part.kind === 'words' ? matchSize(part.match) : 0
}

export function matchSize(match: WordMatch): number {
  if (match.kind === 'term') return match.words.length * weights.word + (match.prefix ? weights.lookup : 0)
  const parts = match.kind === 'all' ? [...match.of, ...match.except] : match.of
  return sum(parts, matchSize)
}

function operandSize(operand: Operand | ReferringCount): number {
  switch (operand.kind) {
    case 'column':
      return operand.column.virtual ? weights.compared : weights.adjacent
    case 'json':
      return weights.compared
    case 'count':
      return weights[whereOperators.count.price]
    case 'system':
      if (isCid(operand)) return weights.words
      return operand.name === 'indexed_at' || operand.name === 'changed_at'
        ? weights.adjacent
        : weights.compared
  }
}

function isCid(operand: Operand): boolean {
  return operand.kind === 'system' && operand.name === 'cid'
}
