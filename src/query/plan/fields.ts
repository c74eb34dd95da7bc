/** The selected fields of an operation, which every part of a plan has. */

/** A key of the response and its output. */
export interface Selected<Kind> {
  readonly key: string
  readonly output: Kind | Constant
}

/** JSON text that depends on no data. */
export interface Constant {
  readonly kind: 'constant'
  readonly json: string
}

export type Fields<Kind> = readonly Selected<Kind>[]

export type Direction = 'asc' | 'desc'

/** Where an order has missing values. */
export type MissingPlace = 'first' | 'last'

/** The usual place: a missing value is smaller than any value. */
export function placeOfMissing(direction: Direction): MissingPlace {
  return direction === 'asc' ? 'first' : 'last'
}

/** The argument `nulls`; undefined if it names the usual place. */
export function unusualPlace(nulls: unknown, direction: Direction): MissingPlace | undefined {
  return nulls == null || nulls === placeOfMissing(direction) ? undefined : (nulls as MissingPlace)
}
