/** Builds the background with which `significant` compares groups, and `unusualWords` the words of a field. */
import type { Table } from '../../../database/layout/tables.ts'
import type { SearchField } from '../../../schema/model/model.ts'
import { limits } from '../../parse/limits.ts'
import { argumentsOf, badInput, type Collected, integerArgument } from '../../parse/prepare.ts'
import { all, not } from '../conditions.ts'
import { fieldsBelow, namedBelow } from '../build-fields.ts'
import { buildWhere } from '../build-where.ts'
import type {
  SignificanceOutput,
  SignificancePlan,
  UnusualWordOutput,
  UnusualWordsOutput,
  UnusualWordsPlan,
} from './group-plan.ts'
import type { PlanContext } from '../plan.ts'
import type { Condition } from '../conditions.ts'

/** Below this count the normal distribution, which scores assume, fits badly. */
export const minSignificantCount = 5
const defaultLimit = 20

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
  return comparison(context, table, where, (significant as { readonly against: unknown }).against)
}

/** `given`: the argument `against`. */
function comparison(context: PlanContext, table: Table, where: Condition, given: unknown): SignificancePlan {
  const against = buildWhere(context, table, given)
  return { against, background: all([against, not(where)]) }
}

export function buildUnusualWords(
  context: PlanContext,
  collected: Collected,
  table: Table,
  where: Condition,
): UnusualWordsPlan {
  const { field, against, minCount, limit } = argumentsOf(context.selection, collected)
  const { name } = field as SearchField
  return {
    kind: 'unusualWords',
    table,
    where,
    ...comparison(context, table, where, against),
    field: table.words?.fields.findIndex((each) => each.name === name) ?? -1,
    minCount: integerArgument('minCount', minCount, 2 ** 31 - 1, minSignificantCount, 1),
    limit: integerArgument('limit', limit, limits.unusualWords, defaultLimit, 1),
    fields: fieldsBelow(context, collected, (below): UnusualWordsOutput => {
      if (below.name !== 'words') return { kind: below.name as 'recordsRead' | 'againstRecordsRead' }
      return {
        kind: 'words',
        fields: fieldsBelow(context, below, (inner): UnusualWordOutput => {
          if (inner.name !== 'significance') return { kind: inner.name as 'word' | 'count' }
          return { kind: 'significance', fields: namedBelow<SignificanceOutput['kind']>(context, inner) }
        }),
      }
    }),
  }
}
