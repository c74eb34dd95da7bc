/**
 * What an operation may cost at worst, told from its plan alone: a page of pages of pages grows with the
 * product of their sizes, and while one statement runs nothing else is answered.
 */
import { ServiceError } from '../errors.ts'
import type {
  AggregatePlan,
  EdgeOutput,
  ListPlan,
  Output,
  Plan,
  RecordSelections,
  RootOutput,
  Selected,
  StatusOutput,
} from './plan.ts'

/** In values that are printed. What each list of a record is looked up for, whatever it finds. */
const costPerList = 50
/** A count or grouping of a whole collection. */
const costPerTotal = 5_000
const costPerAggregate = 25_000

/** Of size, in one point. */
const sizePerPoint = 1_000

/** In points: what a caller pays, and at least one. */
export function costOf(plan: Plan): number {
  return Math.max(1, Math.ceil(sizeOf(plan) / sizePerPoint))
}

/** What points are made of: how much is read and printed when every page is full. */
export function sizeOf({ roots }: Plan): number {
  return roots.reduce((sum, { output }) => sum + rootCost(output), 0)
}

/** Throws QUERY_TOO_COMPLEX when an operation costs more than its caller may spend on one. */
export function assertAffordable(points: number, allowed: number): void {
  if (points <= allowed) return
  throw new ServiceError(
    'QUERY_TOO_COMPLEX',
    `The operation costs ${points} points, and the limit is ${allowed}. Ask for smaller pages, above all of lists within lists, fewer fields, totals or groupings.`,
    { limit: allowed, actual: points },
  )
}

function rootCost(output: RootOutput): number {
  switch (output.kind) {
    case 'constant':
    case 'introspection':
      return 1
    case 'byUri':
      return fieldsCost(output.fields)
    case 'aggregate':
      return costPerAggregate + output.aggregate.limit * groupCost(output.aggregate)
    case 'status':
      return output.fields.reduce((sum, field) => sum + statusCost(field.output), 0)
    case 'list': {
      const counted = output.list.fields.some((field) => field.output.kind === 'totalCount')
      return listCost(output.list) + (counted ? costPerTotal : 0)
    }
  }
}

/** However many collections there are, it can be asked for. */
function statusCost(output: StatusOutput): number {
  if (output.kind !== 'collections') return costPerList
  const totals = output.fields.filter(({ output }) => output.kind === 'records').length
  return totals * Math.min(output.tables.length * costPerTotal, 250_000)
}

/** What is read through the references that groups are by. */
function groupCost({ fields }: AggregatePlan): number {
  const groups = fields.flatMap(({ output }) => (output.kind === 'groups' ? output.fields : []))
  return groups.reduce(
    (sum, { output }) => sum + (output.kind === 'keyResolved' ? recordsCost(output.records) : 1),
    0,
  )
}

function recordsCost(records: RecordSelections): number {
  return Math.max(...records.map(({ fields }) => fieldsCost(fields)))
}

function listCost({ page, fields }: ListPlan): number {
  let perRow = 0
  for (const { output } of fields) {
    if (output.kind === 'nodes') perRow += fieldsCost(output.fields)
    if (output.kind === 'edges') perRow += output.fields.reduce((sum, edge) => sum + edgeCost(edge.output), 0)
  }
  const totals = fields.filter(({ output }) => output.kind === 'totalCount').length
  return costPerList * (1 + totals) + page.size * perRow
}

function edgeCost(output: EdgeOutput): number {
  return output.kind === 'node' ? fieldsCost(output.fields) : 1
}

/** One for the row itself, which an empty selection reads too. */
function fieldsCost(fields: readonly Selected[]): number {
  return fields.reduce((sum, { output }) => sum + outputCost(output), 1)
}

function outputCost(output: Output): number {
  switch (output.kind) {
    case 'object':
      return fieldsCost(output.fields)
    case 'union':
      return Math.max(
        ...[...output.cases.map(({ fields }) => fields), output.otherwise ?? []].map(fieldsCost),
      )
    case 'array':
      return outputCost(output.element)
    case 'resolved':
      return recordsCost(output.records)
    case 'list':
      return listCost(output.list)
    default:
      return 1
  }
}
