/** Builds the background with which `significant` compares groups. */
import type { Table } from '../../../database/layout/tables.ts'
import { badInput } from '../../parse/prepare.ts'
import { all, not } from '../conditions.ts'
import { buildWhere } from '../build-where.ts'
import type { GroupOrder, PlanContext, SignificancePlan } from '../plan.ts'
import type { Condition } from '../conditions.ts'

export const scoreOrder: GroupOrder = { by: 'score' }

/** `where` selects the records that are compared with the background. */
export function buildSignificance(
  context: PlanContext,
  table: Table,
  where: Condition,
  given: Readonly<Record<string, unknown>>,
): SignificancePlan {
  const { significant, groupBy } = given
  for (const order of ['orderBy', 'rankBy'])
    if (given[order] !== undefined && given[order] !== null)
      throw badInput(
        `\`significant\` orders groups by their score: leave \`${order}\` out, or write \`${order}\` without \`significant\`.`,
      )
  if (!Array.isArray(groupBy) || groupBy.length === 0)
    throw badInput('`significant` compares groups: name fields in `groupBy`, such as `groupBy: [did]`.')
  const against = buildWhere(context, table, (significant as { readonly against: unknown }).against)
  return { against, background: all([against, not(where)]) }
}
