/** The cost of a file: what it reads to find its rows as any operation, and its rows as one stream. */
import { sizeOf } from './cost.ts'
import { weights } from './cost-weights.ts'
import type { Plan } from '../plan/plan.ts'

export interface FileCost {
  /** Points of a file without rows, which may not exceed those of an operation. */
  readonly search: number
  /** Points of the whole, with so many rows. */
  pointsFor(rows: number): number
  /** Maximum number of rows. */
  readonly limit: number
}

/** `plan` has one list, whose page is the whole file. */
export function fileCostOf(plan: Plan): FileCost {
  const [root] = plan.roots
  if (root?.output.kind !== 'list') throw new Error('A file is one list.')
  const { key, output } = root
  const { list } = output
  const sizeWith = (size: number): number =>
    sizeOf({
      ...plan,
      roots: [{ key, output: { ...output, list: { ...list, page: { ...list.page, size } } } }],
    })
  const search = sizeWith(1)
  const perRow = (sizeWith(2) - search) / weights.filed
  const points = (size: number): number => Math.max(1, Math.ceil(size / weights.point))
  return {
    search: points(search),
    pointsFor: (rows) => points(search + perRow * Math.max(0, rows - 1)),
    limit: list.page.size,
  }
}
