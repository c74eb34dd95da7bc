/**
 * Groups through elements of arrays of objects, and measures of elements, as SQL. A record has a row for each of its
 * elements, so that records are made distinct before they are counted; elements are measured in tables of their own.
 */
import { join, raw, type Sql, sql } from '../../../sql/sql.ts'
import type { GroupKey, MeasurePlan } from '../../plan/groups/group-plan.ts'
import { elementsOf, groupedNames, keysOfMeasure, measuresElements } from '../../plan/plan-facts.ts'
import { columnOf, type Emitter } from '../emitter.ts'
import { staged } from '../steps.ts'
import { measureName } from './emit-counts.ts'
import type { FoundRows, Named, RowsOfGroups, SharedRows, Source } from './emit-source.ts'
import { createJoins, createSource, emitSharedRows, groupBy, keyColumns, keyName } from './emit-source.ts'
import { measureExpressions } from '../../outputs/measures.ts'

/** Measures that are computed apart from the records of their groups. */
interface MeasuresAside {
  readonly name: Sql
  /** By the positions of the measures in the plan, the columns of each. */
  readonly columns: ReadonlyMap<number, readonly Sql[]>
}

export type MeasuredRows = RowsOfGroups & { readonly measures: readonly MeasurePlan[] }

/**
 * Whether groups and measures of elements are found in one pass. An engine that groups as fast as it counts sorts rows to
 * count records in them, which takes longer than a second pass.
 */
export function isOnePass({ dialect }: Emitter, { keys, measures }: MeasuredRows): boolean {
  return measuresElements(keys, measures) && (keys.length === 0 || dialect.countRecords !== null)
}

/** The rows in which a record is once for each combination of keys; null if no key leads through elements. */
export function emitRecordsOnce(emitter: Emitter, plan: MeasuredRows): SharedRows | null {
  const { keys, measures } = plan
  if (keys.every((key) => elementsOf(key) === null) || isOnePass(emitter, plan)) return null
  const measured = measures.flatMap(keysOfMeasure).filter(({ leaf }) => !isAside(leaf))
  return emitSharedRows(emitter, allRows(plan), [...keys, ...measured], 'record')
}

/** Groups by names of elements, from the column that has them; null if elements must be read. */
export function emitCountedNames(emitter: Emitter, plan: MeasuredRows): Sql | null {
  const { keys } = plan
  const [key] = keys
  const names = groupedNames(keys, plan)
  if (key === undefined || names === null) return null
  const { joined, select } = createJoins(emitter, allRows(plan))
  const column = columnOf(emitter, joined(key), names)
  return emitter.dialect.countNames(column, keyName(0, 0), (selected) => select([selected]))
}

/**
 * Groups by an array or through elements, without sorting rows; null if something is measured, if rows are shared, or if
 * sorting is as fast. Several keys with an array may have more combinations than a map can hold.
 */
export function emitCountedRecords(emitter: Emitter, plan: MeasuredRows): Sql | null {
  const { keys } = plan
  const { countRecords } = emitter.dialect
  if (countRecords === null || plan.measures.length > 0 || plan.access.kind === 'shared') return null
  const isArray = keys.length === 1 && keys[0]?.leaf.kind === 'array'
  if (!isArray && keys.every((key) => elementsOf(key) === null)) return null
  const { values, id, select, restriction } = createJoins(emitter, plan)
  return countRecords(id, keyColumns(keys, values), (selected) => select([selected], restriction(keys)))
}

/** How many different elements of arrays groups have, one step for each array. */
export function emitDistinctElements(emitter: Emitter, plan: MeasuredRows): readonly MeasuresAside[] {
  return plan.measures.flatMap(({ of }, index) => {
    if (of.leaf.kind !== 'array') return []
    const source = createSource(emitter, plan)
    const grouped = keyColumns(plan.keys, source.values)
    const value = sql`count(distinct ${source.elements(of, 'counted')})`
    const name = measureName(index)
    const step = emitter.step(source.grouped(grouped, [{ value, name }]))
    return [{ name: step, columns: new Map([[index, [name]]]) }]
  })
}

/** The measures of elements: of those with the keys of the group, or else of all elements of its records. */
export function emitElementMeasures(emitter: Emitter, plan: MeasuredRows): readonly MeasuresAside[] {
  const { keys } = plan
  if (isOnePass(emitter, plan)) return []
  const arrays = Map.groupBy(
    plan.measures.entries().filter(([, { of }]) => of.leaf.kind === 'element'),
    ([, { of }]) => elementsOf(of),
  )
  return Array.from(arrays, ([array, measures]): MeasuresAside => {
    const [[, first]] = measures as [[number, MeasurePlan]]
    // Elements of other arrays multiply those that are measured.
    const isMultiplied = keys.some((key) => elementsOf(key) !== null && elementsOf(key) !== array)
    const all = [...keys, ...measures.map(([, { of }]) => of)]
    const rows = isMultiplied ? emitSharedRows(emitter, allRows(plan), all, first.of) : null
    const source = createSource(emitter, { ...plan, access: rows ?? plan.access })
    const grouped = keyColumns(keys, source.values)
    const values = measures.map(
      ([index, measure]) => [index, measureColumns(emitter, measure, index, source)] as const,
    )
    const others = values.flatMap(([, columns]) => columns)
    return {
      name: emitter.step(source.grouped(grouped, others)),
      columns: new Map(values.map(([index, columns]) => [index, columns.map(({ name }) => name)])),
    }
  })
}

/** The columns of a measure; an exact sum may have several. */
export function measureColumns(emitter: Emitter, measure: MeasurePlan, index: number, source: Source) {
  const values = measureExpressions(emitter, measure, source)
  return values.map((value, part): Named => ({ value, name: measureName(index, part) }))
}

/** Whether values are in rows of their own, of which a record may have several. */
export function isAside({ kind }: GroupKey['leaf']): boolean {
  return kind === 'array' || kind === 'element'
}

/** The rows of all groups, also if those of some are asked for. */
function allRows({ table, elements, access, parent }: MeasuredRows): FoundRows {
  return { table, elements, access, parent }
}

/** Adds measures aside by a union: a join matches no missing keys, and would compare all with all. */
export function mergeMeasures(
  emitter: Emitter,
  keys: readonly Sql[],
  first: Sql,
  measures: readonly Sql[],
  given: readonly MeasuresAside[],
): Sql {
  if (given.length === 0) return first
  const aside = given.map((side) => ({ ...side, columns: [...side.columns.values()].flat() }))
  const own = [raw('n'), ...measures]
  // The first part of the union determines the types of columns.
  const none = aside.flatMap((side) =>
    side.columns.map(
      (column) => sql`${staged(emitter, sql`select ${column} from ${side.name} where false`)} as ${column}`,
    ),
  )
  const parts = [
    sql`select ${join([...keys, ...own, ...none], ', ')} from ${first}`,
    ...aside.map((side) => {
      const others = aside.flatMap((other) =>
        other.columns.map((column) => (other === side ? column : sql`null`)),
      )
      return sql`select ${join([...keys, ...own.map(() => sql`null`), ...others], ', ')} from ${side.name}`
    }),
  ]
  const most = [...own, ...aside.flatMap(({ columns }) => columns)].map(
    (column) => sql`max(${column}) as ${column}`,
  )
  return emitter.step(sql`select ${join([...keys, ...most], ', ')}
    from (${join(parts, ' union all ')}) parts ${groupBy(keys)}`)
}
