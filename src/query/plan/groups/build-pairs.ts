/** Builds the plan of `pairs`: the elements of an array that occur together. */
import type { Table } from '../../../database/layout/tables.ts'
import type { GroupField } from '../../../schema/model/operators.ts'
import { limits } from '../../parse/limits.ts'
import { argumentsOf, type Collected, integerArgument } from '../../parse/prepare.ts'
import { namedBelow } from '../build-fields.ts'
import type { Condition } from '../conditions.ts'
import type { PlanContext } from '../plan.ts'
import { groupKey } from './build-group-key.ts'
import type { PairOutput, PairsPlan } from './group-plan.ts'

const defaultLimit = 50

export function buildPairs(
  context: PlanContext,
  collected: Collected,
  table: Table,
  where: Condition,
): PairsPlan {
  const { field, minCount, limit } = argumentsOf(context.selection, collected)
  const { leaf } = groupKey(context, table, field as GroupField)
  if (leaf.kind !== 'array') throw new Error('Only arrays have pairs of elements.')
  return {
    kind: 'pairs',
    table,
    where,
    array: leaf.array,
    minCount: integerArgument('minCount', minCount, 2 ** 31 - 1, 1),
    limit: integerArgument('limit', limit, limits.pairs, defaultLimit, 1),
    fields: namedBelow<PairOutput['kind']>(context, collected),
  }
}
