/** A reason why nothing was found: a value that the lexicon does not name. */
import { nearest } from '../util/nearest.ts'
import type { Subject } from './collections.ts'
import { parsePath } from './paths.ts'
import type { Toolbox } from './toolbox.ts'

/** One sentence, or null where every filtered value is one that is known. */
export function unknownValues(filters: unknown, { collection }: Subject, toolbox: Toolbox): string | null {
  if (typeof filters !== 'object' || filters === null) return null
  for (const [text, given] of Object.entries(filters)) {
    const { end } = parsePath(text, collection, toolbox)
    const known = end.kind === 'property' ? end.field.told.values : []
    const wrong = valuesIn(given).find((value) => known.length > 0 && !known.includes(value))
    if (wrong === undefined) continue
    const near = nearest(wrong, known)
    return `"${wrong.slice(0, 60)}" is no known value of ${text}${near === null ? '' : `; did you mean "${near}"?`} Known: ${known.slice(0, 25).join(', ')}.`
  }
  return null
}

function valuesIn(given: unknown): string[] {
  if (typeof given === 'string') return [given]
  if (Array.isArray(given)) return given.flatMap(valuesIn)
  if (typeof given !== 'object' || given === null) return []
  const { eq, in: listed, has, hasAny } = given as Readonly<Record<string, unknown>>
  return [eq, listed, has, hasAny].flatMap(valuesIn)
}
