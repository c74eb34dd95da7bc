/** What an operation may ask for at most. Over a limit: QUERY_TOO_COMPLEX, with the limit and the actual value. */
import { ServiceError } from '../errors.ts'

export const limits = {
  /** Brackets in brackets in a document or in variables. */
  nesting: 256,
  tokens: 20_000,
  /** `__schema` and `__type` in one operation. */
  introspections: 4,
  /** Selections in selections; introspection needs 14. */
  depth: 32,
  /** Response keys after fragments are spread. */
  fields: 5_000,
  whereLevels: 64,
  joins: 32,
  /** Operators in one `where`. */
  conditions: 400,
  /** Values in one list. */
  listValues: 1_000,
  sortFields: 5,
  groupFields: 5,
  groups: 1_000,
  /** Values that a statement compares with: one list, asked for twice, counts twice. */
  parameters: 30_000,
  /** What one operation may cost at all (cost.ts), whoever asks. */
  points: 1_000,
  /** Characters of one string argument. */
  characters: 20_000,
} as const

export type Limit = keyof typeof limits

/** Throws when `actual` is over the limit; `what` begins the message, such as `The selection is nested`. */
export function assertWithin(limit: Limit, actual: number, what: string): void {
  if (actual <= limits[limit]) return
  throw new ServiceError('QUERY_TOO_COMPLEX', `${what}: ${actual}, and the limit is ${limits[limit]}.`, {
    limit: limits[limit],
    actual,
  })
}
