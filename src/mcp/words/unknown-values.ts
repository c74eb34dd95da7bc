/** Says of filters that no record meets why that is, and names what exists. */
import { isUrl } from '../../schema/model/where-operators.ts'
import type { Field } from '../../schema/model/model.ts'
import { measureFields } from '../../schema/model/operators.ts'
import { leafPath } from '../../schema/model/leaves.ts'
import { nearest } from '../../util/text/nearest.ts'
import { buildWhere, type Narrowing } from '../../ask/filters.ts'
import { findGroupAtEnd, type Group } from '../../ask/groups.ts'
import { elementOf, holderAfter, memberPath, parsePath, type Path } from '../../ask/paths.ts'
import { EnumValue, leaves, printField } from '../../ask/graphql-text.ts'
import type { Where } from '../../ask/where.ts'
import { meansMissing, nullAdvice } from '../../ask/conditions.ts'
import { didYouMean } from '../../ask/ask-error.ts'
import { isObject, type Json } from '../../util/is-object.ts'
import type { Counted } from '../tools/describe/describe-parts.ts'
import type { Toolbox } from '../tools/toolbox.ts'
import type { Subject } from '../../ask/collections.ts'
import { besidesTime } from './side-counts.ts'
import { dayOf } from './days.ts'
import { cutText, quoted } from './plain-text.ts'

/** How many conditions of a call are checked, how many of them at once, and how many values of one are sought. */
const mostConditions = 12
const mostAtOnce = 4
const mostSought = 4
/** How many values of the index are read, and shown. */
const mostRead = 50
const mostShown = 25

/** A part of what is asked for, which may hold by itself. */
type Condition = readonly [text: string, value: unknown, name?: string]

/** Why no record meets a condition beside those on the main time, or any condition; else what each of them finds. */
export async function whyNoValue(narrowing: Narrowing, subject: Subject, toolbox: Toolbox) {
  const all = conditionsIn(narrowing, subject)
  const checked = all.slice(0, mostConditions)
  const counts = await countFilters(checked, subject, toolbox)
  const unmet = checked.filter((_, at) => counts[at] === 0)
  const isTimeless = ([text, value]: Condition) =>
    meansMissing(value) || besidesTime({ filters: { [text]: value } }, subject, toolbox) === null
  const why = async ([first]: readonly Condition[]) => first && whyNoneMeets(first, subject, toolbox)
  const met = checked.map(([, , name], at) => `${name} ${counts[at]}`).join(', ')
  const isMet = unmet.length === 0 && all.length > 1 && all.length <= mostConditions
  return {
    unmet: await why(unmet.filter(isTimeless)),
    unmetTime: () => why(unmet),
    met: isMet ? `Each filter is met, but not all together: ${met}.` : null,
  }
}

/** Each operator of a filter, each element of `hasAll`, and each bound of the main time. */
function conditionsIn({ filters, since, until }: Narrowing, { time }: Subject): readonly Condition[] {
  const named = Object.entries(isObject(filters) ? filters : {}).flatMap(([text, value]): Condition[] => {
    const each = Object.entries(isObject(value) ? value : {}).flatMap(([name, operand]) =>
      name === 'hasAll' ? [operand].flat().map((one) => ({ has: one })) : [{ [name]: operand }],
    )
    if (each.length < 2) return [[text, each[0] ?? value, text]]
    return each.map((one) => [text, one, `${text} ${cutText(JSON.stringify(one), 60)}`])
  })
  const bound = (name: string, operator: string, value: unknown): Condition[] =>
    value === undefined ? [] : [[time, { [operator]: value }, name]]
  return [...named, ...bound('since', 'gte', since), ...bound('until', 'lte', until)]
}

/** Names `null` where the value is a word for a missing one. */
async function whyNoneMeets(condition: Condition, subject: Subject, toolbox: Toolbox) {
  const [text, value] = condition
  const why = await whyUnmet(condition, subject, toolbox)
  const { kind } = parsePath(text, subject.collection, toolbox).end
  return why === null || kind !== 'property' || !meansMissing(value) ? why : `${why} ${nullAdvice(text)}`
}

