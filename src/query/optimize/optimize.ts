/**
 * Logical plan to physical plan: chooses, from statistics, how each list, count and group is read. The choice never
 * changes an answer. It reads only statistics, within a planning budget, and emits only their probes.
 */
import { materializedCount, planCount, planGroups } from './optimize-count.ts'
import { groupingSize } from '../price/cost-reading.ts'
import { planList } from './optimize-list.ts'
import { type Optimizer, rowsOf } from './optimizer.ts'
import type { PhysicalAggregate, PhysicalList, PhysicalPlan, PhysicalRoot } from '../plan/physical-plan.ts'
import { estimatesOf } from './plan-estimates.ts'
import type {
  AggregateOutput,
  AggregatePlan,
  EdgeOutput,
  GroupOutput,
  ListOutput,
  ListPlan,
  Output,
  Plan,
  RecordSelections,
  RootOutput,
  Selected,
} from '../plan/plan.ts'

export function optimize(optimizer: Optimizer, { roots }: Plan): PhysicalPlan {
  const planned = mapSelected(roots, (output) => planRoot(optimizer, output))
  const estimates = estimatesOf(planned)
  // While rows are hidden, materialized counts are not usable, so `indexStatus` counts rows.
  const counted = roots.flatMap(({ output }) =>
    output.kind === 'status' ? countedForStatus(optimizer, output) : [],
  )
  return {
    roots: planned,
    estimatedRows: counted.reduce((sum, rows) => sum + rows, estimates.estimatedRows),
    savedSize: estimates.savedSize,
    sourceValues: optimizer.statistics?.sourceValues ?? 0,
  }
}

function mapSelected<From, To>(
  fields: readonly Selected<From>[],
  map: (output: From) => To,
): readonly Selected<To>[] {
  return fields.map(({ key, output }) => ({ key, output: map(output) }))
}

function planRoot(optimizer: Optimizer, output: RootOutput): PhysicalRoot {
  switch (output.kind) {
    case 'constant':
    case 'introspection':
    case 'status':
      return output
    case 'list':
      return { kind: 'list', list: planWholeList(optimizer, output.list) }
    case 'aggregate':
      return { kind: 'aggregate', aggregate: planAggregate(optimizer, output.aggregate) }
    case 'byUri':
      return { ...output, fields: planFields(optimizer, output.fields) }
    case 'nodes':
      return { ...output, records: planRecords(optimizer, output.records) }
  }
}

function countedForStatus(
  optimizer: Optimizer,
  { fields }: Extract<RootOutput, { kind: 'status' }>,
): readonly number[] {
  return fields.flatMap(({ output }) => {
    if (output.kind !== 'collections' || !output.fields.some((field) => field.output.kind === 'records'))
      return []
    return output.tables
      .filter((table) => materializedCount(optimizer, table, { kind: 'all', of: [] }) === null)
      .map((table) => rowsOf(optimizer, table))
  })
}

function planFields(
  optimizer: Optimizer,
  fields: readonly Selected<Output>[],
): readonly Selected<Output<PhysicalList>>[] {
  return mapSelected(fields, (output) => planOutput(optimizer, output))
}

function planRecords(optimizer: Optimizer, records: RecordSelections): RecordSelections<PhysicalList> {
  return records.map(({ table, fields }) => ({ table, fields: planFields(optimizer, fields) }))
}

function planOutput(optimizer: Optimizer, output: Output): Output<PhysicalList> {
  switch (output.kind) {
    case 'constant':
    case 'system':
    case 'json':
    case 'anyJson':
    case 'wrapped':
    case 'blobField':
    case 'isCurrent':
      return output
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
}

function planWholeList(optimizer: Optimizer, list: ListPlan): PhysicalList {
  const fields = mapSelected(list.fields, (output): ListOutput<PhysicalList> => {
    switch (output.kind) {
      case 'constant':
      case 'pageInfo':
      case 'totalCount':
        return output
      case 'nodes':
        return { kind: 'nodes', fields: planFields(optimizer, output.fields) }
      case 'edges':
        return { kind: 'edges', fields: mapSelected(output.fields, (edge) => planEdge(optimizer, edge)) }
    }
  })
  return planList(optimizer, list, fields)
}

function planEdge(optimizer: Optimizer, output: EdgeOutput): EdgeOutput<PhysicalList> {
  return output.kind === 'node' ? { kind: 'node', fields: planFields(optimizer, output.fields) } : output
}

function planAggregate(optimizer: Optimizer, aggregate: AggregatePlan): PhysicalAggregate {
  const kinds = new Set(aggregate.fields.map(({ output }) => output.kind))
  const isGrouped = aggregate.keys.length > 0 && (kinds.has('groups') || kinds.has('groupCount'))
  const groups = isGrouped ? planGroups(optimizer, aggregate, aggregate.keys) : null
  const whole = kinds.has('measure') || kinds.has('measures') ? planGroups(optimizer, aggregate, []) : null
  const count = kinds.has('count') ? planCountOf(optimizer, aggregate, groups !== null) : null
  const isCountMaterialized =
    count === null || (count.access.kind !== 'rows' && count.access.kind !== 'groups')
  const isMaterialized = whole === null && groups?.access.kind !== 'rows' && isCountMaterialized
  return {
    aggregate,
    fields: mapSelected(aggregate.fields, (output) => planAggregateOutput(optimizer, output)),
    count: count?.access ?? null,
    groups: groups?.access ?? null,
    whole: whole?.access ?? null,
    estimatedRows: (groups?.estimatedRows ?? 0) + (whole?.estimatedRows ?? 0) + (count?.estimatedRows ?? 0),
    savedSize: isMaterialized ? groupingSize(aggregate) : 0,
  }
}

function planCountOf(
  optimizer: Optimizer,
  { table, where, keys }: AggregatePlan,
  isGrouped: boolean,
): { readonly access: NonNullable<PhysicalAggregate['count']>; readonly estimatedRows: number } {
  const materialized = materializedCount(optimizer, table, where)
  if (materialized !== null) return materialized
  // Unless a key is an array, every record is in exactly one group, so the counts of groups add up to the whole.
  const addsUp = isGrouped && keys.every(({ leaf }) => leaf.kind !== 'array')
  if (addsUp) return { access: { kind: 'groups' }, estimatedRows: 0 }
  return planCount(optimizer, table, where, null)
}

function planAggregateOutput(optimizer: Optimizer, output: AggregateOutput): AggregateOutput<PhysicalList> {
  switch (output.kind) {
    case 'constant':
    case 'count':
    case 'groupCount':
    case 'measure':
      return output
    case 'measures':
      return {
        kind: 'measures',
        fields: mapSelected(output.fields, (field) => planAggregateOutput(optimizer, field)),
      }
    case 'groups':
      return {
        kind: 'groups',
        fields: mapSelected(output.fields, (field) => planGroupOutput(optimizer, field)),
      }
  }
}

function planGroupOutput(optimizer: Optimizer, output: GroupOutput): GroupOutput<PhysicalList> {
  switch (output.kind) {
    case 'constant':
    case 'count':
    case 'key':
    case 'measure':
      return output
    case 'keyResolved':
      return { ...output, records: planRecords(optimizer, output.records) }
    case 'measures':
      return {
        kind: 'measures',
        fields: mapSelected(output.fields, (field) => planGroupOutput(optimizer, field)),
      }
  }
}
