/** Groups as steps: keys in their stored form, with counts and measures. */
import { raw, type Sql, sql } from '../../../sql/sql.ts'
import {
  emitCountedGroups,
  emitElementGroups,
  emitRangeGroups,
  emitSummedGroups,
  measureName,
} from './emit-counts.ts'
import { createSource, keyColumns, keyNames } from './emit-source.ts'
import {
  emitCountedNames,
  emitCountedRecords,
  emitDistinctElements,
  emitElementMeasures,
  emitRecordsOnce,
  isAside,
  isOnePass,
  type MeasuredRows,
  measureColumns,
  mergeMeasures,
} from './emit-elements.ts'
import type { Grouping } from './emit-group-values.ts'
import type { Emitter, Parent } from '../emitter.ts'
import type { GroupKey } from '../../plan/groups/group-plan.ts'

/** Without keys, all records form one group. `parent`: the row to which linked rows refer. */
export function createGrouping(
  emitter: Emitter,
  given: Omit<MeasuredRows, 'keys' | 'access' | 'parent'>,
  keys: readonly GroupKey[],
  access: MeasuredRows['access'],
  parent: Parent = null,
): Grouping {
  const plan = { ...given, keys, access, parent }
  const { measures } = plan
  const names = keyNames(keys)
  const stored = storedGroups(emitter, plan, names)
  if (stored !== null) {
    const columns = { keys: names, measures: measures.map((_, index) => [measureName(index)]) }
    return { name: stored, keys, measures, columns }
  }
  const source = createSource(emitter, { ...plan, access: emitRecordsOnce(emitter, plan) ?? access })
  const grouped = keyColumns(keys, source.values)
  const ofElements = isOnePass(emitter, plan)
  const own = measures.map((measure, index) =>
    isAside(measure.of.leaf) && !ofElements ? [] : measureColumns(emitter, measure, index, source),
  )
  const count = ofElements && keys.length > 0 ? source.countRecords : sql`count(*)`
  const first = emitter.step(source.grouped(grouped, [{ value: count, name: raw('n') }, ...own.flat()]))
  const aside = [...emitDistinctElements(emitter, plan), ...emitElementMeasures(emitter, plan)]
  const columns = own.map((parts, index) => [
    ...parts.map(({ name }) => name),
    ...aside.flatMap((each) => each.columns.get(index) ?? []),
  ])
  const ownNames = own.flat().map(({ name }) => name)
  const name = mergeMeasures(emitter, names, first, ownNames, aside)
  return { name, keys, measures, columns: { keys: names, measures: columns } }
}

/** Groups that are not formed from rows with their values, or whose rows need no sorting; null if they are. */
function storedGroups(emitter: Emitter, plan: MeasuredRows, names: readonly Sql[]): Sql | null {
  const { access, table, measures } = plan
  const key = plan.keys[0] as GroupKey
  switch (access.kind) {
    case 'counts':
      return emitCountedGroups(emitter, access, key, names)
    case 'joined-counts':
    case 'sums':
      return emitSummedGroups(emitter, access, measures, key, names)
    case 'ranges':
      return emitRangeGroups(emitter, table, access, key, names)
    case 'elements':
      return emitElementGroups(emitter, access, names)
    case 'rows':
    case 'shared': {
      const counted = emitCountedNames(emitter, plan) ?? emitCountedRecords(emitter, plan)
      return counted === null ? null : emitter.step(counted)
    }
  }
}
