/** Says of filters that no record meets why that is, and names what exists. */
import { isUrl } from '../../schema/model/where-operators.ts'
import { measureFields } from '../../schema/model/operators.ts'
import { leafPath } from '../../schema/model/leaves.ts'
import { nearest } from '../../util/text/nearest.ts'
import { buildWhere } from '../../ask/filters.ts'
import { findGroupAtEnd, type Group } from '../../ask/groups.ts'
import { elementOf, holderAfter, parsePath, type Path } from '../../ask/paths.ts'
import { EnumValue, leaves, printField } from '../../ask/graphql-text.ts'
import type { Where } from '../../ask/where.ts'
import { didYouMean } from '../../ask/ask-error.ts'
import { isObject, type Json } from '../../util/is-object.ts'
import type { Counted } from '../tools/describe/describe-parts.ts'
import type { Toolbox } from '../tools/toolbox.ts'
import type { Subject } from '../../ask/collections.ts'
import { besidesTime } from './side-counts.ts'
import { dayOf } from './days.ts'
import { cutText, quoted } from './plain-text.ts'

/** How many filters of a call, and values of a filter, are checked. */
const mostFilters = 4
const mostSought = 4
/** How many values of the index are read, and shown. */
const mostRead = 50
const mostShown = 25

/** Why no record meets one of the filters; or else what each of them finds. Those on the main time are not looked at. */
export async function whyNoValue(
  given: unknown,
  subject: Subject,
  toolbox: Toolbox,
): Promise<{ readonly unmet?: string | null; readonly met?: string }> {
  const filters = besidesTime({ filters: given }, subject, toolbox)?.filters ?? given
  if (!isObject(filters)) return {}
  const each = Object.entries(filters).slice(0, mostFilters)
  const counts = await countFilters(each, subject, toolbox)
  const [text, value] = each[counts.indexOf(0)] ?? []
  if (text !== undefined) return { unmet: await whyNoneMeets(text, value, subject, toolbox) }
  if (each.length < 2) return {}
  const met = each.map(([name], at) => `${name} ${counts[at]}`).join(', ')
  return { met: `Each filter is met, but not all by one ${subject.label}: ${met}.` }
}

async function whyNoneMeets(
  text: string,
  value: unknown,
  subject: Subject,
  toolbox: Toolbox,
): Promise<string | null> {
  const path = parsePath(text, subject.collection, toolbox)
  const { steps, end } = path
  const reverse = steps.findIndex(({ kind }) => kind === 'reverse')
  const referring = text
    .split('.')
    .slice(0, reverse + 1)
    .join('.')
  const present: [string, unknown] = [text, end.kind === 'records' ? 'some' : { ne: null }]
  const isOperator = end.kind === 'operator'
  const [there, referred] = await countFilters(
    [...(isOperator ? [] : [present]), ...(reverse === -1 ? [] : [[referring, 'some'] as const])],
    subject,
    toolbox,
  )
  if ((isOperator ? there : referred) === 0 || (end.kind === 'records' && there === 0))
    return `No ${subject.label} has any ${referring}: no record refers to one so.`
  if (there === 0) return `No record has ${text}.`
  if (value === null || value === 'none') return `Every ${subject.label} has ${text}.`
  const values = valuesIn(value)
  if (end.kind === 'property' && isWhole(path) && values.length > 0)
    return whyNone(path, values, end.field.constraints.values, toolbox)
  return (
    (await rangeOf(path, toolbox)) ??
    `No ${subject.label} has ${cutText(JSON.stringify(value), 80)} in ${text}, and ${there} have another value.`
  )
}

/** The first and the last time or number of a field; null if it has no order. */
async function rangeOf({ steps, end, text, from }: Path, toolbox: Toolbox): Promise<string | null> {
  if (end.kind === 'records') return null
  const holder = holderAfter(steps, from)
  const { name } = end.field
  const field = measureFields(holder).find(({ leaf }) => leafPath(leaf).join('.') === name)
  if (field === undefined) return null
  const root = `${holder.rootField}Aggregate`
  const data = await toolbox.ask({ [root]: { min: leaves(field.name), max: leaves(field.name) } })
  const { min, max } = data[root] as { readonly min: Json; readonly max: Json }
  const [from_, to] = [min, max].map(({ [field.name]: value }) =>
    typeof value === 'number' ? value : dayOf(value),
  )
  return `No record has that in ${text}: it goes from ${from_} to ${to}.`
}

