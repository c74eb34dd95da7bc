/** Adds groups without records, in which the measures are null. */
import { join, raw, type Sql, sql } from '../../../../sql/sql.ts'
import type { FillPlan } from '../../../plan/groups/group-plan.ts'
import type { Grouping } from '../emit-group-values.ts'
import type { StepEmitter } from '../../steps.ts'
import { groupBy } from '../emit-source.ts'

/** The groups of one time bucket, and those of all given buckets. */
export function filledGroups(
  { alias, step, dialect }: StepEmitter,
  fill: FillPlan | null,
  groups: Grouping,
): Grouping {
  if (fill === null || fill.kind !== 'buckets' || fill.seconds.length === 0) return groups
  const { keys } = groups.columns
  const measures = groups.columns.measures.flat()
  const row = alias()
  const own = [raw('n'), ...measures]
  const start = sql`${row}.value`
  // Hours are given by their first moments, which are their keys; other buckets by local days.
  const key = fill.bucket.unit === 'hour' ? start : dialect.bucketKey(start, { ...fill.bucket, zone: null })
  const starts = dialect.integers(
    fill.seconds.map((second) => (second === 0 ? '0' : `${second}000000`)),
    row,
  )
  const parts: Sql[] = [
    sql`select ${join([...keys, ...own], ', ')} from ${groups.name}`,
    sql`select ${join([key, raw('0'), ...measures.map(() => raw('null'))], ', ')} from ${starts}`,
  ]
  const columns = [...keys, ...own.map((column) => sql`max(${column}) as ${column}`)]
  const name = step(sql`select ${join(columns, ', ')}
    from (${join(parts, ' union all ')}) parts ${groupBy(keys)}`)
  return { ...groups, name }
}