async function whyUnmet([text, value]: Condition, subject: Subject, toolbox: Toolbox) {
  const path = parsePath(text, subject.collection, toolbox)
  const { steps, end } = path
  const reverse = steps.findIndex(({ kind }) => kind === 'reverse')
  const referring = text.split('.', reverse + 1).join('.')
  // Of an operator of a reference, the reference; of a number of records, the records.
  const isOf = end.kind === 'operator' || (end.kind === 'records' && end.isCount)
  const own = isOf ? text.slice(0, text.lastIndexOf('.')) : text
  const present: Condition = [own, end.kind === 'records' ? 'some' : { ne: null }]
  const asked: readonly Condition[] = reverse === -1 ? [present] : [present, [referring, 'some']]
  const [there, referred] = await countFilters(asked, subject, toolbox)
  if (referred === 0) return `No ${subject.label} has any ${referring}: no record refers to one so.`
  if (there === 0) return `No record has ${own}.`
  if (value === null || (value === 'none' && end.kind === 'records' && steps.length === 1))
    return `Every ${subject.label} has ${text}.`
  const values = valuesIn(value)
  if (end.kind === 'property' && isWhole(end.field) && values.length > 0)
    return whyNone(path, values, end.field.constraints.values, toolbox)
  return (
    (await rangeOf(path, toolbox)) ??
    `No ${subject.label} has ${cutText(JSON.stringify(value), 80)} in ${text}; ${there} have ${own}.`
  )
}

/** The first and the last time or number of a field; null if it has no order. */
async function rangeOf(path: Path, toolbox: Toolbox): Promise<string | null> {
  const holder = holderAfter(path.steps, path.from)
  const start = path.steps.findLastIndex(({ record }) => record !== null) + 1
  const own = memberPath({ ...path, steps: path.steps.slice(start) })
  const field = measureFields(holder).find(({ leaf }) => leafPath(leaf).join('.') === own)
  if (field === undefined) return null
  const root = `${holder.rootField}Aggregate`
  const data = await toolbox.ask({ [root]: { min: leaves(field.name), max: leaves(field.name) } })
  const { min, max } = data[root] as { readonly min: Json; readonly max: Json }
  const [from_, to] = [min, max].map(({ [field.name]: value }) =>
    typeof value === 'number' ? value : dayOf(value),
  )
  return `No record has that in ${path.text}: it goes from ${from_} to ${to}.`
}

async function countFilters(
  conditions: readonly Condition[],
  subject: Subject,
  toolbox: Toolbox,
): Promise<readonly number[]> {
  const some = conditions.slice(0, mostAtOnce)
  const wheres = await Array.fromAsync(some, async ([text, value]) => ({
    where: await buildWhere(subject, { filters: { [text]: value } }, toolbox),
  }))
  const counts = await countAll(wheres, subject, toolbox)
  const others = conditions.slice(mostAtOnce)
  return others.length === 0 ? counts : [...counts, ...(await countFilters(others, subject, toolbox))]
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
  const said = `No record has ${quoted(wrong, 60)} in ${path.text}.`
  if (group === null)
    return `${said}${didYouMean(similar(wrong, listed))}${listed.length === 0 ? '' : ` Known: ${list(listed)}.`}`
  const known = await valuesInIndex(holder.rootField, group, toolbox)
  const near = similar(wrong, known.values)
  if (known.others === 0) return `${said}${didYouMean(near)} There are: ${list(known.values)}.`
  const frequent = known.repeat
    ? ` The most frequent of ${known.values.length + known.others}: ${list(known.values, 0)}.`
    : ''
  if (values.length > mostSought) return `No record has any of these values in ${path.text}.${frequent}`
  const cases = casesOf(wrong)
  const asked = cases.map((value) => [group.text, value] as const)
  const counts = await countFilters(asked, toolbox.catalogue.of(holder.nsid), toolbox)
  const written = cases.find((_, at) => counts[at] !== 0) ?? near
  return `${said}${didYouMean(written)}${frequent}`
}

/** Of another record, such as an analysis of no article, the index may have the very value. */
function similar(wrong: string, known: readonly string[]): string | null {
  const folded = wrong.toLowerCase()
  const others = known.filter((value) => value !== wrong)
  return nearest(wrong, others) ?? others.find((value) => value.toLowerCase().includes(folded)) ?? null
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
function isWhole({ type }: Field): boolean {
  const element = elementOf(type)
  return element.kind === 'string' && (type.kind === 'array' || !element.freeText) && !isUrl(element)
}

function valuesIn(given: unknown): string[] {
  if (typeof given === 'string') return [given]
  if (Array.isArray(given)) return given.flatMap(valuesIn)
  if (typeof given !== 'object' || given === null) return []
  const { eq, in: listed, has, hasAny } = given as Json
  return [eq, listed, has, hasAny].flatMap(valuesIn)
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
  searches: readonly { readonly search?: string | undefined; readonly where?: Where | null }[],
  { collection }: Subject,
  toolbox: Toolbox,
): Promise<readonly number[]> {
  if (searches.length === 0) return []
  const fields = searches.map((each, at) => printField(`c${at}: ${collection.rootField}Aggregate`, each))
  const data = await toolbox.ask(Object.fromEntries(fields.map((field) => [field, { count: {} }])))
  return searches.map((_, at) => (data[`c${at}`] as { readonly count: number }).count)
}
