/** Groups within groups: they are formed together for all groups of a page, and numbered within each. */
import { allOf, join, sql } from '../../../../sql/sql.ts'
import type { PhysicalTop } from '../../../plan/physical-plan.ts'
import { emitObject } from '../../emit-output.ts'
import type { Emitter } from '../../emitter.ts'
import { groupOrder } from '../emit-group-order.ts'
import { formGroups, groupValue } from '../emit-groups.ts'
import { havingConditions } from '../emit-having.ts'
import type { Groupings } from '../emit-shares.ts'
import { joinPlace, type Nested, type OuterPage } from './outer-page.ts'

/** With the groupings of the denominator, if there is one. */
export function emitTop(
  emitter: Emitter,
  { aggregate: plan }: PhysicalTop,
  page: OuterPage,
): Nested & { readonly groupings: Groupings | null } {
  const { dialect } = emitter
  const { groups, shared } = formGroups(emitter, plan, () => null, { groups: page.name, keys: page.keys })
  if (groups === null) throw new Error('There are no groups within groups.')
  const { aggregate, fields } = plan
  const [ranked, name] = [emitter.alias(), emitter.alias()]
  const [ordered, place, shown, row] = [emitter.alias(), emitter.alias(), emitter.alias(), emitter.alias()]
  const { columns, joins } = groups.lookedUp(ordered)
  const selected = join([sql`${ordered}.*`, ...columns, sql`${place}.place as place`], ', ')
  const from = join([sql`${groups.name} ${ordered}`, joinPlace(emitter, page, ordered, place), ...joins], ' ')
  const isLarge = sql`${ordered}.n >= ${aggregate.minCount}`
  const conditions = [isLarge, ...havingConditions(emitter, aggregate, groups, ordered)]
  const found = sql`select ${selected} from ${from} where ${allOf(conditions)}`
  const order = groupOrder(emitter, aggregate, groups, shown)
  const outputs = fields.flatMap(({ output }) => (output.kind === 'groups' ? [output.fields] : []))[0] ?? []
  const text = emitObject(emitter, outputs, (output) => {
    if (output.kind === 'top' || output.kind === 'nodes') throw new Error('Groups are nested one level deep.')
    return groupValue(emitter, aggregate, groups, row, output)
  })
  return {
    name,
    groupings: shared?.groupings ?? null,
    tables: [
      ...groups.tables,
      sql`${ranked} as materialized (select ${shown}.*, row_number() over (partition by ${shown}.place order by ${order}) as nth
    from (${found}) ${shown})`,
      sql`${name} as materialized (select place, ${dialect.joinedInOrder(sql`${row}.nth`, text)} as text
    from ${ranked} ${row} where ${row}.nth <= ${aggregate.limit} group by place)`,
    ],
  }
}
