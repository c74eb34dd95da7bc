/** Pages of groups: the groups behind a cursor, in order, up to a limit, and what follows them. */
import { ServiceError } from '../../errors.ts'
import type { GroupField } from '../../schema/model/operators.ts'
import { join, raw, type Sql, sql } from '../../sql/sql.ts'
import { decodeCursor } from '../../util/cursor.ts'
import type { Json } from '../../util/is-object.ts'
import { emitObject } from '../emit/emit-output.ts'
import type { Emitter } from '../emit/emitter.ts'
import { type Grouping, lookedUp } from '../emit/groups/emit-group-values.ts'
import type { Fields } from '../plan/fields.ts'
import type { GroupPage } from '../plan/groups/group-plan.ts'
import type { PhysicalAggregate } from '../plan/physical-plan.ts'
import type { AggregatePlan, GroupPageInfoOutput } from '../plan/plan.ts'
import { readPosition } from '../plan/positions.ts'
import { groupCursor, groupOrder, groupOrderParts, isBehind, type OrderedGroups } from './group-order.ts'

/** `field`: the name of the aggregate field. */
export function buildGroupPage(field: string, given: Json, plan: OrderedGroups): GroupPage {
  const binding = bindingOf(field, given, plan.order)
  const { after } = given
  if (after === undefined || after === null) return { binding, after: null }
  const position = readPosition(decodeCursor(binding, String(after)), groupOrderParts(plan))
  if (position !== null) return { binding, after: position }
  throw new ServiceError(
    'INVALID_CURSOR',
    '`after` is no cursor of these groups in this order. Take a `cursor` or an `endCursor` of the same `groupBy` and order.',
  )
}

function bindingOf(
  field: string,
  { groupBy, rankBy, timeZone, weekStart, interval }: Json,
  order: AggregatePlan['order'],
): string {
  const names = ((groupBy ?? []) as readonly GroupField[]).map(({ name }) => name)
  const { field: ranked, nulls: _, ...ranking } = (rankBy ?? {}) as Partial<Record<string, GroupField>>
  const defined = {
    // An argument that is null means the same as none.
    timeZone: timeZone ?? undefined,
    weekStart: weekStart ?? undefined,
    interval: interval ?? undefined,
    by: order.by,
    ranked: ranked?.name,
    ...ranking,
    missing: 'missing' in order ? order.missing : undefined,
  }
  return JSON.stringify([field, names, 'direction' in order ? order.direction : null, defined])
}

type Aggregate = PhysicalAggregate['aggregate']

/** Groups in order; `page` is null for the first ones without cursors. */
interface GroupList extends Pick<Aggregate, 'order' | 'limit'> {
  readonly page: Aggregate['page'] | null
  readonly groups: Grouping
  /** Whether the group whose alias is `row` is one of them. */
  readonly condition: (row: Sql) => Sql
}

/** A query for the groups of a page in order. */
export function groupsInOrder(emitter: Emitter, list: GroupList): Sql {
  const { order, limit, page, groups, condition } = list
  const inOrder = (found: Sql, alias: Sql): Sql => sql`${found}
    order by ${groupOrder(emitter, order, groups, alias)} limit ${emitter.dialect.limit(limit)}`
  const row = emitter.alias()
  const { columns, joins } = lookedUp(emitter, groups, row)
  const from = join([sql`${groups.name} ${row}`, ...joins], ' ')
  const found = sql`select ${join([sql`${row}.*`, ...columns], ', ')} from ${from} where ${condition(row)}`
  const after = page?.after ?? null
  if (after === null) return inOrder(found, row)
  // A condition cannot name columns of its own selection.
  const ordered = emitter.alias()
  const behind = isBehind(emitter, order, groups, ordered, after)
  return inOrder(sql`select ${ordered}.* from (${found}) ${ordered} where ${behind}`, ordered)
}

/** Adds the groups of a page and the next, by `ordinal`, for answers that say where the page ends. */
export function emitGroupPage(emitter: Emitter, list: GroupList): Sql {
  const row = emitter.alias()
  // Groups are numbered once they are in order, so that an index may give them in that order.
  const query = groupsInOrder(emitter, { ...list, limit: list.limit + 1 })
  return emitter.step(sql`select ${row}.*, row_number() over () as ordinal from (${query}) ${row}`)
}

/** A query for the groups of such a table that belong to the page, in order. */
export function groupsOfPage({ dialect }: Emitter, limit: number, name: Sql): Sql {
  return sql`select * from ${name} where ordinal <= ${limit} order by ordinal limit ${dialect.limit(limit)}`
}

/** Whether there are groups behind the page, and the cursor of its last one; `name` is null without groups. */
export function emitGroupsPageInfo(
  emitter: Emitter,
  aggregate: Aggregate,
  groups: Grouping | null,
  name: Sql | null,
  fields: Fields<GroupPageInfoOutput>,
): Sql {
  const { dialect } = emitter
  return emitObject(emitter, fields, ({ kind }) => {
    if (groups === null || name === null) return raw(kind === 'hasNextPage' ? `'false'` : `'null'`)
    if (kind === 'hasNextPage')
      return dialect.booleanJson(sql`exists (select 1 from ${name} where ordinal > ${aggregate.limit})`)
    const row = emitter.alias()
    const cursor = groupCursor(emitter, aggregate, groups, row)
    const last = sql`select ${cursor} from ${name} ${row} where ordinal <= ${aggregate.limit}
      order by ordinal desc limit ${dialect.limit(1)}`
    return sql`coalesce((${last}), 'null')`
  })
}
