/** Describes how rows are read, in which order, and under which conditions. */
import { measures } from '../../schema/model/measures.ts'
import type { WordMatch } from '../../sql/dialect.ts'
import type { Condition, Operand } from '../plan/conditions.ts'
import type { MeasurePlan } from '../plan/groups/group-plan.ts'
import type { AccessPath, DistinctCount, GroupAccess, TotalAccess } from '../plan/physical-plan.ts'
import { isHashed } from '../plan/plan-facts.ts'
import type { KeyValue, SortKey } from '../plan/plan.ts'

export function describeAccess(access: TotalAccess | GroupAccess | DistinctCount): string {
  switch (access.kind) {
    case 'distinct':
      return describeAccess(access.rows)
    case 'distinct-counts':
    case 'counts':
    case 'account-counts':
    case 'link-counts':
    case 'joined-counts':
      return `materialized counts ${access.counts.name}`
    case 'groups':
      return 'the groups'
    case 'ranges':
      return `ranges of ${access.index.name}, one for each bucket in ${access.counts.name}`
    case 'elements':
      return `elements in ${access.array.name}`
    case 'sums':
      return `materialized sums ${access.sums.name}`
    case 'matches':
      return 'the word index'
    case 'difference':
      return `the difference of ${describeAccess(access.of)} and ${describeAccess(access.less)}`
    case 'rows':
      return access.groupIndex === undefined
        ? describePath(access.path)
        : `the index ${access.groupIndex.name} for each group`
  }
}

export function describePath(path: AccessPath): string {
  switch (path.kind) {
    case 'planner':
      return "the planner's choice"
    case 'index-scan':
    case 'index-range':
      return path.index === null ? 'a scan by id' : `an index scan of ${path.index}`
    case 'candidate-ids':
    case 'candidate-rows':
      return `candidate ids from ${path.sources.map((source) => ('array' in source ? source.array : source.index).name).join(', ')}`
  }
}

export function describeKey({ value, direction, missing }: SortKey): string {
  return `${describeValue(value)} ${direction}${missing === undefined ? '' : ` nulls ${missing}`}`
}

export function describeValue(value: KeyValue | Operand): string {
  switch (value.kind) {
    case 'relevance':
      return 'relevance'
    case 'count':
      return `the number of ${value.table.name} that refer to it (${value.counts === null ? 'counted' : `materialized counts ${value.counts.name}`})`
    case 'uriText':
      return value.base.path.join('.')
    case 'column':
      return value.column.path.join('.')
    case 'json':
      return value.path.join('.')
    case 'system':
      return value.name
  }
}

export function describeWhere(where: Condition): string {
  return where.kind === 'all' && where.of.length === 0
    ? 'without conditions'
    : `where ${describeCondition(where)}`
}

function describeCondition(condition: Condition): string {
  switch (condition.kind) {
    case 'all':
    case 'any':
      if (condition.of.length === 0) return condition.kind === 'all' ? 'true' : 'false'
      return `(${condition.of.map(describeCondition).join(condition.kind === 'all' ? ' and ' : ' or ')})`
    case 'not':
      return `not ${describeCondition(condition.of)}`
    case 'compare':
      return `${describeValue(condition.operand)} ${condition.op}`
    case 'in':
      return `${describeValue(condition.operand)} ${condition.negated ? 'notIn' : 'in'} ${condition.list.length} values`
    case 'missing':
      return `${describeValue(condition.operand)} is ${condition.is ? 'missing' : 'present'}`
    case 'text':
      return `${describeValue(condition.operand)} ${condition.match} (${condition.index === null ? 'folded row by row' : 'trigram index'})`
    case 'url':
      return `${describeValue(condition.operand)} sameUrl (${isHashed(condition.operand) ? 'index of hashes' : 'normalized row by row'})`
    case 'words':
      return `words match ${describeMatch(condition.match)} (word index)`
    case 'has':
      return `${condition.array.path.join('.')} has ${condition.mode} of ${condition.list.length}`
    case 'element':
      return `some ${condition.path.join('.')} (${describeCondition(condition.where)})`
    case 'uri':
      return `${condition.of === null ? 'its' : condition.of.path.join('.')} URI is ${condition.negated ? 'none' : 'one'} of ${condition.list.length}`
    case 'indexed':
    case 'current':
      return `${condition.of.path.join('.')} is ${condition.is ? '' : 'not '}${condition.kind}`
    case 'outerCurrent':
      return `it is ${condition.is ? '' : 'not '}current`
    case 'target':
      return `${condition.of.path.join('.')} -> ${condition.table.name} (${describeCondition(condition.where)})`
    case 'referring':
      return `some ${condition.table.name} refers to it (${describeCondition(condition.where)})`
  }
}

function describeMatch(match: WordMatch): string {
  switch (match.kind) {
    case 'term':
      return match.words.length === 1 ? `a ${match.prefix ? 'prefix' : 'word'}` : `a phrase`
    case 'any':
      return `(${match.of.map(describeMatch).join(' or ')})`
    case 'all':
      return `(${[...match.of.map(describeMatch), ...match.except.map((part) => `not ${describeMatch(part)}`)].join(' and ')})`
  }
}

/** The measures for which all values of a group are collected. */
export function describeCollected(measured: readonly MeasurePlan[]): readonly string[] {
  return measured.flatMap(({ measure, of: { leaf } }) =>
    measures[measure].price === 'compared' && leaf.kind === 'column'
      ? [`${measure} of the collected values of ${leaf.column.path.join('.')}`]
      : [],
  )
}
