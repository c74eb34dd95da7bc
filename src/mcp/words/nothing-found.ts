/**
 * Explains empty answers: finds filter values that no record has, and lists the values that exist. Its queries run
 * only after an empty answer.
 */
import { nearest } from '../../util/text/nearest.ts'
import { cutText } from './budget.ts'
import type { Subject } from './collections.ts'
import { EnumValue, printField } from '../graphql/graphql-text.ts'
import type { Narrowing } from '../filters/filters.ts'
import { findGroupAtEnd } from '../filters/groups.ts'
import { elementOf, parsePath, type Path, type SchemaContext } from '../filters/paths.ts'
import { cutPlain } from './plain-text.ts'
import type { Toolbox } from '../tools/toolbox.ts'
import { didYouMean, type Json } from '../tools/tool.ts'

/** How many filters of one call are checked, and how many values of the index are shown. */
const mostFilters = 4
const mostValues = 25

interface Sought {
  readonly path: Path
  readonly values: readonly string[]
  /** The values that the lexicon lists. */
  readonly listed: readonly string[]
}

/** The explanation; null if every value exists, but no record matches all conditions. */
export async function whyNothing(
  { filters, text }: Narrowing,
  subject: Subject,
  toolbox: Toolbox,
): Promise<string | null> {
  for (const { path, values, listed } of soughtIn(filters, subject, toolbox)) {
    const present = await valuesInIndex(path, toolbox)
    const known = present ?? listed
    const [wrong] = values
    const isKnown = known.length === 0 || values.some((value) => known.includes(value))
    if (wrong !== undefined && !isKnown) return unknownValue(wrong, path.text, known, present !== null)
  }
  if (!text?.trim()) return null
  return /\s/.test(text.trim())
    ? 'A text has to be there as it is written, word after word: try its rarest word, or what other languages call it.'
    : 'Try a part of the word, or what other languages call it.'
}

function unknownValue(wrong: string, text: string, known: readonly string[], isSure: boolean): string {
  const folded = wrong.toLowerCase()
  const near = nearest(wrong, known) ?? known.find((value) => value.toLowerCase().includes(folded)) ?? null
  const shown = known.slice(0, mostValues).map((value) => cutPlain(value, 40))
  const value = `"${cutText(wrong, 60)}"`
  const said = isSure ? `No record has ${value} in ${text}.` : `${value} is no known value of ${text}.`
  return `${said}${didYouMean(near)} ${isSure ? 'There are' : 'Known'}: ${shown.join(', ')}.`
}

/** Filters on whole strings only; filters on free text may contain anything. */
function soughtIn(filters: unknown, { collection }: Subject, context: SchemaContext): readonly Sought[] {
  if (typeof filters !== 'object' || filters === null) return []
  const sought = Object.entries(filters).flatMap(([text, given]): Sought[] => {
    const values = valuesIn(given)
    const path = parsePath(text, collection, context)
    if (values.length === 0 || path.end.kind !== 'property') return []
    const { type, constraints } = path.end.field
    const element = elementOf(type)
    return element.kind === 'string' && !element.freeText
      ? [{ path, values, listed: constraints.values }]
      : []
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

/** Null if the field cannot be grouped by or has too many values. */
async function valuesInIndex(path: Path, toolbox: Toolbox): Promise<readonly string[] | null> {
  const { holder, group } = findGroupAtEnd(path, '', toolbox)
  if (group === null) return null
  const { name } = group.field
  const root = `${holder.rootField}Aggregate`
  const list = printField(root, { groupBy: [new EnumValue(name)], limit: 2 * mostValues })
  const data = await toolbox.ask(`{ ${list} { groupCount groups { ${name} } } }`)
  const { groupCount, groups } = data[root] as { groupCount: number; groups: readonly Json[] }
  if (groupCount > groups.length) return null
  return groups.flatMap(({ [name]: value }) => (typeof value === 'string' ? [value] : []))
}
