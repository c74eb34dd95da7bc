/** The records of a denominator in each group of a page, summed from the groups within them. */
import { join, raw, type Sql, sql } from '../../../../sql/sql.ts'
import type { SharePlan } from '../../../plan/groups/group-plan.ts'
import type { Emitter } from '../../emitter.ts'
import type { Groupings } from '../emit-shares.ts'
import { joinPlace, type OuterPage } from './outer-page.ts'

/** Common table expressions, of which the last, called `name`, is the page with the columns `total` and `matched`. */
export function emitSummedShares(
  emitter: Emitter,
  { numerator }: SharePlan,
  { total, matched }: Groupings,
  page: OuterPage,
  name: Sql,
): readonly Sql[] {
  const { dialect } = emitter
  if (total === null) throw new Error('There are no groups to add up.')
  const [sums, part, place, row] = [emitter.alias(), emitter.alias(), emitter.alias(), emitter.alias()]
  const keys = join([...page.keys], ', ')
  const parts = [
    sql`select ${keys}, n as total, cast(0 as bigint) as matched from ${total.name}`,
    ...(matched === null ? [] : [sql`select ${keys}, 0, n from ${matched.name}`]),
  ]
  const [summed, met] = ['total', 'matched'].map((column) => sql`coalesce(${sums}.${raw(column)}, 0)`)
  const divided = numerator === 'count' ? sql`${row}.n` : numerator === 'total' ? summed : met
  return [
    sql`${sums} as materialized (select ${place}.place as place, ${dialect.sum(raw('total'))} as total, ${dialect.sum(raw('matched'))} as matched
    from (${join(parts, ' union all ')}) ${part} ${joinPlace(emitter, page, part, place)} group by ${place}.place)`,
    sql`${name} as materialized (select ${row}.*, ${summed as Sql} as total, ${divided as Sql} as matched
    from ${page.name} ${row} left join ${sums} on ${sums}.place = ${row}.place)`,
  ]
}
