/** Builds what `denominator` counts, and which records are divided by it. */
import { isDeepStrictEqual } from 'node:util'
import type { Table } from '../../../database/layout/tables.ts'
import { badInput } from '../../parse/prepare.ts'
import { bothOf, buildWhere } from '../build-where.ts'
import type { Condition } from '../conditions.ts'
import { conjuncts } from '../plan-facts.ts'
import type { PlanContext } from '../plan.ts'
import type { SharePlan } from './group-plan.ts'

/** Conjuncts of one condition up to which they are compared with those of another. */
const mostCompared = 50

/** `where` selects the records that are counted; null without `denominator`. */
export function buildShare(
  context: PlanContext,
  table: Table,
  where: Condition,
  given: Readonly<Record<string, unknown>>,
): SharePlan | null {
  if (given.denominator === undefined || given.denominator === null) return null
  if (given.significant !== undefined && given.significant !== null)
    throw badInput(
      '`significant` and `denominator` exclude each other: both compare groups with other records. Leave one out.',
    )
  const denominator = buildWhere(context, table, given.denominator)
  return { denominator, numerator: numeratorOf(where, denominator) }
}

function numeratorOf(where: Condition, denominator: Condition): SharePlan['numerator'] {
  if (implies(where, denominator)) return 'count'
  return implies(denominator, where) ? 'total' : bothOf(where, denominator)
}

/** Whether each conjunct of `implied` is among those of `condition`; false does not mean that it is not implied. */
function implies(condition: Condition, implied: Condition): boolean {
  const parts = conjuncts(condition)
  const wanted = conjuncts(implied)
  if (parts.length > mostCompared || wanted.length > mostCompared) return wanted.length === 0
  return wanted.every((one) => parts.some((part) => isDeepStrictEqual(part, one)))
}
