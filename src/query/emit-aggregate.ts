/**
 * Aggregates as SQL: groups are formed once, with every measure, in a common table expression;
 * counts, order and limit are taken from it. Elements of arrays would multiply rows, so distinct ones
 * are counted in an expression of their own and found by the group's keys.
 */
import { allOf, join, literal, raw, type Sql, sql } from '../sql/sql.ts'
import { groupingSize } from './cost-reading.ts'
import { emitCount } from './emit-counts.ts'
import { createGrouping, type Grouping } from './emit-grouping.ts'
import { emitObject, resolved } from './emit-output.ts'
import { conditionBeside, emitAccessPath } from './emit-access-path.ts'
import type { Emitter, Row } from './emitter.ts'
import type { AggregateOutput, AggregatePlan, Direction, GroupOutput, Selected } from './plan.ts'
import { chooseCountAccessPath } from './access-paths.ts'

/** The aggregate as JSON text. */
export function emitAggregate(emitter: Emitter, plan: AggregatePlan): Sql {
  const kinds = new Set(plan.fields.map(({ output }) => output.kind))
  const groups =
    plan.keys.length > 0 && (kinds.has('groups') || kinds.has('groupCount'))
      ? createGrouping(emitter, plan, plan.keys)
      : null
  const whole = kinds.has('measure') || kinds.has('measures') ? createGrouping(emitter, plan, []) : null
  // Without arrays among the keys every record is in one group, so that the groups add up to the whole.
  const addUp = groups !== null && plan.keys.every(({ leaf }) => leaf.kind !== 'array')
  const counted = emitCount(emitter, plan.table, plan.where)
  const countsRows = kinds.has('count') && counted === null
  if (whole === null && groups?.isKept !== false && !countsRows) emitter.addSavedSize(groupingSize(plan))
  const value = (output: AggregateOutput): Sql => {
    switch (output.kind) {
      case 'constant':
        return literal(output.json)
      case 'count':
        return (
          counted ?? (addUp ? sql`(select coalesce(sum(n), 0) from ${groups.name})` : countAll(emitter, plan))
        )
      case 'groupCount':
        return groups === null ? raw(`'0'`) : sql`(select count(*) from ${groups.name})`
      case 'measure':
        return measureOf(whole, output.measure)
      case 'measures':
        return emitObject(emitter, output.fields, value)
      case 'groups':
        return groups === null || plan.limit === 0
          ? raw(`'[]'`)
          : groupList(emitter, plan, groups, output.fields)
    }
  }
  const body = emitObject(emitter, plan.fields, value)
  const tables = [...(groups?.tables ?? []), ...(whole?.tables ?? [])]
  return tables.length === 0 ? body : sql`(with ${join(tables, ', ')} select ${body})`
}

function measureOf(whole: Grouping | null, measure: number): Sql {
  if (whole === null) throw new Error('No grouping for a measure of the whole.')
  const row = raw('w')
  return sql`(select ${whole.measureJson(measure, row)} from ${whole.name} ${row})`
}

function countAll(emitter: Emitter, { table, where }: AggregatePlan): Sql {
  const row: Row = { kind: 'record', alias: emitter.alias(), table }
  const accessPath = chooseCountAccessPath(emitter, table, where)
  const { from, on } = emitAccessPath(emitter, accessPath, row, where, null)
  return sql`(select count(*) from ${from} where ${allOf([...on, conditionBeside(emitter, accessPath, row, where)])})`
}

function groupList(
  emitter: Emitter,
  plan: AggregatePlan,
  groups: Grouping,
  fields: readonly Selected<GroupOutput>[],
): Sql {
  const { dialect } = emitter
  const row = emitter.alias()
  const value = (output: GroupOutput): Sql => {
    switch (output.kind) {
      case 'constant':
        return literal(output.json)
      case 'count':
        return sql`${row}.n`
      case 'key':
        return groups.keyJson(output.key, row)
      case 'keyResolved':
        return resolved(emitter, groups.uriParts(output.key, row), output.records)
      case 'measure':
        return groups.measureJson(output.measure, row)
      case 'measures':
        return emitObject(emitter, output.fields, value)
    }
  }
  const text = emitObject(emitter, fields, value)
  const ordered = emitter.alias()
  const { columns, joins } = groups.lookedUp(ordered)
  const found = join([sql`${groups.name} ${ordered}`, ...joins], ' ')
  const page = sql`select ${join([sql`${ordered}.*`, ...columns], ', ')} from ${found} where n >= ${plan.minCount}
    order by ${groupOrder(emitter, plan, groups, ordered)} limit ${dialect.limit(plan.limit)}`
  const all = sql`(select ${dialect.joined(text, null)} from (${page}) ${row})`
  return dialect.concat([raw(`'['`), all, raw(`']'`)])
}

/** Keys close every order, so that it is total. */
function groupOrder({ dialect }: Emitter, { keys, order }: AggregatePlan, groups: Grouping, row: Sql): Sql {
  const byKeys = (direction: Direction): Sql[] =>
    keys.map((_, key) => sql`${groups.keyOrder(key, row)} ${dialect.ordering(direction, true)}`)
  if (order.by === 'key') return join(byKeys(order.direction), ', ')
  const isMeasure = order.by === 'measure'
  const first = isMeasure ? groups.measureValues(order.measure, row) : [sql`${row}.n`]
  // A count is never missing, and where counts are kept there may be an index over them.
  const ordered = first.map((value) => sql`${value} ${dialect.ordering(order.direction, isMeasure)}`)
  return join([...ordered, ...byKeys('asc')], ', ')
}
