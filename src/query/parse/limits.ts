/** Maximums of an operation. Beyond a limit: QUERY_TOO_COMPLEX, with the limit and the actual value. */
import { ServiceError } from '../../errors.ts'

export const limits = {
  /** Characters of a document. */
  document: 100_000,
  tokens: 10_000,
  /** Nested brackets in a document or in variables. */
  nesting: 256,
  /** Operations in a document, of which one is executed. */
  operations: 20,
  fragments: 50,
  /** Fragment spreads in a document. */
  spreads: 500,
  /** Variable definitions in a document. */
  variables: 100,
  /** Directives in a document. */
  directives: 500,
  directivesInOnePlace: 5,
  /** Nested selections; introspection needs 14. */
  depth: 32,
  /** Fields with fragments expanded. */
  fields: 5_000,
  /** Fields with an alias, with fragments expanded. */
  aliases: 1_000,
  /** Fields of the query type, with fragments expanded. */
  rootFields: 100,
  /** Selections that merge into one response key in one place. */
  repeats: 50,
  /** `__schema` and `__type` in one operation. */
  introspections: 4,
  /** Values in the answer of one introspection; 1.5 times the whole schema is always allowed. */
  introspectionFields: 20_000,
  whereLevels: 64,
  joins: 32,
  /** Operators in one `where`. */
  conditions: 400,
  /** Operators and objects in all `where` of an operation, each counted as often as it is used. */
  allConditions: 2_000,
  /** Values in one list. */
  listValues: 1_000,
  sortFields: 5,
  groupFields: 5,
  groups: 1_000,
  /** Values that a statement compares with; a list that is used twice counts twice. */
  parameters: 30_000,
  /** Input objects in a document, and in variables. */
  inputObjects: 2_000,
  /** Names and values in variables, at any level. */
  inputValues: 60_000,
  /** Characters of one string argument. */
  characters: 20_000,
  /** Characters of the needle of `contains` and `startsWith`. */
  needle: 1_000,
  /** Maximum cost of one operation (cost.ts) for any caller. */
  points: 1_000,
} as const

export type Limit = keyof typeof limits

/** Throws if `actual` exceeds the limit; `what` begins the message, such as `The selection is nested`. */
export function assertWithin(limit: Limit, actual: number, what: string, most: number = limits[limit]): void {
  if (actual <= most) return
  throw new ServiceError('QUERY_TOO_COMPLEX', `${what}: ${actual}, and the limit is ${most}.`, {
    limit: most,
    actual,
  })
}
