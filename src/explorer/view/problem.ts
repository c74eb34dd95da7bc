import type { ConditionProblem } from '../../ask/where.ts'

/** What is wrong with an address, as data; the catalogue of each language has the sentences. */
export type Problem =
  | { readonly kind: 'unknownParameter'; readonly name: string }
  /** A field whose name is a parameter of other pages; `condition` is how to write it. */
  | { readonly kind: 'reservedName'; readonly name: string; readonly condition: string }
  | ConditionProblem
  | { readonly kind: 'noSearch'; readonly name: string }
  | { readonly kind: 'tooManyConditions' | 'tooManyQueries'; readonly most: number }
  | {
      readonly kind: 'unknownChoice'
      readonly name: string
      readonly value: string
      readonly choices: readonly string[]
    }

export type ProblemTexts = {
  readonly [Kind in Problem['kind']]: (problem: Problem & { readonly kind: Kind }) => string
}

/** `value`: not one of the choices. */
export function unknownChoice(name: string, value: string, choices: readonly string[]): Problem {
  return { kind: 'unknownChoice', name, value: value.slice(0, 100), choices }
}
