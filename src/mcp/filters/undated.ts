/**
 * Conditions on the main time of a collection, and the records that they exclude because they have no time. A search or
 * an aggregate counts these in the same operation.
 */
import { EndpointError } from '../../endpoint/endpoint.ts'
import { isObject } from '../../util/is-object.ts'
import { printField, printSelection, type Selection } from '../graphql/graphql-text.ts'
import type { Json } from '../tools/tool.ts'
import type { Subject } from '../words/collections.ts'
import { buildWhere, type FilterContext, type Narrowing } from './filters.ts'
import { parsePath, type SchemaContext } from './paths.ts'
import { readSearch } from './search.ts'
import { allOf } from './where.ts'

/** The other conditions; null if none is on the main time. Whether a time is there is not a condition on it. */
export function besidesTime(
  { filters, since, until, ...others }: Narrowing,
  subject: Subject,
  context: SchemaContext,
): Narrowing | null {
  const all = isObject(filters) ? Object.entries(filters) : []
  const kept = all.filter(([text, value]) => asksForPresence(value) || !isMainTime(text, subject, context))
  if (since === undefined && until === undefined && kept.length === all.length) return null
  return { ...others, filters: Object.fromEntries(kept) }
}

function isMainTime(text: string, { collection, time }: Subject, context: SchemaContext): boolean {
  const { steps, end } = parsePath(text, collection, context)
  return steps.length === 0 && (end.kind === 'property' || end.kind === 'system') && end.field.name === time
}

function asksForPresence(value: unknown): boolean {
  if (!isObject(value)) return value === null
  return Object.entries(value).every(([name, inside]) => name === 'isNull' || inside === null)
}

/** Whether records may lack the main time. */
export function mayLackTime({ collection, time }: Subject): boolean {
  return collection.type.fields.some(({ name, mayMiss }) => name === time && mayMiss)
}

/** Counts the records that meet all conditions but have no time; empty if that is known to be none. */
export async function selectUndated(
  args: Narrowing,
  subject: Subject,
  context: FilterContext,
): Promise<Selection> {
  const others = mayLackTime(subject) ? besidesTime(args, subject, context) : null
  if (others === null) return {}
  const where = await buildWhere(subject, others, context)
  const list = printField(`${subject.collection.rootField}Aggregate`, {
    search: readSearch(subject, args.search)?.text,
    where: allOf([where ?? {}, { [subject.time]: { isNull: true } }]),
  })
  return { [`undated: ${list}`]: { count: {} } }
}

/** Null unless some are excluded. */
export function undatedHint({ undated }: Json, { time }: Subject): string | null {
  const { count } = (undated ?? { count: 0 }) as { readonly count: number }
  if (count === 0) return null
  return count === 1
    ? `1 record that meets all other conditions has no ${time} and is left out.`
    : `${count} records that meet all other conditions have no ${time} and are left out.`
}

/** Asks for both, or, if that costs more points than the caller has for one operation, for the first alone. */
export async function askWith<Answer>(
  ask: (query: string) => Promise<Answer>,
  wanted: Selection,
  optional: Selection,
): Promise<Answer> {
  try {
    return await ask(printSelection({ ...wanted, ...optional }))
  } catch (error) {
    const isTooMuch = error instanceof EndpointError && error.code === 'QUERY_TOO_COMPLEX'
    if (!isTooMuch || Object.keys(optional).length === 0) throw error
    return ask(printSelection(wanted))
  }
}
