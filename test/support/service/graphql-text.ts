/** Writes values and arguments as GraphQL text, the way a person would. */
import type { FacetArguments } from '../../reference/groups/facets.ts'
import type { Measured } from '../../reference/groups/measures.ts'
import type { AggregateArguments } from '../../reference/reference.ts'
import type { SortField } from '../../reference/order.ts'
import type { Json } from '../../reference/shapes.ts'

/** A literal without enum values: conditions, strings, numbers, lists. */
export function literal(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, inner]) => `${key}: ${literal(inner)}`)
    .join(', ')}}`
}

export function sortLiteral(sortBy: readonly SortField[]): string {
  const parts = sortBy.map(
    ({ field, direction, nulls }) =>
      `{field: ${field}${direction === undefined ? '' : `, direction: ${direction}`}${nulls === undefined ? '' : `, nulls: ${nulls}`}}`,
  )
  return `[${parts.join(', ')}]`
}

/** `(a: 1, b: 2)`, or nothing when there are none. */
export function argumentList(given: Readonly<Record<string, string | undefined>>): string {
  const parts = Object.entries(given).flatMap(([name, text]) =>
    text === undefined ? [] : [`${name}: ${text}`],
  )
  return parts.length === 0 ? '' : `(${parts.join(', ')})`
}

export function facetArguments({ fields, limit, ignoreOwn }: FacetArguments): string {
  return argumentList({
    fields: `[${fields.join(', ')}]`,
    limit: limit?.toString(),
    ignoreOwn: ignoreOwn?.toString(),
  })
}

/** The input object that names a value of groups. */
export function measuredLiteral(asked: Measured): string {
  return `{${measured(asked)}}`
}

function measured(asked: Measured): string {
  const field = 'field' in asked ? `, field: ${asked.field}` : ''
  const times = 'from' in asked ? `, from: ${asked.from}, to: ${asked.to}` : ''
  return `measure: ${asked.measure}${field}${times}${'p' in asked ? `, p: ${asked.p}` : ''}`
}

/** `after`: the cursor behind which the groups begin. */
export function aggregateArguments(given: AggregateArguments, after?: string): string {
  const rank = given.rankBy
  return argumentList({
    where: given.where && literal(given.where),
    timeZone: given.timeZone && JSON.stringify(given.timeZone),
    weekStart: given.weekStart,
    fill: given.fill?.toString(),
    groupBy: given.groupBy && `[${given.groupBy.join(', ')}]`,
    interval: given.interval?.toString(),
    orderBy: given.orderBy,
    rankBy: rank && `{${measured(rank)}, direction: ${rank.direction}, nulls: ${rank.nulls ?? null}}`,
    having:
      given.having &&
      `[${given.having.map((one) => `{${measured(one)}, operator: ${one.operator}, value: ${literal(one.value)}}`).join(', ')}]`,
    denominator: given.denominator && literal(given.denominator),
    numerator: given.numerator && literal(given.numerator),
    significant: given.significant && literal(given.significant),
    limit: given.limit?.toString(),
    after: after && literal(after),
  })
}
