/** Measures as SQL: the columns in which groups have them. */
import { raw, type Sql, sql } from '../../../sql/sql.ts'
import type { MeasurePlan } from '../../plan/groups/group-plan.ts'
import { type Emitter, uriText } from '../emitter.ts'
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
