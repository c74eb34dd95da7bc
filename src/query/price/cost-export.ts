/** The cost of an export: what it reads to find its rows as any operation, and its rows as one stream. */
import { sizeOf } from './cost.ts'
import { weights } from './cost-weights.ts'
import type { ListPlan, Plan } from '../plan/plan.ts'

export interface ExportCost {
  /** Points of an export without rows, which may not exceed those of an operation. */
  readonly search: number
  /** Points of the whole, with so many rows. */
  pointsFor(rows: number): number
  /** Maximum number of rows. */
  readonly limit: number
}

/** `plan` has one list, whose page is the whole export. */
export function exportCostOf(plan: Plan): ExportCost {
  const [search, next] = [1, 2].map((size) => sizeOf(withPage(plan, size))) as [number, number]
  const perRow = (next - search) / weights.exportedValues
  const points = (size: number): number => Math.max(1, Math.ceil(size / weights.point))
  return {
    search: points(search),
    pointsFor: (rows) => points(search + perRow * Math.max(0, rows - 1)),
    limit: limitOf(plan),
  }
}

function limitOf({ roots }: Plan): number {
  const output = roots[0]?.output
  return output?.kind === 'list' ? output.list.page.size : 0
}

function withPage(plan: Plan, size: number): Plan {
  const roots = plan.roots.map(({ key, output }) => {
    if (output.kind !== 'list') return { key, output }
    const list: ListPlan = { ...output.list, page: { ...output.list.page, size } }
    return { key, output: { ...output, list } }
  })
  return { ...plan, roots }
}
