/**
 * Aggregates as SQL. Groups, with every measure, are formed once in a common table expression, from which counts, order
 * and limit are taken. Elements of arrays would multiply rows, so distinct elements are counted in a separate
 * expression and matched by the keys of the groups. Pairs of the elements of an array are counted apart from groups.
 */
import { allOf, raw, type Sql, sql } from '../../../sql/sql.ts'
import { emitGroupPage, emitGroupsPageInfo, groupsInOrder, groupsOfPage } from '../../outputs/group-pages.ts'
import { havingConditions } from '../../outputs/having.ts'
import { emitPairs } from '../../outputs/pairs.ts'
import { shareOutput } from '../../outputs/shares.ts'
import { emitFilledGroups } from '../../outputs/top.ts'
import { emitUnusualWords } from '../../outputs/unusual-words.ts'
import type { Fields } from '../../plan/fields.ts'
import type { PhysicalAggregate, PhysicalGroupOutput } from '../../plan/physical-plan.ts'
import type { ShareOutput } from '../../plan/plan.ts'
import { emitObject, emitRowsArray } from '../emit-output.ts'
import type { Emitter } from '../emitter.ts'
import { emitRecordCount } from './emit-counts.ts'
import { type Grouping, measureJson } from './emit-group-values.ts'
import { createGrouping } from './emit-grouping.ts'
import { formGroups, groupValue } from './emit-groups.ts'

type Aggregate = PhysicalAggregate['aggregate']

/** The aggregate as JSON text. */
export function emitAggregate(emitter: Emitter, plan: PhysicalAggregate): Sql {
  const { aggregate, count } = plan
  const { all, groups, shared } = formGroups(emitter, plan)
  const whole = plan.whole === null ? null : createGrouping(emitter, aggregate, [], plan.whole)
  const isPaged = plan.fields.some(({ output }) => output.kind === 'groupsPageInfo')
  const page =
    groups !== null && isPaged ? emitGroupPage(emitter, shownGroups(emitter, aggregate, groups)) : null
  return emitObject(emitter, plan.fields, (output) => {
    switch (output.kind) {
      case 'count':
        return emitRecordCount(emitter, count, aggregate.table, all)
      case 'total':
      case 'matching':
      case 'share':
        return shareOfWhole(emitter, shared?.whole ?? null, output.kind)
      case 'groupCount':
        return groups === null ? raw(`'0'`) : sql`(select count(*) from ${groups.name})`
      case 'measure':
        return measureOf(emitter, whole, output.measure)
      case 'measures':
        return emitObject(emitter, output.fields, ({ measure }) => measureOf(emitter, whole, measure))
      case 'pairs':
        return emitPairs(emitter, output)
      case 'unusualWords':
        return emitUnusualWords(emitter, output)
      case 'groups':
        return groups === null || aggregate.limit === 0
          ? raw(`'[]'`)
          : groupList(emitter, aggregate, groups, page, output.fields)
      case 'groupsPageInfo':
        return emitGroupsPageInfo(emitter, aggregate, groups, page, output.fields)
    }
  })
}

function measureOf(emitter: Emitter, whole: Grouping | null, measure: number): Sql {
  if (whole === null) throw new Error('No grouping for a measure of the whole.')
  const row = raw('w')
  return sql`(select ${measureJson(emitter, whole, measure, row)} from ${whole.name} ${row})`
}

function shareOfWhole(emitter: Emitter, whole: Sql | null, kind: ShareOutput): Sql {
  if (whole === null) throw new Error('The plan counts no denominator.')
  const row = raw('w')
  return sql`(select ${shareOutput(emitter, row, kind)} from ${whole} ${row})`
}

function shownGroups(emitter: Emitter, plan: Aggregate, groups: Grouping) {
  const condition = (row: Sql): Sql => allOf(havingConditions(emitter, plan.having, groups, row))
  return { ...plan, groups, condition }
}

function groupList(
  emitter: Emitter,
  plan: Aggregate,
  groups: Grouping,
  page: Sql | null,
  fields: Fields<PhysicalGroupOutput>,
): Sql {
  const pageQuery = (): Sql =>
    page === null
      ? groupsInOrder(emitter, shownGroups(emitter, plan, groups))
      : groupsOfPage(emitter, plan.limit, page)
  if (fields.some(({ output }) => output.kind === 'top' || output.kind === 'nodes'))
    return emitFilledGroups(emitter, plan, groups, fields, pageQuery)
  const row = emitter.alias()
  const query = pageQuery()
  const shown = emitter.dialect.isSpread ? sql`select * from ${emitter.step(query)}` : query
  const text = emitObject(emitter, fields, (output) => {
    if (output.kind === 'top' || output.kind === 'nodes') throw new Error('Nothing lies within these groups.')
    return groupValue(emitter, plan, groups, row, output, sql`(${shown}) ${row}`)
  })
  return emitRowsArray(emitter, shown, row, text)
}
