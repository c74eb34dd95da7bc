/** Logical to physical plan: chooses how all is read, from statistics. No choice changes an answer. */
import { planFacets } from '../outputs/facets.ts'
import { planMissingWords } from '../outputs/missing-words.ts'
import { planPairs } from '../outputs/pairs.ts'
import { planSamples } from '../outputs/samples.ts'
import { planShares, summedTop, usesCount } from '../outputs/shares.ts'
import { planSignificance } from '../outputs/significance.ts'
import { planUnusualWords } from '../outputs/unusual-words.ts'
import { alwaysTrue } from '../plan/conditions.ts'
import type { Constant, Fields } from '../plan/fields.ts'
import type {
  CountedTable,
  PhysicalAggregate,
  PhysicalAggregateOutput,
  PhysicalGroupOutput,
  PhysicalList,
  PhysicalListOutput,
  PhysicalPlan,
  PhysicalRoot,
} from '../plan/physical-plan.ts'
import { isConstant, readingsOf } from '../plan/plan-facts.ts'
import type {
  AggregatePlan,
  GroupOutput,
  ListPlan,
  Output,
  Plan,
  RecordSelections,
  RootOutput,
  StatusOutput,
} from '../plan/plan.ts'
import { groupingSize } from '../price/cost.ts'
import { planCount, planGroups, planTotal } from './groups/optimize-count.ts'
import { withinGroups } from './groups/optimize-nested.ts'
import { joinWords } from './match-words.ts'
import { planFilter, visibleKey, visibleSort, visibleValue } from './optimize-filter.ts'
import { planList } from './optimize-list.ts'
import type { Optimizer } from './optimizer.ts'

export function optimize(input: Omit<Optimizer, 'estimate'>, plan: Plan): PhysicalPlan {
  const estimate = { rows: 0, savedSize: 0 }
  const roots = mapSelected(plan.roots, (output) => planRoot({ ...input, estimate }, output))
  const { rows: estimatedRows, savedSize } = estimate
  return { roots, estimatedRows, savedSize, sourceValues: input.statistics.sourceValues }
}

function mapSelected<From extends { readonly kind: string }, To>(
  fields: Fields<From>,
  map: (output: From) => To | Constant,
): Fields<To> {
  return fields.map(({ key, output }) => ({ key, output: isConstant(output) ? output : map(output) }))
}

function planRoot(optimizer: Optimizer, output: RootOutput): PhysicalRoot {
  switch (output.kind) {
    case 'introspection':
      return output
    case 'status':
      return { ...output, fields: mapSelected(output.fields, (field) => planStatus(optimizer, field)) }
    case 'list':
      return { kind: 'list', list: planWholeList(optimizer, output.list) }
    case 'merged':
      return { kind: 'merged', lists: output.lists.map((list) => planWholeList(optimizer, list, true)) }
    case 'aggregate':
      return { kind: 'aggregate', aggregate: planAggregate(optimizer, output.aggregate) }
    case 'byUri':
      return { ...output, fields: planFields(optimizer, output.fields) }
    case 'nodes':
      return { ...output, records: planRecords(optimizer, output.records) }
  }
}

function planStatus(optimizer: Optimizer, output: StatusOutput): StatusOutput<CountedTable> {
  if (output.kind === 'sources') return output
  const isCounted = output.fields.some((field) => field.output.kind === 'records')
  const tables = output.tables.map((table) => ({
    table,
    count: isCounted ? planCount(optimizer, { table, where: alwaysTrue }) : null,
  }))
  return { ...output, tables }
}

function planFields(optimizer: Optimizer, fields: Fields<Output>): Fields<Output<PhysicalList>> {
  return mapSelected(fields, (output) => planOutput(optimizer, output))
}

function planRecords(optimizer: Optimizer, records: RecordSelections): RecordSelections<PhysicalList> {
  return records.map(({ table, fields }) => ({ table, fields: planFields(optimizer, fields) }))
}

