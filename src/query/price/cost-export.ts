/** The cost of an export: what it reads to find its rows as any operation, and its rows as one stream. */
import { sizeOf } from './cost.ts'
import { weights } from './cost-weights.ts'
import type { ListPlan, Plan } from '../plan/plan.ts'

export interface ExportCost {
  /** Points of an export without rows, which may not exceed those of an operation. */
  readonly search: number
  /** Points of the whole, with all rows that it may have. */
  readonly points: number
}

/** `plan` has one list, whose page is the whole export. */
export function exportCostOf(plan: Plan): ExportCost {
  const all = sizeOf(plan)
  const search = sizeOf(withPage(plan, 1))
  const rows = (all - search) / weights.exportedValues
  const points = (size: number): number => Math.max(1, Math.ceil(size / weights.point))
  return { search: points(search), points: points(search + rows) }
}

function withPage(plan: Plan, size: number): Plan {
  const roots = plan.roots.map(({ key, output }) => {
    if (output.kind !== 'list') return { key, output }
    const list: ListPlan = { ...output.list, page: { ...output.list.page, size } }
    return { key, output: { ...output, list } }
  })
  return { ...plan, roots }
}
