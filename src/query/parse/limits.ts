/** What an operation may ask for at most. Over a limit: QUERY_TOO_COMPLEX, with the limit and the actual value. */
import { ServiceError } from '../../errors.ts'

export const limits = {
  /** Characters of a document. */
  document: 100_000,
  tokens: 10_000,
  /** Brackets in brackets in a document or in variables. */
  nesting: 256,
  /** In a document, of which one is run. */
  operations: 20,
  fragments: 50,
  /** Places where fragments are spread, in a document. */
  spreads: 500,
  /** Defined in a document. */
  variables: 100,
  /** In a document. */
  directives: 500,
  directivesInOnePlace: 5,
  /** Selections in selections; introspection needs 14. */
  depth: 32,
  /** Fields after fragments are spread. */
  fields: 5_000,
  /** Of those, the ones with an alias. */
  aliases: 1_000,
  /** Of those, the ones of the query itself. */
  rootFields: 100,
  /** Selections that merge into one response key in one place. */
  repeats: 50,
  /** `__schema` and `__type` in one operation. */
  introspections: 4,
  /** Values in the answer of one introspection; the whole schema always fits, and half as much again. */
  introspectionFields: 20_000,
  whereLevels: 64,
  joins: 32,
  /** Operators in one `where`. */
  conditions: 400,
  /** Operators and objects in all `where` of an operation, each as often as it is used. */
  allConditions: 2_000,
  /** Values in one list. */
  listValues: 1_000,
  sortFields: 5,
  groupFields: 5,
  groups: 1_000,
  /** Values that a statement compares with: one list, asked for twice, counts twice. */
  parameters: 30_000,
  /** Input objects in a document, and in variables. */
  inputObjects: 2_000,
  /** Names and values in variables, wherever they stand. */
  inputValues: 60_000,
  /** Characters of one string argument. */
  characters: 20_000,
  /** Characters of what `contains` and `startsWith` look for. */
  needle: 1_000,
  /** What one operation may cost at all (cost.ts), whoever asks. */
  points: 1_000,
} as const

export type Limit = keyof typeof limits

/** Throws when `actual` is over the limit; `what` begins the message, such as `The selection is nested`. */
export function assertWithin(limit: Limit, actual: number, what: string, most: number = limits[limit]): void {
  if (actual <= most) return
  throw new ServiceError('QUERY_TOO_COMPLEX', `${what}: ${actual}, and the limit is ${most}.`, {
    limit: most,
    actual,
  })
}
