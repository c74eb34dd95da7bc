/**
 * Logical plan to physical plan: chooses, from statistics, how each list, count and group is read. The choice never
 * changes an answer. It reads only statistics, within a planning budget, and emits only their probes.
 */
import { materializedCount, type Planned, planCount, planGroups } from './optimize-count.ts'
import { groupingSize } from '../price/cost-reading.ts'
import { planList } from './optimize-list.ts'
import type { Optimizer } from './optimizer.ts'
import type {
  CountedTable,
  PhysicalAggregate,
  PhysicalList,
  PhysicalPlan,
  PhysicalRoot,
} from '../plan/physical-plan.ts'
import {
  type AggregatePlan,
  type GroupOutput,
  type ListOutput,
  type ListPlan,
  type Output,
  type Plan,
  type RecordSelections,
  type RootOutput,
  type Fields,
  type StatusOutput,
} from '../plan/plan.ts'
import { isConstant } from '../plan/plan-facts.ts'

/** The input of the optimizer, and the estimates of all parts that are planned so far. */
interface Planning extends Optimizer {
  estimatedRows: number
  savedSize: number
}

export function optimize(optimizer: Optimizer, plan: Plan): PhysicalPlan {
  const planning: Planning = { ...optimizer, estimatedRows: 0, savedSize: 0 }
  const roots = mapSelected(plan.roots, (output) => planRoot(planning, output))
  const { estimatedRows, savedSize, statistics } = planning
  return { roots, estimatedRows, savedSize, sourceValues: statistics?.sourceValues ?? 0 }
}

function mapSelected<From extends { readonly kind: string }, To>(
  fields: Fields<From>,
  map: (output: From) => To,
): Fields<To> {
  return fields.map(({ key, output }) => ({ key, output: isConstant(output) ? output : map(output) }))
}

function planRoot(planning: Planning, output: RootOutput): PhysicalRoot {
  switch (output.kind) {
    case 'introspection':
      return output
    case 'status':
      return { ...output, fields: mapSelected(output.fields, (field) => planStatus(planning, field)) }
    case 'list':
      return { kind: 'list', list: planWholeList(planning, output.list) }
    case 'aggregate':
      return { kind: 'aggregate', aggregate: planAggregate(planning, output.aggregate) }
    case 'byUri':
      return { ...output, fields: planFields(planning, output.fields) }
    case 'nodes':
      return { ...output, records: planRecords(planning, output.records) }
  }
}

function planStatus(planning: Planning, output: StatusOutput): StatusOutput<CountedTable> {
  if (output.kind === 'sources') return output
  const tables = output.tables.map((table) => {
    const { access, estimatedRows } = planCount(planning, table, { kind: 'all', of: [] }, null)
    return { table, count: access, estimatedRows }
  })
  if (output.fields.some((field) => field.output.kind === 'records')) planning.estimatedRows += sumOf(tables)
  return { ...output, tables }
}

function planFields(planning: Planning, fields: Fields<Output>): Fields<Output<PhysicalList>> {
  return mapSelected(fields, (output) => planOutput(planning, output))
}

function planRecords(planning: Planning, records: RecordSelections): RecordSelections<PhysicalList> {
  return records.map(({ table, fields }) => ({ table, fields: planFields(planning, fields) }))
}

/** Replaces the lists in an output. */
function planOutput(planning: Planning, output: Output): Output<PhysicalList> {
  switch (output.kind) {
    case 'object':
      return { ...output, fields: planFields(planning, output.fields) }
    case 'union': {
      const cases = output.cases.map((each) => ({ ...each, fields: planFields(planning, each.fields) }))
      const otherwise = output.otherwise === null ? null : planFields(planning, output.otherwise)
      return { ...output, cases, otherwise }
    }
    case 'array':
      return { ...output, element: planOutput(planning, output.element) }
    case 'resolved':
      return { ...output, records: planRecords(planning, output.records) }
    case 'list':
      return { kind: 'list', list: planWholeList(planning, output.list) }
  }
  return output
}

function planWholeList(planning: Planning, list: ListPlan): PhysicalList {
  const fields = mapSelected(list.fields, (output): ListOutput<PhysicalList> => {
    if (output.kind === 'nodes') return { kind: 'nodes', fields: planFields(planning, output.fields) }
    if (output.kind !== 'edges') return output
    const edge = mapSelected(output.fields, (field) =>
      field.kind === 'node' ? { ...field, fields: planFields(planning, field.fields) } : field,
    )
    return { kind: 'edges', fields: edge }
  })
  const { planned, estimatedRows, savedSize } = planList(planning, list, fields)
  planning.estimatedRows += estimatedRows
  planning.savedSize += savedSize
  return planned
}

function planAggregate(planning: Planning, aggregate: AggregatePlan): PhysicalAggregate {
  const kinds = new Set(aggregate.fields.map(({ output }) => output.kind))
  const isGrouped = aggregate.keys.length > 0 && (kinds.has('groups') || kinds.has('groupCount'))
  const groups = isGrouped ? planGroups(planning, aggregate, aggregate.keys) : null
  const whole = kinds.has('measure') || kinds.has('measures') ? planGroups(planning, aggregate, []) : null
  const count = kinds.has('count') ? planCountOf(planning, aggregate, groups !== null) : null
  const isCountMaterialized =
    count === null || (count.access.kind !== 'rows' && count.access.kind !== 'groups')
  const isMaterialized = whole === null && groups?.access.kind !== 'rows' && isCountMaterialized
  planning.estimatedRows += sumOf([groups, whole, count])
  planning.savedSize += isMaterialized ? groupingSize(aggregate) : 0
  return {
    aggregate,
    fields: mapSelected(aggregate.fields, (output) =>
      output.kind === 'groups' ? { ...output, fields: planGroup(planning, output.fields) } : output,
    ),
    count: count?.access ?? null,
    groups: groups?.access ?? null,
    whole: whole?.access ?? null,
  }
}

function planCountOf(
  planning: Planning,
  { table, where, keys }: AggregatePlan,
  isGrouped: boolean,
): Planned<NonNullable<PhysicalAggregate['count']>> {
  const materialized = materializedCount(planning, table, where)
  if (materialized !== null) return materialized
  // Unless a key is an array, every record is in exactly one group, so the counts of groups add up to the whole.
  const addsUp = isGrouped && keys.every(({ leaf }) => leaf.kind !== 'array')
  if (addsUp) return { access: { kind: 'groups' }, estimatedRows: 0 }
  return planCount(planning, table, where, null)
}

function planGroup(planning: Planning, fields: Fields<GroupOutput>): Fields<GroupOutput<PhysicalList>> {
  return mapSelected(fields, (output) =>
    output.kind === 'keyResolved' ? { ...output, records: planRecords(planning, output.records) } : output,
  )
}

function sumOf(parts: readonly ({ readonly estimatedRows: number } | null)[]): number {
  return parts.reduce((sum, part) => sum + (part?.estimatedRows ?? 0), 0)
}
