/** Plans how the records of a denominator are counted and grouped, with the best access path of each set of records. */
import type { Condition } from '../../plan/conditions.ts'
import type { AggregatePlan } from '../../plan/plan.ts'
import type { PhysicalShares, SharePart } from '../../plan/physical-plan.ts'
import { conjuncts, readingsOf } from '../../plan/plan-facts.ts'
import { summedTop } from '../../plan/groups/nested/summed-top.ts'
import { joinWords } from '../match-words.ts'
import type { Optimizer } from '../optimizer.ts'
import { planGroups, planTotal } from './optimize-count.ts'
import { groupsOfAll } from './optimize-significance.ts'

/** Null if no share is selected. */
export function planShares(optimizer: Optimizer, plan: AggregatePlan): PhysicalShares | null {
  const { share, table, keys } = plan
  const { sharesWhole, addsUp, ...readings } = readingsOf(plan)
  const sharesGroups = readings.sharesGroups && summedTop(plan) === null
  if (share === null || !(sharesGroups || sharesWhole)) return null
  const partOf = (condition: Condition): SharePart => {
    const where = joinWords(condition)
    const ofAll = sharesGroups && conjuncts(where).length === 0 ? groupsOfAll(optimizer, table, keys) : null
    return {
      where,
      groups: sharesGroups ? (ofAll ?? planGroups(optimizer, { ...plan, where, measures: [] }, keys)) : null,
      count: sharesWhole ? planTotal(optimizer, table, where, addsUp && sharesGroups) : null,
    }
  }
  const { denominator, numerator } = share
  return {
    total: partOf(denominator),
    numerator: typeof numerator === 'string' ? numerator : partOf(numerator),
  }
}
