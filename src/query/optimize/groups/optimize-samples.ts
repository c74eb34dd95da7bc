/** Plans how the sample records of groups are found. */
import type { Fields } from '../../plan/fields.ts'
import type { PhysicalList, PhysicalSamples } from '../../plan/physical-plan.ts'
import type { AggregatePlan, Output, SamplesPlan } from '../../plan/plan.ts'
import { withoutElements } from '../../plan/plan-facts.ts'
import { isIdOrder } from '../access-paths.ts'
import { visibleSort } from '../optimize-filter.ts'
import type { Optimizer } from '../optimizer.ts'
import { planCountedRows } from './optimize-count.ts'
import { samplesWithin } from './optimize-nested.ts'

/** `fields`: those of a record, which are optimized already. */
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
    rows: samplesWithin(optimizer, outer, planCountedRows(optimizer, table, where, null)),
    inIdOrder: isIdOrder(optimizer, table, samples.sort),
  }
}
