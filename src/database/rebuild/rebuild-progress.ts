/** How far a rebuild has come, as it says itself in the database while it goes on. */

export interface RebuildProgress {
  /** In the order in which they are worked on. */
  readonly collections: readonly CollectionProgress[]
}

export interface CollectionProgress {
  readonly collection: string
  /** Records that are in the new table, of those that were in the old one at the start. */
  readonly done: number
  readonly total: number
  /** Whether all that is derived from them is built too. */
  readonly isComplete: boolean
}

/** In one sentence, for operators and callers alike. */
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
