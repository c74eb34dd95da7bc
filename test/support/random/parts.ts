/** Parts of a selection: what a field is asked as, and what the answer must have there. */
import fc from 'fast-check'
import type { Json } from '../../reference/shapes.ts'

/** In an expected answer: any cursor. Of where a page begins only the program can tell how it is written. */
export const anyCursor = '*'

export interface Part<Subject> {
  /** The field with its arguments and its own selection, without an alias. */
  readonly text: string
  readonly answer: (subject: Subject) => Json
}

/** Some of these fields, any of them more than once, under names of their own; braces included. */
export function selections<Subject>(
  possible: readonly fc.Arbitrary<Part<Subject>>[],
  most: number,
): fc.Arbitrary<Part<Subject>> {
  const one = fc.nat(possible.length - 1).chain((index) => possible[index] as fc.Arbitrary<Part<Subject>>)
  return fc
    .array(fc.tuple(one, fc.integer({ min: 0, max: 9_999 })), { minLength: 1, maxLength: most, size: 'max' })
    .map((parts) => {
      // Fragments on several types share their parent, so that names must differ wherever they are drawn.
      const named = new Map(parts.map(([part, number], index) => [`a${number}_${index}`, part]))
      return {
        text: ` { ${[...named].map(([alias, { text }]) => `${alias}: ${text}`).join(' ')} }`,
        answer: (subject) =>
          Object.fromEntries([...named].map(([alias, { answer }]) => [alias, answer(subject)])),
      }
    })
}
