/**
 * Explains empty answers: finds filter values that no record has, and lists the values that exist. Its queries run
 * only after an empty answer.
 */
import { nearest } from '../../util/text/nearest.ts'
import { cutText } from './budget.ts'
import type { Subject } from './collections.ts'
import { EnumValue, printField } from '../graphql/graphql-text.ts'
import { findGroup, holdingEnd } from '../filters/groups.ts'
import { parsePath, type Path } from '../filters/paths.ts'
import { plainText } from './plain-text.ts'
import type { Toolbox } from '../tools/toolbox.ts'
import type { Json } from '../tools/tool.ts'

/** How many filters of one call are checked, and how many values of the index are shown. */
const mostFilters = 4
const mostValues = 25

interface Sought {
  readonly text: string
  readonly path: Path
  readonly values: readonly string[]
}

/** The explanation; null if every value exists, but no record matches all conditions. */
export async function whyNothing(
  { filters, text }: { readonly filters?: unknown; readonly text?: unknown },
  subject: Subject,
  toolbox: Toolbox,
  signal: AbortSignal,
): Promise<string | null> {
  for (const sought of soughtIn(filters, subject, toolbox)) {
    const present = await valuesInIndex(sought, toolbox, signal)
    const known = present ?? valuesOfLexicon(sought.path)
    const [wrong] = sought.values
    const isKnown = known.length === 0 || sought.values.some((value) => known.includes(value))
    if (wrong !== undefined && !isKnown) return unknownValue(wrong, sought.text, known, present !== null)
  }
  if (typeof text !== 'string' || text.trim() === '') return null
  return /\s/.test(text.trim())
    ? 'A text has to be there as it is written, word after word: try its rarest word, or what other languages call it.'
    : 'Try a part of the word, or what other languages call it.'
}

function unknownValue(wrong: string, text: string, known: readonly string[], isSure: boolean): string {
  const folded = wrong.toLowerCase()
  const near = nearest(wrong, known) ?? known.find((value) => value.toLowerCase().includes(folded)) ?? null
  const meant = near === null ? '' : ` Did you mean "${near}"?`
  const shown = known.slice(0, mostValues).map((value) => cutText(plainText(value), 40))
  const value = `"${cutText(wrong, 60)}"`
  const said = isSure ? `No record has ${value} in ${text}.` : `${value} is no known value of ${text}.`
  return `${said}${meant} ${isSure ? 'There are' : 'Known'}: ${shown.join(', ')}.`
}

/** Filters on whole strings only; filters on free text may contain anything. */
function soughtIn(filters: unknown, { collection }: Subject, toolbox: Toolbox): readonly Sought[] {
  if (typeof filters !== 'object' || filters === null) return []
  return Object.entries(filters)
    .flatMap(([text, given]): Sought[] => {
      const values = valuesIn(given)
      const path = parsePath(text, collection, toolbox)
      if (values.length === 0 || path.end.kind !== 'property') return []
      const { type } = path.end.field
      const element = type.kind === 'array' ? type.of : type
      return element.kind === 'string' && !element.freeText ? [{ text, path, values }] : []
    })
    .slice(0, mostFilters)
}

function valuesIn(given: unknown): string[] {
  if (typeof given === 'string') return [given]
  if (Array.isArray(given)) return given.flatMap(valuesIn)
  if (typeof given !== 'object' || given === null) return []
  const { eq, in: listed, has, hasAny, hasAll } = given as Json
  return [eq, listed, has, hasAny, hasAll].flatMap(valuesIn)
}

function valuesOfLexicon({ end }: Path): readonly string[] {
  return end.kind === 'property' ? end.field.constraints.values : []
}

/** Null if the field cannot be grouped by or has too many values. */
async function valuesInIndex(
  { path }: Sought,
  toolbox: Toolbox,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const { holder, own } = holdingEnd(path)
  const field = findGroup(own, holder, toolbox)?.field.name
  if (field === undefined) return null
  const root = `${holder.rootField}Aggregate`
  const given = printField(root, { groupBy: [new EnumValue(field)], limit: 2 * mostValues })
  const data = await toolbox.ask(`{ ${given} { groupCount groups { ${field} } } }`, signal)
  const { groupCount, groups } = data[root] as {
    groupCount: number
    groups: readonly Json[]
  }
  if (groupCount > groups.length) return null
  return groups.flatMap((group) => (typeof group[field] === 'string' ? [group[field]] : []))
}
