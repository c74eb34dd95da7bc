/** `top` of groups: the page first, then what lies within all its groups at once, joined by place. */
import { allOf, join, raw, type Sql, sql } from '../../sql/sql.ts'
import { emitArray, emitObject } from '../emit/emit-output.ts'
import type { Emitter } from '../emit/emitter.ts'
import { type Grouping, lookedUp } from '../emit/groups/emit-group-values.ts'
import { formGroups, groupValue } from '../emit/groups/emit-groups.ts'
import type { Within } from '../emit/groups/emit-source.ts'
import type { Fields } from '../plan/fields.ts'
import type { SharePlan } from '../plan/groups/group-plan.ts'
import type { PhysicalAggregate, PhysicalGroupOutput, PhysicalTop } from '../plan/physical-plan.ts'
import { groupOrder } from './group-order.ts'
import { havingConditions } from './having.ts'
import { emitSamples, joinPlace, tokenOf } from './samples.ts'
import { countShare, type Groupings } from './shares.ts'

/** The groups as a JSON array; `pageQuery` is the query for them in order. */
export function emitFilledGroups(
  emitter: Emitter,
  plan: PhysicalAggregate['aggregate'],
  groups: Grouping,
  fields: Fields<PhysicalGroupOutput>,
  pageQuery: () => Sql,
): Sql {
  const { dialect } = emitter
  const { keys } = groups.columns
  const [found, row] = [emitter.alias(), emitter.alias()]
  const name =
    emitter.step(sql`select ${found}.*, row_number() over () as place, ${tokenOf(emitter, keys, found)} as token
    from (${pageQuery()}) ${found}`)
  const page: Within = { groups: name, keys }
  let shown = name
  const joins: Sql[] = []
  const text = emitObject(emitter, fields, (output) => {
    if (output.kind !== 'top' && output.kind !== 'nodes')
      return groupValue(emitter, plan, groups, row, output, sql`${name} ${row}`)
    const alias = emitter.alias()
    const add = (nested: Sql): void => {
      joins.push(sql`left join ${nested} ${alias} on ${alias}.place = ${row}.place`)
    }
    if (output.kind === 'nodes') add(emitSamples(emitter, plan, output, page))
    else {
      const { groupings, name: inner } = emitTop(emitter, output, page)
      add(inner)
      if (output.isSummed && groupings !== null && plan.share !== null)
        shown = emitSummedShares(emitter, plan.share, groupings, page)
    }
    return emitArray(emitter, sql`coalesce(${alias}.text, '')`)
  })
  const from = join([sql`${shown} ${row}`, ...joins], ' ')
  return emitArray(emitter, sql`(select ${dialect.joinedInOrder(sql`${row}.place`, text)} from ${from})`)
}

/**
 * Groups within groups, formed together for all groups of a page and numbered within each: the name of a step with the
 * `place` of each group and the `text` in it, and the groupings of the denominator, if there is one.
 */
function emitTop(
  emitter: Emitter,
  { aggregate: plan }: PhysicalTop,
  page: Within,
): { readonly name: Sql; readonly groupings: Groupings | null } {
  const { dialect } = emitter
  const { groups, shared } = formGroups(emitter, plan, page)
  if (groups === null) throw new Error('There are no groups within groups.')
  const { aggregate, fields } = plan
  const [ordered, place, shown, row] = [emitter.alias(), emitter.alias(), emitter.alias(), emitter.alias()]
  const { columns, joins } = lookedUp(emitter, groups, ordered)
  const outputs = fields.flatMap(({ output }) => (output.kind === 'groups' ? [output.fields] : []))[0] ?? []
  const isDivided = outputs.some(({ output }) => output.kind === 'countShare')
  const divided = isDivided ? [countShare(emitter, ordered, sql`${place}.n`)] : []
  const selected = join([sql`${ordered}.*`, ...columns, ...divided, sql`${place}.place as place`], ', ')
  const placed = joinPlace(emitter, page, ordered, place, raw(isDivided ? 'place, n' : 'place'))
  const from = join([sql`${groups.name} ${ordered}`, placed, ...joins], ' ')
  const conditions = havingConditions(emitter, aggregate.having, groups, ordered)
  const found = sql`select ${selected} from ${from} where ${allOf(conditions)}`
  const order = groupOrder(emitter, aggregate.order, groups, shown)
  const ranked =
    emitter.step(sql`select ${shown}.*, row_number() over (partition by ${shown}.place order by ${order}) as nth
    from (${found}) ${shown}`)
  const text = emitObject(emitter, outputs, (output) => {
    if (output.kind === 'top' || output.kind === 'nodes') throw new Error('Groups are nested one level deep.')
    return groupValue(emitter, aggregate, groups, row, output, sql`${ranked} ${row}`)
  })
  const name = emitter.step(sql`select place, ${dialect.joinedInOrder(sql`${row}.nth`, text)} as text
    from ${ranked} ${row} where ${row}.nth <= ${aggregate.limit} group by place`)
  return { name, groupings: shared?.groupings ?? null }
}

/** The page as a step with `total` and `matched` of a denominator, summed from the groups within. */
function emitSummedShares(
  emitter: Emitter,
  { denominator, numerator }: SharePlan,
  { total, matched }: Groupings,
  page: Within,
): Sql {
  const { dialect } = emitter
  const [part, place, row] = [emitter.alias(), emitter.alias(), emitter.alias()]
  const keys = join([...page.keys], ', ')
  const zero = raw(total === null ? '0 as total' : '0')
  const parts = [
    ...(total === null
      ? []
      : [sql`select ${keys}, n as total, cast(0 as bigint) as matched from ${total.name}`]),
    ...(matched === null ? [] : [sql`select ${keys}, ${zero}, n as matched from ${matched.name}`]),
  ]
  const sums =
    emitter.step(sql`select ${place}.place as place, ${dialect.sum(raw('total'))} as total, ${dialect.sum(raw('matched'))} as matched
    from (${join(parts, ' union all ')}) ${part} ${joinPlace(emitter, page, part, place)} group by ${place}.place`)
  const [summed, met] = ['total', 'matched'].map((column) => sql`coalesce(${sums}.${raw(column)}, 0)`)
  const divided = numerator === 'count' ? sql`${row}.n` : numerator === 'total' ? summed : met
  const divisor = denominator === 'count' ? sql`${row}.n` : summed
  return emitter.step(sql`select ${row}.*, ${divisor as Sql} as total, ${divided as Sql} as matched
    from ${page.groups} ${row} left join ${sums} on ${sums}.place = ${row}.place`)
}
