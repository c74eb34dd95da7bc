/**
 * Scores of groups as SQL: how far the share of a group exceeds its share of the background. The score is the log-odds
 * ratio with an informative Dirichlet prior, divided by its standard deviation, as in Monroe, Colaresi and Quinn,
 * "Fightin' Words: Lexical Feature Selection and Evaluation for Identifying the Content of Political Conflict",
 * Political Analysis 16(4), 2008.
 */
import { join, raw, type Sql, sql } from '../../sql/sql.ts'
import { emitObject } from '../emit/emit-output.ts'
import type { Emitter } from '../emit/emitter.ts'
import type { Fields } from '../plan/fields.ts'
import type { SignificanceOutput } from '../plan/groups/group-plan.ts'

/** The prior: as if so many records, spread as all are, joined both sides. docs/unusual.md says why. */
const priorRecords = 500

/** What is scored: groups, or words. */
export interface Compared {
  readonly keys: readonly Sql[]
  /** Columns to keep, among them `n`: how many of the records under `where` are in the group. */
  readonly values: readonly Sql[]
  /**
   * Queries for the keys, the values, and `against`, how many records of the background are in the group. Values that are
   * not null come from one of them; the others are added up.
   */
  readonly parts: readonly Sql[]
  /** A query for one row: the number of records under `where` as `total`, and those of the background as `others`. */
  readonly totals: Sql
}

/** Adds the steps to groups of a positive `score`, in thousandths, and returns the name of the last. */
export function scoreSteps(emitter: Emitter, { keys, values, parts, totals: ofTotals }: Compared): Sql {
  const { dialect } = emitter
  const sums = [
    ...values.map((column) => sql`max(${column}) as ${column}`),
    sql`${dialect.sum(raw('against'))} as against`,
  ]
  const compared = emitter.step(sql`select ${join([...keys, ...sums], ', ')}
    from (${join([...parts], ' union all ')}) parts group by ${join([...keys], ', ')}`)
  const totals = emitter.step(ofTotals)
  const prior = dialect.asFloat(raw(String(priorRecords)))
  // Compares exactly first, so that the logarithm is finite: a group of all records exceeds no share.
  const exceeding = sql`select ${compared}.*, total, others,
      ${prior} * (n + against) / (total + others) as prior,
      ${prior} * (total + others - n - against) / (total + others) as other_prior
    from ${compared} cross join ${totals} where n * others > against * total`
  const odds = sql`(n + prior) * (others - against + other_prior) / ((total - n + other_prior) * (against + prior))`
  const score = sql`ln(${odds}) / sqrt(1 / (n + prior) + 1 / (against + prior))`
  const rows = emitter.alias()
  // Engines may differ in the last digits of logarithms, so the score is rounded before groups are ordered.
  const scored = emitter.step(
    sql`select ${rows}.*, cast(floor(1000 * ${score} + 0.5) as bigint) as score from (${exceeding}) ${rows}`,
  )
  return emitter.step(sql`select * from ${scored} where score > 0`)
}

/** The object `significance` of a group. */
export function emitSignificance(emitter: Emitter, fields: Fields<SignificanceOutput>, row: Sql): Sql {
  return emitObject(emitter, fields, ({ kind }) => {
    switch (kind) {
      case 'share':
        return shareOf(sql`${row}.n`, sql`${row}.total`)
      case 'againstCount':
        return sql`${row}.against`
      case 'againstShare':
        return shareOf(sql`${row}.against`, sql`${row}.others`)
      case 'score':
        return decimal(sql`${row}.score`, 3)
    }
  })
}

/** A quotient of counts, rounded to six decimals. */
function shareOf(count: Sql, total: Sql): Sql {
  return decimal(sql`((2000000 * ${count} + ${total}) / (2 * ${total}))`, 6)
}

/** An integer divided by a power of ten, as decimal text: engines print floating-point numbers differently. */
function decimal(value: Sql, digits: number): Sql {
  const unit = raw(String(10 ** digits))
  const fraction = sql`substr(cast((${unit} + ${value} % ${unit}) as text), 2)`
  return sql`rtrim(rtrim(cast((${value} / ${unit}) as text) || '.' || ${fraction}, '0'), '.')`
}
