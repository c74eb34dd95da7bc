/** Pairs of different elements that records have in an array. */
import { groupFields } from './group-fields.ts'
import { compareText } from '../values.ts'
import type { PlainRecord, Dataset } from '../dataset.ts'

export interface PairArguments {
  readonly field: string
  readonly minCount?: number | undefined
  readonly limit?: number | undefined
}

export interface Pair {
  readonly values: readonly [string, string]
  readonly count: number
}

export function pairsOf(
  data: Dataset,
  collection: string,
  members: readonly PlainRecord[],
  { field, minCount = 1, limit = 50 }: PairArguments,
): Pair[] {
  const array = groupFields(data, collection).find(({ name }) => name === field)
  if (array === undefined) throw new Error(`${collection} has no array ${field}.`)
  const pairs: { values: [string, string]; count: number }[] = []
  for (const record of members) {
    const elements = array.keysOf(record).flatMap((key) => (key === undefined ? [] : [String(key)]))
    if (elements.length > 100) continue
    for (const a of elements)
      for (const b of elements) {
        if (compareText(a, b) >= 0) continue
        const known = pairs.find(({ values }) => values[0] === a && values[1] === b)
        if (known === undefined) pairs.push({ values: [a, b], count: 1 })
        else known.count += 1
      }
  }
  return pairs
    .filter(({ count }) => count >= minCount)
    .sort(
      (a, b) =>
        b.count - a.count || compareText(a.values[0], b.values[0]) || compareText(a.values[1], b.values[1]),
    )
    .slice(0, limit)
}
