/** Shares of groups from the groups within them, so that the records of the denominator are read once for both. */
import { readingsOf } from '../../plan-facts.ts'
import type { AggregatePlan, TopPlan } from '../../plan.ts'

/**
 * The inner groups whose records of the denominator add up to those of the outer groups; null if there are none, or if
 * the page, changes or the whole depend on shares. Elements do not add up.
 */
export function summedTop(plan: AggregatePlan): TopPlan | null {
  const { sharesGroups, sharesWhole, needsAllShares } = readingsOf(plan)
  if (!sharesGroups || sharesWhole || needsAllShares) return null
  const groups = plan.fields.flatMap(({ output }) => (output.kind === 'groups' ? [output.fields] : []))
  // Each list of groups has inner groups of its own.
  if (groups.length !== 1) return null
  const tops = groups.flat().flatMap(({ output }) => (output.kind === 'top' ? [output] : []))
  return tops.find(addsUp) ?? null
}

function addsUp({ outer, aggregate }: TopPlan): boolean {
  const further = aggregate.keys.slice(outer)
  return (
    readingsOf(aggregate).sharesGroups &&
    further.every(({ leaf }) => leaf.kind !== 'array' && leaf.kind !== 'element')
  )
}
