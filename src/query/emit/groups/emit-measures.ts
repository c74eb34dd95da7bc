/** Measures of groups as SQL: the columns that a grouping computes, and their values as JSON text. */
import { raw, type Sql, sql } from '../../../sql/sql.ts'
import { measures } from '../../../schema/model/measures.ts'
import { isInstant } from '../../plan/plan-facts.ts'
import type { MeasurePlan } from '../../plan/groups/group-plan.ts'
import { type Emitter, uriText } from '../emitter.ts'
import { numberJson } from '../emit-output.ts'
import type { Source } from './emit-source.ts'

/** Columns of a measure; an exact sum may have several. */
export function measureExpressions(
  emitter: Emitter,
  { measure, of, ranks, isWide }: MeasurePlan,
  source: Source,
): readonly Sql[] {
  const { dialect } = emitter
  const [value, key] = source.values(of) as readonly [Sql, Sql?]
  switch (measure) {
    case 'avg':
      // Computed from the exact sum, because the engine's own mean adds floating-point numbers.
      return [dialect.mean(dialect.exactSum(value, isWide), sql`count(${value})`)]
    case 'sum':
      return dialect.exactSum(value, isWide)
    case 'min':
    case 'max':
      return [sql`${raw(measure)}(${value})`]
    case 'countDistinct':
      return [sql`count(distinct ${key === undefined ? value : uriText(value, key)})`]
    case 'median':
      return [dialect.ordered.median(value)]
    case 'percentile':
      return [dialect.ordered.percentiles(value, ranks)]
    case 'stddev':
      return [dialect.stddev(value, isWide)]
  }
}

/** Expressions that sort like a measure, from its columns. */
export function measureOrder(
  { dialect }: Emitter,
  { measure }: MeasurePlan,
  columns: readonly Sql[],
): readonly Sql[] {
  return measure === 'percentile' ? [dialect.ordered.percentileAt(columns[0] as Sql, 0)] : columns
}

/** A measure from its columns. */
export function measureJson(emitter: Emitter, { measure, of }: MeasurePlan, values: readonly Sql[]): Sql {
  const { dialect } = emitter
  const value = values[0] as Sql
  switch (measures[measure].result) {
    case 'sum':
      return dialect.toJson(dialect.checkedSum(values))
    case 'value':
      return dialect.toJson(isInstant(of.leaf) ? dialect.instantText(value) : value)
    case 'integer':
      return value
    case 'ranks':
      return dialect.ordered.percentilesJson(value)
    case 'double':
      return numberJson(emitter, value)
  }
}
