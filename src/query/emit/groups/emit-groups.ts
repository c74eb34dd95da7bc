/** Groups step by step, from rows to what is printed; groups within groups are formed in the same way. */
import { type Sql, sql } from '../../../sql/sql.ts'
import type { PhysicalAggregate, PhysicalGroupOutput } from '../../plan/physical-plan.ts'
import { emitObject, numberJson, resolved } from '../emit-output.ts'
import type { Emitter } from '../emitter.ts'
import { emitRecordCount } from './emit-counts.ts'
import { createGrouping } from './emit-grouping.ts'
import { type Grouping, keyJson, keyUri, measureJson } from './emit-group-values.ts'
import type { Within } from './emit-source.ts'
import { changeJson, groupsWithChanges } from '../../outputs/changes.ts'
import { filledGroups } from '../../outputs/fill.ts'
import { groupCursor } from '../../outputs/group-order.ts'
import { emitSignificance } from '../../outputs/scores.ts'
import { countShare, emitShares, shareOutput } from '../../outputs/shares.ts'
import { significantGroups } from '../../outputs/significance.ts'

/**
 * `all` groups as they are counted, and `groups` with what all steps added to them, or left of them: null if nothing is
 * grouped; `shared`: null if nothing is divided, or by sums of inner groups. `within`: outer groups, whose keys come first.
 */
export function formGroups(emitter: Emitter, plan: PhysicalAggregate, within?: Within) {
  const { significance, shares, count } = plan
  const aggregate = within === undefined ? plan.aggregate : { ...plan.aggregate, within }
  const formed = plan.groups === null ? null : createGrouping(emitter, aggregate, aggregate.keys, plan.groups)
  const all = formed === null ? null : filledGroups(emitter, aggregate.fill, formed)
  const shared = shares === null ? null : emitShares(emitter, aggregate, shares, all, count)
  const scored =
    all === null || significance === null ? all : significantGroups(emitter, aggregate, significance, all)
  const found = shared === null ? scored : shared.groups
  const isDivided = within === undefined && plan.fields.some(({ output }) => hasCountShares(output))
  const groups = isDivided && found !== null ? withCountShares(emitter, plan, found, all) : found
  return { all, groups: groups && groupsWithChanges(emitter, aggregate.changes, groups), shared }
}

function hasCountShares(output: PhysicalAggregate['fields'][number]['output']): boolean {
  return output.kind === 'groups' && output.fields.some((field) => field.output.kind === 'countShare')
}

/** The groups with a column for `countShare`. `all`: as they are counted. */
function withCountShares(
  emitter: Emitter,
  { aggregate, count }: PhysicalAggregate,
  groups: Grouping,
  all: Grouping | null,
): Grouping {
  const row = emitter.alias()
  const divided = countShare(emitter, row, emitRecordCount(emitter, count, aggregate.table, all))
  return { ...groups, name: emitter.step(sql`select ${row}.*, ${divided} from ${groups.name} ${row}`) }
}

/** An output of the group whose alias is `row`, besides what lies within it. */
export function groupValue(
  emitter: Emitter,
  plan: PhysicalAggregate['aggregate'],
  groups: Grouping,
  row: Sql,
  output: Exclude<PhysicalGroupOutput, { kind: 'top' | 'nodes' }>,
  from?: Sql,
): Sql {
  switch (output.kind) {
    case 'count':
      return sql`${row}.n`
    case 'total':
    case 'matching':
    case 'share':
      return shareOutput(emitter, row, output.kind)
    case 'cursor':
      return groupCursor(emitter, plan, groups, row)
    case 'key':
      return keyJson(emitter, groups, output.key, row)
    case 'keyResolved':
      return resolved(emitter, { ...keyUri(emitter, groups, output.key, row), from }, output.records)
    case 'measure':
      return measureJson(emitter, groups, output.measure, row)
    case 'countShare':
      return numberJson(emitter, sql`${row}.count_share`)
    case 'change':
      return changeJson(emitter, output.change, row)
    case 'significance':
      return emitSignificance(emitter, output.fields, row)
    case 'measures':
      return emitObject(emitter, output.fields, ({ measure }) => measureJson(emitter, groups, measure, row))
  }
}
