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
