/**
 * Side counts of a search or an aggregate, in the same operation: of records that a condition on the main time of the
 * collection excludes because they have no time, and of matches that need other texts than the title.
 */
import { printField, type Selection } from '../../ask/graphql-text.ts'
import { isObject, type Json } from '../../util/is-object.ts'
import { cutPlain } from './plain-text.ts'
import type { Subject } from '../../ask/collections.ts'
import { buildWhere, type FilterContext, type Narrowing } from '../../ask/filters.ts'
import { parsePath, type SchemaContext } from '../../ask/paths.ts'
import { readSearch } from '../../ask/search.ts'
import { allOf, type Where } from '../../ask/where.ts'

/** Tokens of an answer that has room for advice. */
const leastForMore = 400

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

export function mayLackTime({ collection, time }: Subject): boolean {
  return collection.type.fields.some(({ name, mayMiss }) => name === time && mayMiss)
}

/** The records to compare with have a time too, if others are left out of those compared, unless `unusual` is about it. */
export function withTime(
  against: Where,
  { unusual, ...args }: Narrowing & { readonly unusual?: Json },
  subject: Subject,
  context: SchemaContext,
): Where {
  const isKept = Object.keys(unusual ?? {}).some((text) => isMainTime(text, subject, context))
  return isKept || !mayLackTime(subject) || besidesTime(args, subject, context) === null
    ? against
    : allOf([against, { [subject.time]: { isNull: false } }])
}

/**
 * Counts the records that meet all conditions but have no time, and the matches whose title alone has what is looked for
 * in several texts; empty if that is known to be none, or all.
 */
export async function selectSideCounts(
  args: Narrowing,
  subject: Subject,
  context: FilterContext,
): Promise<Selection> {
  const count = async (name: string, search: string | undefined, given: Narrowing, condition: Where) => {
    const where = allOf([(await buildWhere(subject, given, context)) ?? {}, condition])
    const list = printField(`${subject.collection.rootField}Aggregate`, { search, where })
    return { [`${name}: ${list}`]: { count: {} } }
  }
  const words = readSearch(subject, args.search)
  const others = mayLackTime(subject) ? besidesTime(args, subject, context) : null
  const title = titleCondition(args, subject)
  // A title that matches makes its record match, unless the search excludes words of other texts.
  const isImplied = title?.matches !== undefined && words?.isExcluding === false
  return {
    ...(others && (await count('undated', words?.text, others, { [subject.time]: { isNull: true } }))),
    ...(title &&
      (await count('titled', isImplied ? undefined : words?.text, args, { [titleOf(subject)]: title }))),
  }
}

/** That the title has what is looked for in several texts; null if nothing is. */
function titleCondition({ search, text }: Narrowing, subject: Subject): Where | null {
  const isOneOf = (fields: readonly { readonly name: string }[]) =>
    fields.length > 1 && fields.some(({ name }) => name === titleOf(subject))
  const words = readSearch(subject, search)
  const condition = {
    ...(words?.isOfAnyText && isOneOf(subject.collection.searchFields) && { matches: words.text }),
    ...(text?.trim() && isOneOf(subject.texts) && { contains: text.trim() }),
  }
  return Object.keys(condition).length === 0 ? null : condition
}

function titleOf({ display }: Subject): string {
  return display?.name ?? ''
}

/** What the counts say of an answer of `total` records, where that is known. */
export function sideCountsHint(
  { undated, titled }: Json,
  total: number | undefined,
  args: Narrowing,
  subject: Subject,
  { budget }: { readonly budget: number },
): string {
  const [left = 0, alike = total] = [undated, titled].map(
    (count) => (count as { count?: number } | undefined)?.count,
  )
  const others = (total ?? 0) - (alike ?? 0)
  const [title, searched] = [titleOf(subject), args.search ? subject.collection.searchFields : subject.texts]
  const names = searched.flatMap(({ name }) => (name === title ? [] : name)).slice(0, 5)
  const alone = cutPlain(JSON.stringify({ [title]: titleCondition(args, subject) }), 200)
  const more = ` (${names.join(', ')}); for ${title} alone write filters ${alone}`
  return [
    left === 0
      ? ''
      : left === 1
        ? `1 record that meets all other conditions has no ${subject.time} and is left out.`
        : `${left} records that meet all other conditions have no ${subject.time} and are left out.`,
    others <= 0
      ? ''
      : `${alike} match in ${title}, ${others} in other texts alone${budget < leastForMore ? '' : more}.`,
  ]
    .join(' ')
    .trim()
}
