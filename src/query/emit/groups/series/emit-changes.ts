/** Adds the changes from group to group in a series in time, computed over all groups before any are left out. */
import { join, raw, type Sql, sql } from '../../../../sql/sql.ts'
import type { GroupValue, MeasurePlan } from '../../../plan/groups/group-plan.ts'
import type { PhysicalAggregate } from '../../../plan/physical-plan.ts'
import type { Emitter } from '../../emitter.ts'
import { type Grouping, isMissing, keyOrder, measureValues } from '../emit-group-values.ts'
import type { StepEmitter } from '../../steps.ts'
import { numberJson } from '../../emit-output.ts'
import { shareValue } from '../emit-shares.ts'

type Series = Pick<PhysicalAggregate['aggregate'], 'changes' | 'measures'>

/** The groups of one time bucket with a column for each change. */
export function groupsWithChanges(
  emitter: StepEmitter,
  { changes, measures }: Series,
  groups: Grouping,
): Grouping {
  if (changes.length === 0) return groups
  const row = emitter.alias()
  // Records without a time are in a partition of their own, and have no change.
  const isTimed = isMissing(0, row, false)
  const columns = changes.map((of, index) => {
    const value = numberOf(emitter, of, measures, groups, row)
    return sql`case when ${isTimed} then ${value} - lag(${value}) over w end as ${changeName(index)}`
  })
  const name = emitter.step(sql`select ${join([sql`${row}.*`, ...columns], ', ')}
    from ${groups.name} ${row} window w as (partition by ${isTimed} order by ${keyOrder(groups, 0, row)})`)
  return { ...groups, name }
}

/** The change of the group whose alias is `row`, as JSON. */
export function changeJson(emitter: Emitter, change: number, row: Sql): Sql {
  return numberJson(emitter, sql`${row}.${changeName(change)}`)
}

/** The value of a group as a number: a count, or a double. */
function numberOf(
  emitter: Emitter,
  of: GroupValue,
  measures: readonly MeasurePlan[],
  groups: Grouping,
  row: Sql,
): Sql {
  const { dialect } = emitter
  switch (of.kind) {
    case 'count':
      return sql`${row}.n`
    case 'share':
      return shareValue(emitter, row)
    case 'measure': {
      const values = measureValues(emitter, groups, of.measure, row)
      const isSum = measures[of.measure]?.measure === 'sum'
      return dialect.asFloat(isSum ? dialect.checkedSum(values) : (values[0] as Sql))
    }
  }
}

function changeName(change: number): Sql {
  return raw(`change${change}`)
}
