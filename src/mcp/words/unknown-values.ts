/** Finds filter values that no record has, and names the values that exist. */
import { isUrl } from '../../schema/model/where-operators.ts'
import { nearest } from '../../util/text/nearest.ts'
import { buildWhere } from '../../ask/filters.ts'
import { findGroupAtEnd, type Group } from '../../ask/groups.ts'
import { elementOf, parsePath, type Path, type SchemaContext } from '../../ask/paths.ts'
import { EnumValue, leaves, printField } from '../../ask/graphql-text.ts'
import type { Where } from '../../ask/where.ts'
import { didYouMean } from '../../ask/ask-error.ts'
import type { Json } from '../../util/is-object.ts'
import type { Toolbox } from '../tools/toolbox.ts'
import type { Subject } from '../../ask/collections.ts'
import { cutPlain, cutText } from './plain-text.ts'

/** How many filters of a call, and values of a filter, are checked. */
const mostFilters = 4
const mostSought = 4
/** How many values of the index are read, and shown. */
const mostRead = 50
const mostShown = 25

interface Sought {
  readonly path: Path
  readonly values: readonly string[]
  /** The values that the lexicon lists. */
  readonly listed: readonly string[]
}

/** Values of a field, the most frequent first. */
interface Known {
  readonly values: readonly string[]
  /** The number of other values. */
  readonly others: number
  /** True if some values are in more than one record. */
  readonly repeat: boolean
}

/** Null if each field has one of the values that its filter asks for, or if that is not known. */
export async function whyNoValue(
  filters: unknown,
  subject: Subject,
  toolbox: Toolbox,
): Promise<string | null> {
  for (const { path, values, listed } of soughtIn(filters, subject, toolbox)) {
    const why = await whyNone(path, values, listed, toolbox)
    if (why !== null) return why
  }
  return null
}

async function whyNone(
  path: Path,
  values: readonly string[],
  listed: readonly string[],
  toolbox: Toolbox,
): Promise<string | null> {
  const [wrong = ''] = values
  const { holder, group } = findGroupAtEnd(path, '', toolbox)
  if (group === null)
    return listed.length === 0 || values.some((value) => listed.includes(value))
      ? null
      : `"${cutText(wrong, 60)}" is not a known value of ${path.text}.${didYouMean(similar(wrong, listed))} Known: ${list(listed)}.`
  const known = await valuesInIndex(holder.rootField, group, toolbox)
  if (known.values.length === 0) return `No record has ${path.text}.`
  if (values.some((value) => known.values.includes(value))) return null
  const said = `No record has "${cutText(wrong, 60)}" in ${path.text}.`
  const near = similar(wrong, known.values)
  if (known.others === 0) return `${said}${didYouMean(near)} There are: ${list(known.values)}.`
  if (values.length > mostSought) return null
  const cases = casesOf(wrong)
  const of = toolbox.catalogue.of(holder.nsid)
  const wheres = [...values, ...cases].map(async (value) => ({
    where: await buildWhere(of, { filters: { [group.text]: value } }, toolbox),
  }))
  const counts = await countAll(await Promise.all(wheres), of, toolbox)
  if (counts.slice(0, values.length).some((count) => count > 0)) return null
  const written = cases.find((_, at) => counts[values.length + at] !== 0) ?? near
  const frequent = known.repeat
    ? ` The most frequent of ${known.values.length + known.others}: ${list(known.values, 0)}.`
    : ''
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
  const shown = values.slice(0, mostShown).map((value) => cutPlain(value, 40))
  return `${shown.join(', ')}${others === 0 ? '' : ` and ${others} more, which describe lists`}`
}

/** Values that are compared whole and may be misspelled; of free text a part is enough, and URLs hardly repeat. */
function soughtIn(filters: unknown, { collection }: Subject, context: SchemaContext): readonly Sought[] {
  if (typeof filters !== 'object' || filters === null) return []
  const sought = Object.entries(filters).flatMap(([text, given]): Sought[] => {
    const values = valuesIn(given)
    const path = parsePath(text, collection, context)
    if (values.length === 0 || path.end.kind !== 'property') return []
    const { type, constraints } = path.end.field
    const element = elementOf(type)
    const isWhole = element.kind === 'string' && (type.kind === 'array' || !element.freeText)
    return isWhole && !isUrl(element) ? [{ path, values, listed: constraints.values }] : []
  })
  return sought.slice(0, mostFilters)
}

function valuesIn(given: unknown): string[] {
  if (typeof given === 'string') return [given]
  if (Array.isArray(given)) return given.flatMap(valuesIn)
  if (typeof given !== 'object' || given === null) return []
  const { eq, in: listed, has, hasAny, hasAll } = given as Json
  return [eq, listed, has, hasAny, hasAll].flatMap(valuesIn)
}

async function valuesInIndex(rootField: string, { field }: Group, toolbox: Toolbox): Promise<Known> {
  const { name } = field
  const root = `${rootField}Aggregate`
  const query = printField(root, { groupBy: [new EnumValue(name)], limit: mostRead })
  const data = await toolbox.ask({ [query]: { groupCount: {}, groups: leaves(name, 'count') } })
  const { groupCount, groups } = data[root] as {
    readonly groupCount: number
    readonly groups: readonly (Json & { readonly count: number })[]
  }
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
