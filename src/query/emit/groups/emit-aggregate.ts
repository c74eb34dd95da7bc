/**
 * Aggregates as SQL. Groups, with every measure, are formed once in a common table expression, from which counts, order
 * and limit are taken. Elements of arrays would multiply rows, so distinct elements are counted in a separate
 * expression and matched by the keys of the groups.
 */
import { join, raw, type Sql, sql } from '../../../sql/sql.ts'
import { emitCount } from './emit-counts.ts'
import { createGrouping, type Grouping } from './emit-grouping.ts'
import { emitPairs } from './emit-pairs.ts'
import { emitSignificance, significantGroups } from './emit-significance.ts'
import { emitShares, shareJson } from './emit-shares.ts'
import { emitUnusualWords } from './emit-unusual-words.ts'
import { emitArray, emitObject, resolved } from '../emit-output.ts'
import type { Emitter } from '../emitter.ts'
import type {
  PhysicalAggregate,
  PhysicalList,
  PhysicalPairs,
  PhysicalUnusualWords,
} from '../../plan/physical-plan.ts'
import type { Direction, Fields } from '../../plan/fields.ts'
import type { AggregateOutput, GroupOutput } from '../../plan/plan.ts'

type Aggregate = PhysicalAggregate['aggregate']

/** The aggregate as JSON text. */
export function emitAggregate(emitter: Emitter, plan: PhysicalAggregate): Sql {
  const { aggregate, significance, shares } = plan
  const all = plan.groups === null ? null : createGrouping(emitter, aggregate, aggregate.keys, plan.groups)
  const isDivided = shares?.numerator === 'count' && shares.total.count !== null
  const shared =
    shares === null
      ? null
      : emitShares(emitter, aggregate, shares, all, isDivided ? emitCountOf(emitter, plan, all) : null)
  const scored =
    all === null || significance === null ? all : significantGroups(emitter, aggregate, significance, all)
  const groups = shared === null ? scored : shared.groups
  const whole = plan.whole === null ? null : createGrouping(emitter, aggregate, [], plan.whole)
  const value = (output: AggregateOutput<PhysicalList, PhysicalUnusualWords, PhysicalPairs>): Sql => {
    switch (output.kind) {
      case 'count':
        return emitCountOf(emitter, plan, all)
      case 'total':
      case 'share':
        return shareOfWhole(emitter, shared?.whole ?? null, output.kind)
      case 'groupCount':
        return groups === null ? raw(`'0'`) : sql`(select count(*) from ${groups.name})`
      case 'measure':
        return measureOf(whole, output.measure)
      case 'measures':
        return emitObject(emitter, output.fields, ({ measure }) => measureOf(whole, measure))
      case 'pairs':
        return emitPairs(emitter, output.pairs)
      case 'unusualWords':
        return emitUnusualWords(emitter, output.words)
      case 'groups':
        return groups === null || aggregate.limit === 0
          ? raw(`'[]'`)
          : groupList(emitter, aggregate, groups, output.fields)
    }
  }
  const body = emitObject(emitter, plan.fields, value)
  const tables = [...(groups?.tables ?? []), ...(whole?.tables ?? []), ...(shared?.tables ?? [])]
  return tables.length === 0 ? body : sql`(with ${join(tables, ', ')} select ${body})`
}

function measureOf(whole: Grouping | null, measure: number): Sql {
  if (whole === null) throw new Error('No grouping for a measure of the whole.')
  const row = raw('w')
  return sql`(select ${whole.measureJson(measure, row)} from ${whole.name} ${row})`
}

function shareOfWhole(emitter: Emitter, whole: Sql | null, kind: 'total' | 'share'): Sql {
  if (whole === null) throw new Error('The plan counts no denominator.')
  const row = raw('w')
  const value = kind === 'total' ? sql`${row}.total` : shareJson(emitter, row)
  return sql`(select ${value} from ${whole} ${row})`
}

function emitCountOf(
  emitter: Emitter,
  { aggregate, count }: PhysicalAggregate,
  groups: Grouping | null,
): Sql {
  if (count === null) throw new Error('The plan counts nothing.')
  if (count.kind !== 'groups') return emitCount(emitter, count, aggregate.table, null)
  if (groups === null) throw new Error('There are no groups to add up.')
  return sql`(select coalesce(sum(n), 0) from ${groups.name})`
}

function groupList(
  emitter: Emitter,
  plan: Aggregate,
  groups: Grouping,
  fields: Fields<GroupOutput<PhysicalList>>,
): Sql {
  const row = emitter.alias()
  const value = (output: GroupOutput<PhysicalList>): Sql => {
    switch (output.kind) {
      case 'count':
        return sql`${row}.n`
      case 'total':
        return sql`${row}.total`
      case 'share':
        return shareJson(emitter, row)
      case 'key':
        return groups.keyJson(output.key, row)
      case 'keyResolved':
        return resolved(emitter, groups.uriParts(output.key, row), output.records)
      case 'measure':
        return groups.measureJson(output.measure, row)
      case 'significance':
        return emitSignificance(emitter, output.fields, row)
      case 'measures':
        return emitObject(emitter, output.fields, ({ measure }) => groups.measureJson(measure, row))
    }
  }
  const text = emitObject(emitter, fields, value)
  return emitGroups(emitter, plan, groups, text, row, () => sql`n >= ${plan.minCount}`)
}

/** The first groups that meet a condition as a JSON array; `text` prints the group whose alias is `row`. */
export function emitGroups(
  emitter: Emitter,
  plan: Pick<Aggregate, 'keys' | 'order' | 'limit'>,
  groups: Grouping,
  text: Sql,
  row: Sql,
  condition: (row: Sql) => Sql,
): Sql {
  const { dialect } = emitter
  const ordered = emitter.alias()
  const { columns, joins } = groups.lookedUp(ordered)
  const found = join([sql`${groups.name} ${ordered}`, ...joins], ' ')
  const page = sql`select ${join([sql`${ordered}.*`, ...columns], ', ')} from ${found} where ${condition(ordered)}
    order by ${groupOrder(emitter, plan, groups, ordered)} limit ${dialect.limit(plan.limit)}`
  return emitArray(emitter, sql`(select ${dialect.joined(text, null)} from (${page}) ${row})`)
}

/** Every order ends with the keys, so that it is total. */
function groupOrder(
  { dialect }: Emitter,
  { keys, order }: Pick<Aggregate, 'keys' | 'order'>,
  groups: Grouping,
  row: Sql,
): Sql {
  const byKeys = (direction: Direction): Sql[] =>
    keys.map((_, key) => sql`${groups.keyOrder(key, row)} ${dialect.ordering(direction, true)}`)
  if (order.by === 'key') return join(byKeys(order.direction), ', ')
  if (order.by === 'score') return join([sql`${row}.score desc`, sql`${row}.n desc`, ...byKeys('asc')], ', ')
  const isMeasure = order.by === 'measure'
  const first = isMeasure ? groups.measureValues(order.measure, row) : [sql`${row}.n`]
  // A count is never null, and materialized counts may have an index over them.
  const ordered = first.map((value) => sql`${value} ${dialect.ordering(order.direction, isMeasure)}`)
  return join([...ordered, ...byKeys('asc')], ', ')
}
