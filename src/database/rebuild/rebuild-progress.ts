/** The progress of a rebuild, as the rebuild records it in the database. */

export interface RebuildProgress {
  /** In processing order. */
  readonly collections: readonly CollectionProgress[]
}

export interface CollectionProgress {
  readonly collection: string
  /** Records in the new table, out of those in the old one at the start. */
  readonly done: number
  readonly total: number
  /** True when everything derived from the records is built too. */
  readonly isComplete: boolean
}

/** For operators and callers alike. */
export function rebuildSentence({ collections }: RebuildProgress): string {
  const current = collections.find(({ isComplete }) => !isComplete)
  const [done, total] = [sumOf(collections, 'done'), sumOf(collections, 'total')]
  const all = `${count(Math.min(done, total))} of ${count(total)} records`
  if (current === undefined)
    return `${all} are in the new tables, which are about to take the place of the old ones.`
  const { collection } = current
  const part =
    current.done < current.total
      ? `${collection} has ${count(current.done)} of ${count(current.total)}`
      : `the indexes of ${collection} are being built`
  return `${all} are in the new tables; ${part}.`
}

function sumOf(collections: readonly CollectionProgress[], what: 'done' | 'total'): number {
  return collections.reduce((sum, one) => sum + one[what], 0)
}

function count(n: number): string {
  return n.toLocaleString('en')
}
