/** `nodes` of groups: sample records of each group of a page. */
import { relevanceField } from '../../schema/model/operators.ts'
import { raw, type Sql, sql } from '../../sql/sql.ts'
import { emitFields } from '../emit/emit-output.ts'
import { recordsById } from '../emit/emit-records.ts'
import { type Emitter, newRow, type RecordRow } from '../emit/emitter.ts'
import { emitNumberedRows, type Within } from '../emit/groups/emit-source.ts'
import { orderOf } from '../emit/lists/emit-order.ts'
import { isIdOrder } from '../optimize/access-paths.ts'
import { planCountedRows } from '../optimize/groups/optimize-count.ts'
import { samplesWithin } from '../optimize/groups/optimize-nested.ts'
import { visibleSort } from '../optimize/optimize-filter.ts'
import type { Optimizer } from '../optimize/optimizer.ts'
import { limits } from '../parse/limits.ts'
import { argumentsOf, badInput, type Collected, integerArgument } from '../parse/prepare.ts'
import { buildRecord } from '../plan/build-output.ts'
import { buildSort } from '../plan/build-page.ts'
import type { Fields } from '../plan/fields.ts'
import type { PhysicalAggregate, PhysicalList, PhysicalSamples } from '../plan/physical-plan.ts'
import { withoutElements } from '../plan/plan-facts.ts'
import type { AggregatePlan, Output, SamplesPlan } from '../plan/plan.ts'
import { filtersSize, readingSize } from '../price/cost-groups.ts'
import { sortSize } from '../price/cost-pages.ts'
import { weights } from '../price/cost-weights.ts'
import { whereSize } from '../price/cost-where.ts'
import type { AggregateContext } from './measures.ts'

const defaultFirst = 2

export function buildSamples(context: AggregateContext, collected: Collected): SamplesPlan {
  const { first, sortBy } = argumentsOf(context.selection, collected)
  const asked = (sortBy ?? []) as readonly { readonly field: unknown }[]
  if (asked.some(({ field }) => field === relevanceField))
    throw badInput('`nodes` of groups are in no order of relevance. Sort by another field, or ask a list.')
  return {
    kind: 'nodes',
    sort: buildSort(context, context.table, sortBy),
    first: integerArgument('first', first, limits.groupNodes, defaultFirst, 1),
    fields: buildRecord(context, context.table, collected.selections),
  }
}

/** Sample records of groups: all records are numbered within their groups. */
export function samplesSize(plan: AggregatePlan, { sort }: SamplesPlan): number {
  const where = whereSize({ ...plan, where: withoutElements(plan, plan.keys), link: null }, 'all')
  return (
    readingSize({ ...plan, measures: [] }, plan.keys, where + filtersSize(plan), false) +
    Math.max(weights.join, sortSize(sort))
  )
}

/** How the sample records of groups are found. `fields`: those of a record, which are optimized already. */
export function planSamples(
  optimizer: Optimizer,
  outer: AggregatePlan,
  samples: SamplesPlan,
  fields: Fields<Output<PhysicalList>>,
): PhysicalSamples {
  const { table } = outer
  const where = withoutElements(outer, outer.keys)
  return {
    ...samples,
    sort: visibleSort(optimizer, samples.sort),
    fields,
    rows: samplesWithin(optimizer, outer, planCountedRows(optimizer, { table, where })),
    inIdOrder: isIdOrder(optimizer, table, samples.sort),
  }
}

/** Sample records, numbered within groups: a step with the `place` of each group and its `text`. */
export function emitSamples(
  emitter: Emitter,
  { table, keys, elements }: Pick<PhysicalAggregate['aggregate'], 'table' | 'keys' | 'elements'>,
  { sort, first, fields, rows, inIdOrder }: PhysicalSamples,
  page: Within,
): Sql {
  const { dialect } = emitter
  const [sample, place] = [emitter.alias(), emitter.alias()]
  const order = (row: RecordRow) =>
    inIdOrder
      ? { orders: [sql`${row.alias}.id ${raw(sort[0]?.direction ?? 'desc')}`], joined: raw('') }
      : orderOf(emitter, sort, row)
  const found = { table, elements, access: rows, within: page }
  const numbered = emitter.step(emitNumberedRows(emitter, found, keys, order))
  const record = newRow(emitter, table)
  const ids = sql`${numbered} where nth <= ${first}`
  const records = sql`${recordsById(emitter, table, ids)} ${record.alias}`
  const text = emitFields(emitter, fields, { ...record, from: records })
  // The ids belong to visible rows, so hidden rows need no second check.
  const placed = sql`(select * from ${numbered} where nth <= ${first}) ${sample}
    ${joinPlace(emitter, page, sample, place)}
    ${dialect.join} ${records} on ${record.alias}.id = ${sample}.id`
  return emitter.step(sql`select ${place}.place as place, ${dialect.joinedInOrder(sql`${sample}.nth`, text)} as text
    from ${placed} group by ${place}.place`)
}

/** The keys as one text. Joins on it are hashed, and match missing keys, which equal nothing. */
export function tokenOf({ dialect }: Emitter, keys: readonly Sql[], row: Sql): Sql {
  return dialect.jsonArray(keys.map((key) => sql`${row}.${key}`))
}

/** Joins the `place` of its group, or more columns, to each row; groups have a `token` of their keys. */
export function joinPlace(
  emitter: Emitter,
  { groups, keys }: Within,
  row: Sql,
  place: Sql,
  columns = raw('place'),
): Sql {
  return sql`${emitter.dialect.join} (select ${columns}, token from ${groups}) ${place} on ${place}.token = ${tokenOf(emitter, keys, row)}`
}
