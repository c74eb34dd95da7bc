/**
 * The size of each kind of work that an operation requests. docs/limits.md lists what belongs to each kind, and
 * bench/costs/cost-search.ts checks the sizes. A kind has the size of its most expensive member.
 */
import type { Fields } from '../plan/fields.ts'
import { isConstant } from '../plan/plan-facts.ts'

export const weights = {
  /** Size of one point. */
  point: 1_000,
  /** A printed value. */
  value: 1,
  /** A record that is found by its URI; also the assumed number of elements of an array of objects or references. */
  reference: 5,
  /** A part of the operation that is planned, independent of the data; some kilobytes of JSON. */
  written: 20,
  /** A word that is looked up, or marked in a short text. */
  word: 200,
  /** Adjacent records of an index. */
  adjacent: 500,
  total: 2_000,
  /** A lookup in an index of many records, or a number that is computed from many records. */
  lookup: 5_000,
  /** A value of many records that is compared, converted or collected. */
  compared: 10_000,
  /** All records, read once. */
  scan: 16_000,
  /** Another record for each of many records, or a place in an order. */
  join: 21_500,
  /** The words of two samples, or the names of elements. */
  words: 40_000,
  /** A text or an object in an array, read out of many records. */
  text: 60_000,
  /** Maximum size of `indexStatus` and of introspection, however much there is. */
  most: 100_000,
  /** A list within a record is assumed to read this fraction (one in 20) of a collection. */
  linked: 20,
  /** Values of a file for the size of one: its rows are read, printed and sent as a stream, in another process. */
  filed: 10,
} as const

export function sum<Item>(items: readonly Item[], size: (item: Item) => number): number {
  return items.reduce((all, item) => all + size(item), 0)
}

/** The size of what is printed of selected fields. */
export function selectedSize<Kind extends { readonly kind: string }>(
  fields: Fields<Kind>,
  size: (output: Kind) => number,
): number {
  return sum(fields, ({ output }) => (isConstant(output) ? weights.value : size(output)))
}
