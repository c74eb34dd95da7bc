/** Builds the plan of `nodes`, the sample records of each group. */
import type { Table } from '../../../../database/layout/tables.ts'
import { relevanceField } from '../../../../schema/model/operators.ts'
import { limits } from '../../../parse/limits.ts'
import { argumentsOf, badInput, type Collected, integerArgument } from '../../../parse/prepare.ts'
import { buildRecord } from '../../build-output.ts'
import { buildSort } from '../../build-page.ts'
import type { PlanContext, SamplesPlan } from '../../plan.ts'

const defaultFirst = 2

export function buildSamples(context: PlanContext, collected: Collected, table: Table): SamplesPlan {
  const { first, sortBy } = argumentsOf(context.selection, collected)
  const asked = (sortBy ?? []) as readonly { readonly field: unknown }[]
  if (asked.some(({ field }) => field === relevanceField))
    throw badInput('`nodes` of groups are in no order of relevance. Sort by another field, or ask a list.')
  return {
    kind: 'nodes',
    sort: buildSort(context, table, sortBy),
    first: integerArgument('first', first, limits.groupNodes, defaultFirst, 1),
    fields: buildRecord(context, table, collected.selections),
  }
}