/** Replaces the lists in an output. */
function planOutput(optimizer: Optimizer, output: Output): Output<PhysicalList> {
  switch (output.kind) {
    case 'object':
      return { ...output, fields: planFields(optimizer, output.fields) }
    case 'union': {
      const cases = output.cases.map((each) => ({ ...each, fields: planFields(optimizer, each.fields) }))
      const otherwise = output.otherwise === null ? null : planFields(optimizer, output.otherwise)
      return { ...output, cases, otherwise }
    }
    case 'array':
      return { ...output, element: planOutput(optimizer, output.element) }
    case 'resolved':
      return { ...output, records: planRecords(optimizer, output.records) }
    case 'list':
      return { kind: 'list', list: planWholeList(optimizer, output.list) }
  }
  return output
}

function planWholeList(optimizer: Optimizer, given: ListPlan, isMerged = false): PhysicalList {
  const list = {
    ...given,
    where: joinWords(given.where),
    sort: visibleSort(optimizer, given.sort),
    distinct: given.distinct.map((value) => visibleValue(optimizer, value)),
  }
  const planned = planList(optimizer, list, isMerged)
  const fields = mapSelected(list.fields, (output): PhysicalListOutput | Constant => {
    if (output.kind === 'nodes') return { kind: 'nodes', fields: planFields(optimizer, output.fields) }
    if (output.kind === 'facets') return planFacets(optimizer, list, output.facets)
    if (output.kind === 'missingWords') return planMissingWords(optimizer, output)
    if (output.kind !== 'edges') return output
    const edge = mapSelected(output.fields, (field) =>
      field.kind === 'node' ? { ...field, fields: planFields(optimizer, field.fields) } : field,
    )
    return { kind: 'edges', fields: edge }
  })
  return { ...planned, fields }
}

function planAggregate(optimizer: Optimizer, given: AggregatePlan): PhysicalAggregate {
  const measures = given.measures.map((each) => ({ ...each, of: visibleKey(optimizer, each.of) }))
  const aggregate = { ...given, where: joinWords(given.where), measures }
  const { isGrouped, isWhole, counts, sharesWhole, addsUp, dividesCounts } = readingsOf(aggregate)
  const groups = isGrouped ? planGroups(optimizer, aggregate, aggregate.keys) : null
  const whole = isWhole ? planGroups(optimizer, aggregate, []) : null
  const isDivided = dividesCounts || (sharesWhole && usesCount(aggregate.share))
  const count = counts > 0 || isDivided ? planTotal(optimizer, aggregate, addsUp) : null
  const significance = isGrouped ? planSignificance(optimizer, aggregate) : null
  const shares = planShares(optimizer, aggregate)
  const readsRows = groups?.kind === 'rows' || count?.kind === 'rows' || count?.kind === 'groups'
  if (whole === null && significance === null && shares === null && !readsRows)
    optimizer.estimate.savedSize += groupingSize(aggregate)
  const elements = aggregate.elements.map(({ array, where }) => ({
    array,
    where: planFilter(optimizer, where),
  }))
  return {
    aggregate: { ...aggregate, elements },
    fields: mapSelected(aggregate.fields, (output): PhysicalAggregateOutput => {
      if (output.kind === 'groups')
        return { ...output, fields: planGroup(optimizer, aggregate, output.fields) }
      if (output.kind === 'unusualWords') return planUnusualWords(optimizer, output)
      return output.kind === 'pairs' ? planPairs(optimizer, output) : output
    }),
    count,
    groups,
    whole,
    significance,
    shares,
  }
}

function planGroup(
  optimizer: Optimizer,
  plan: AggregatePlan,
  fields: Fields<GroupOutput>,
): Fields<PhysicalGroupOutput> {
  return mapSelected(fields, (output): PhysicalGroupOutput => {
    switch (output.kind) {
      case 'keyResolved':
        return { ...output, records: planRecords(optimizer, output.records) }
      case 'top':
        return {
          ...output,
          isSummed: output === summedTop(plan),
          aggregate: withinGroups(optimizer, plan, planAggregate(optimizer, output.aggregate)),
        }
      case 'nodes':
        return planSamples(optimizer, plan, output, planFields(optimizer, output.fields))
    }
    return output
  })
}
