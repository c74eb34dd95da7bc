/**
 * Removes redundant bounds on one operand. An index is entered at one bound and left at one, and an engine uses the
 * first bound it is given: with a second, looser bound it may read all records between the two.
 */
import type { ColumnValue } from '../../database/database.ts'
import type { SortKey } from './plan.ts'
import type { Condition, Operand, ReferringCount } from './conditions.ts'

type Comparing = Extract<Condition, { kind: 'compare' }>

const never: Condition = { kind: 'any', of: [] }
const lower: ReadonlySet<string> = new Set(['gt', 'gte'])
const upper: ReadonlySet<string> = new Set(['lt', 'lte'])

/** Keeps one equality, or one bound on each side, for each operand of conditions that must all hold. */
export function tightest(parts: readonly Condition[]): readonly Condition[] {
  const groups = Map.groupBy(parts.filter(isComparing), ({ operand }) => nameOf(operand))
  const settled = new Map([...groups.values()].flatMap(settle))
  return parts.flatMap((part) => (isComparing(part) ? (settled.get(part) ?? []) : part))
}

/** The conditions that the start of a page does not imply, and whether the start lies within the conditions. */
export function beyondStart(
  parts: readonly Condition[],
  key: SortKey | undefined,
  start: ColumnValue,
): { readonly parts: readonly Condition[]; readonly isWithin: boolean } {
  if (key === undefined || start === null) return { parts, isWithin: true }
  const same = parts.filter(
    (part): part is Comparing =>
      isBoundOn(part, key) && (key.direction === 'asc' ? lower : upper).has(part.op),
  )
  const implied = same.filter((part) => allows(part, start))
  return {
    parts: parts.filter((part) => !implied.includes(part as Comparing)),
    isWithin: implied.length === same.length,
  }
}

/** Each condition of a group that stays, with its replacement. */
function settle(group: readonly Comparing[]): readonly (readonly [part: Condition, instead: Condition])[] {
  const [equal, ...others] = group.filter(({ op }) => op === 'eq')
  if (equal !== undefined) {
    const isPossible =
      others.every(({ to }) => compare(to, equal.to) === 0) && group.every((part) => allows(part, equal.to))
    return [[equal, isPossible ? equal : never]]
  }
  return [lower, upper].flatMap((side) => {
    const [first, ...more] = group.filter(({ op }) => side.has(op))
    if (first === undefined) return []
    const best = more.reduce((one, other) => (isTighter(other, one) ? other : one), first)
    return [[best, best] as const]
  })
}

function isTighter(one: Comparing, other: Comparing): boolean {
  const order = compare(one.to, other.to)
  if (order === 0) return one.op === 'gt' || one.op === 'lt'
  return lower.has(one.op) ? order > 0 : order < 0
}

function allows({ op, to }: Comparing, value: ColumnValue): boolean {
  const order = compare(value, to)
  return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0, eq: true, ne: true }[op]
}

/** `ne` is not a bound, so it cannot make another condition redundant. */
function isComparing(part: Condition): part is Comparing {
  return part.kind === 'compare' && part.op !== 'ne'
}

export function isBoundOn(part: Condition, { value }: SortKey): part is Comparing {
  if (!isComparing(part)) return false
  const { operand } = part
  if (value.kind === 'column') return operand.kind === 'column' && operand.column === value.column
  return value.kind === 'system' && operand.kind === 'system' && operand.name === value.name
}

function nameOf(operand: Operand | ReferringCount): string {
  switch (operand.kind) {
    case 'column':
      return `column ${operand.column.name}`
    case 'json':
      return `json ${operand.as} ${JSON.stringify(operand.path)}`
    case 'system':
      return `system ${operand.name}`
    case 'count': {
      const { table, link } = operand
      return `count ${table.name} ${link.kind === 'columns' ? link.base.name : link.array.name}`
    }
  }
}

/** Compares two values of one operand; texts compare by code point, as everywhere. */
function compare(one: ColumnValue, other: ColumnValue): number {
  if (one === other) return 0
  if (typeof one === 'string' && typeof other === 'string')
    return Buffer.compare(Buffer.from(one), Buffer.from(other))
  return (one as number | bigint) < (other as number | bigint) ? -1 : 1
}
