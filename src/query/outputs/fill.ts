/** `fill` of an aggregate: groups without records, of the time buckets between the bounds of a `where` or of the denominator. */
import { bucketsBetween } from '../../sql/buckets-between.ts'
import { join, raw, type Sql, sql } from '../../sql/sql.ts'
import { inMicros, type TimeBucket } from '../../sql/time-buckets.ts'
import type { Emitter } from '../emit/emitter.ts'
import type { Grouping } from '../emit/groups/emit-group-values.ts'
import { groupBy } from '../emit/groups/emit-source.ts'
import { limits } from '../parse/limits.ts'
import { badInput } from '../parse/prepare.ts'
import type { Condition } from '../plan/conditions.ts'
import type { FillPlan, GroupKey, SharePlan } from '../plan/groups/group-plan.ts'
import { conjuncts } from '../plan/plan-facts.ts'

interface Filled {
  readonly keys: readonly GroupKey[]
  readonly names: readonly string[]
  /** Those of the records and of the denominator, without what no record meets. */
  readonly where: Condition
  readonly denominator: Condition | undefined
  readonly share: SharePlan | null
}

type Comparing = Extract<Condition, { kind: 'compare' }>

const second = 1_000_000n

export function buildFill(given: Readonly<Record<string, unknown>>, filled: Filled): FillPlan | null {
  if (given.fill !== true) return null
  const { keys, names, where, denominator, share } = filled
  const [key, ...others] = keys
  if (key === undefined || others.length > 0)
    throw badInput(
      '`fill` adds groups of one field: write one in `groupBy`, such as `groupBy: [indexedAt_day]`.',
    )
  if (given.significant !== undefined && given.significant !== null)
    throw badInput(
      '`significant` and `fill` exclude each other: no group without records is unusual. Leave one out.',
    )
  const { bucket } = key
  if (bucket === null || bucket.unit === 'hourOfDay' || bucket.unit === 'weekday') {
    if (share !== null && share.denominator !== 'count') return { kind: 'denominator' }
    throw badInput(
      '`fill` needs a time bucket in `groupBy`, such as `indexedAt_day`, or a `denominator`, whose groups it adds. Write one of them, or leave `fill` out.',
    )
  }
  const { unit } = bucket
  const own = boundsOf(where, key)
  const other = denominator === undefined ? own : boundsOf(denominator, key)
  const isBound = own.first !== null && own.last !== null
  const { first, last } = isBound ? own : other
  const field = (names[0] ?? '').slice(0, -unit.length - 1)
  if (first === null || last === null) {
    const [missing, operator] = first === null ? ['first', 'gte'] : ['last', 'lt']
    throw badInput(
      `\`fill\` needs both bounds of ${field} in \`where\`: the ${missing} moment is missing. Write such a condition at the top of \`where\`, with \`${operator}\`.`,
    )
  }
  const buckets =
    first > last ? [] : bucketsBetween({ ...bucket, unit }, floor(first), floor(last), limits.filledGroups)
  if (buckets === null)
    throw badInput(
      `\`fill\` adds at most ${limits.filledGroups} groups, and there are more ${unit}s between the bounds of ${field}. Write nearer bounds, or group by a longer time.`,
    )
  return {
    kind: 'buckets',
    bucket: { ...bucket, unit } as TimeBucket,
    seconds: buckets,
    mayExceed: !isBound,
  }
}

/** The first and the last microsecond that conditions on the key, which must hold, allow; null without a bound. */
function boundsOf(where: Condition, key: GroupKey) {
  let first: bigint | null = null
  let last: bigint | null = null
  for (const { op, to } of comparisonsWith(key, where)) {
    if (typeof to !== 'bigint') continue
    const [from, upTo] = [op === 'gt' ? to + 1n : to, op === 'lt' ? to - 1n : to]
    if ((op === 'gt' || op === 'gte' || op === 'eq') && (first === null || from > first)) first = from
    if ((op === 'lt' || op === 'lte' || op === 'eq') && (last === null || upTo < last)) last = upTo
  }
  return { first, last }
}

function comparisonsWith(key: GroupKey, where: Condition): readonly Comparing[] {
  const [join, ...joins] = key.joins
  return conjuncts(where).flatMap((part): readonly Comparing[] => {
    if (part.kind === 'compare') return join === undefined && isOf(part.operand, key) ? [part] : []
    if (part.kind !== 'target' || part.of.kind !== 'columns' || part.of.base.name !== join?.base.name)
      return []
    return comparisonsWith({ ...key, joins }, part.where)
  })
}

function isOf(operand: Comparing['operand'], { leaf }: GroupKey): boolean {
  if (operand.kind === 'column') return leaf.kind === 'column' && operand.column.name === leaf.column.name
  return operand.kind === 'system' && leaf.kind === 'system' && operand.name === leaf.name
}

function floor(micros: bigint): number {
  const rest = ((micros % second) + second) % second
  return Number((micros - rest) / second)
}

/** The groups of one time bucket, and those of all given buckets. */
export function filledGroups(
  { alias, step, dialect }: Emitter,
  fill: FillPlan | null,
  groups: Grouping,
): Grouping {
  if (fill === null || fill.kind !== 'buckets' || fill.seconds.length === 0) return groups
  const { keys } = groups.columns
  const measures = groups.columns.measures.flat()
  const row = alias()
  const own = [raw('n'), ...measures]
  const start = sql`${row}.value`
  // Hours are given by their first moments, which are their keys; other buckets by local days.
  const key = fill.bucket.unit === 'hour' ? start : dialect.bucketKey(start, { ...fill.bucket, zone: null })
  const starts = dialect.integers(fill.seconds.map(inMicros), row)
  const parts: Sql[] = [
    sql`select ${join([...keys, ...own], ', ')} from ${groups.name}`,
    sql`select ${join([key, raw('0'), ...measures.map(() => raw('null'))], ', ')} from ${starts}`,
  ]
  const columns = [...keys, ...own.map((column) => sql`max(${column}) as ${column}`)]
  const name = step(sql`select ${join(columns, ', ')}
    from (${join(parts, ' union all ')}) parts ${groupBy(keys)}`)
  return { ...groups, name }
}

export function describeFill(fill: FillPlan): string {
  return fill.kind === 'buckets'
    ? `and those without records of ${fill.seconds.length} buckets`
    : 'and those that only the denominator has'
}
