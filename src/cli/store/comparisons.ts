/** Renders comparisons of two databases as text and JSON. */
import type { PartComparison } from '../../database/copy/database-copy.ts'
import { titleOf } from '../../database/copy/parts.ts'
import { renderTable } from '../table.ts'

export function isSameThroughout(comparisons: readonly PartComparison[]): boolean {
  return comparisons.every(({ differing }) => differing === 0)
}

export function describeComparisons(comparisons: readonly PartComparison[]): readonly object[] {
  return comparisons.map(({ part, source, target, differing, first }) => ({
    name: titleOf(part),
    source,
    target,
    differing,
    first,
  }))
}

/** `otherSide`: the heading for the second database. */
export function renderComparisons(comparisons: readonly PartComparison[], otherSide: string): string {
  const table = renderTable(
    ['what', 'rows', 'digest'],
    comparisons.map(({ part, source, differing }) => [
      titleOf(part),
      source.rows,
      // Enough to compare by eye; the JSON contains the whole digest.
      differing === 0 ? source.digest.slice(0, 16) : 'differs',
    ]),
  )
  const different = comparisons.filter(({ differing }) => differing > 0)
  if (different.length === 0) return table
  const differences = renderTable(
    ['differs', 'rows', otherSide, 'differing', 'first of them'],
    different.map(({ part, source, target, differing, first }) => [
      titleOf(part),
      source.rows,
      target.rows,
      differing,
      first ?? '',
    ]),
  )
  return `${table}\n${differences}`
}

/** From milliseconds. */
export function roundedSeconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10
}