async function countFilters(
  filters: readonly (readonly [text: string, value: unknown])[],
  subject: Subject,
  toolbox: Toolbox,
): Promise<readonly number[]> {
  const wheres = await Array.fromAsync(filters, async ([text, value]) => ({
    where: await buildWhere(subject, { filters: { [text]: value } }, toolbox),
  }))
  return countAll(wheres, subject, toolbox)
}

/** `values` are compared whole, and no record has any of them. */
async function whyNone(
  path: Path,
  values: readonly string[],
  listed: readonly string[],
  toolbox: Toolbox,
): Promise<string | null> {
  const [wrong = ''] = values
  const { holder, group } = findGroupAtEnd(path, '', toolbox)
  if (group === null)
    return `No record has ${quoted(wrong, 60)} in ${path.text}.${didYouMean(similar(wrong, listed))}${listed.length === 0 ? '' : ` Known: ${list(listed)}.`}`
  const known = await valuesInIndex(holder.rootField, group, toolbox)
  const said = `No record has ${quoted(wrong, 60)} in ${path.text}.`
  const near = similar(wrong, known.values)
  if (known.others === 0) return `${said}${didYouMean(near)} There are: ${list(known.values)}.`
  const frequent = known.repeat
    ? ` The most frequent of ${known.values.length + known.others}: ${list(known.values, 0)}.`
    : ''
  if (values.length > mostSought) return `No record has any of these values in ${path.text}.${frequent}`
  const cases = casesOf(wrong)
  const of = toolbox.catalogue.of(holder.nsid)
  const filters = cases.map((value) => [group.text, value] as const)
  const counts = await countFilters(filters, of, toolbox)
  const written = cases.find((_, at) => counts[at] !== 0) ?? near
  return `${said}${didYouMean(written)}${frequent}`
}

function similar(wrong: string, known: readonly string[]): string | null {
  const folded = wrong.toLowerCase()
  return nearest(wrong, known) ?? known.find((value) => value.toLowerCase().includes(folded)) ?? null
}

/** Other ways to write a value in capitals and small letters. */
function casesOf(value: string): string[] {
  const lower = value.toLowerCase()
  const cases = [value.toUpperCase(), lower, `${lower.slice(0, 1).toUpperCase()}${lower.slice(1)}`]
  return [...new Set(cases)].filter((one) => one !== value)
}

/** The first values, and how many others there are. */
function list(values: readonly string[], others = Math.max(0, values.length - mostShown)): string {
  const shown = values
    .slice(0, mostShown)
    .map((value) => (/^[\p{L}\p{N} ._-]{1,40}$/u.test(value) ? value : quoted(value, 40)))
  return `${shown.join(', ')}${others === 0 ? '' : ` and ${others} more, which describe lists`}`
}

/** Values that are compared whole and may be misspelled; of free text a part is enough, and URLs hardly repeat. */
function isWhole({ end }: Path): boolean {
  if (end.kind !== 'property') return false
  const { type } = end.field
  const element = elementOf(type)
  return element.kind === 'string' && (type.kind === 'array' || !element.freeText) && !isUrl(element)
}

function valuesIn(given: unknown): string[] {
  if (typeof given === 'string') return [given]
  if (Array.isArray(given)) return given.flatMap(valuesIn)
  if (typeof given !== 'object' || given === null) return []
  const { eq, in: listed, has, hasAny, hasAll } = given as Json
  return [eq, listed, has, hasAny, hasAll].flatMap(valuesIn)
}

/** Values of a field, the most frequent first. `repeat`: true if some of them are in more than one record. */
async function valuesInIndex(rootField: string, { field }: Group, toolbox: Toolbox) {
  const { name } = field
  const root = `${rootField}Aggregate`
  const query = printField(root, { groupBy: [new EnumValue(name)], limit: mostRead })
  const data = await toolbox.ask({ [query]: { groupCount: {}, groups: leaves(name, 'count') } })
  const { groupCount, groups } = data[root] as Counted
  const named = groups.filter(({ [name]: value }) => typeof value === 'string')
  return {
    values: named.map(({ [name]: value }) => String(value)),
    others: groupCount - groups.length,
    repeat: named.some(({ count }) => count > 1),
  }
}

/** The numbers of records that each search finds, or that meet each `where`. */
export async function countAll(
  searches: readonly { readonly search?: string; readonly where?: Where | null }[],
  { collection }: Subject,
  toolbox: Toolbox,
): Promise<readonly number[]> {
  if (searches.length === 0) return []
  const fields = searches.map((each, at) => printField(`c${at}: ${collection.rootField}Aggregate`, each))
  const data = await toolbox.ask(Object.fromEntries(fields.map((field) => [field, { count: {} }])))
  return searches.map((_, at) => (data[`c${at}`] as { readonly count: number }).count)
}
