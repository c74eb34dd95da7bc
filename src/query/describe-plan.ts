/** A plan in a few lines, for `explain`: what each root field reads, in what order, under which conditions. */
import type { Condition, ListPlan, Plan, RootOutput, SortKey } from './plan.ts'

export function describePlan({ roots }: Plan): readonly string[] {
  return roots.map(({ key, output }) => `${key}: ${describeRoot(output)}`)
}

function describeRoot(output: RootOutput): string {
  switch (output.kind) {
    case 'constant':
    case 'introspection':
      return 'no data is read'
    case 'byUri':
      return `the record of ${output.table.name} with one URI`
    case 'nodes':
      return `records of ${output.records.map(({ table }) => table.name).join(', ')} with ${output.uris.length} URIs`
    case 'status':
      return 'the state of the index at this moment'
    case 'list':
      return describeList(output.list)
    case 'aggregate': {
      const { table, where, keys, limit } = output.aggregate
      const groups =
        keys.length === 0 ? 'as a whole' : `in groups by ${keys.length} keys, up to ${limit} of them`
      return `records of ${table.name} ${describeWhere(where)}, ${groups}`
    }
  }
}

function describeList({ table, where, sort, page }: ListPlan): string {
  const size = `${page.backward ? 'last' : 'first'} ${page.size}${page.from === null ? '' : ' beyond a cursor'}`
  return `${size} of ${table.name} ${describeWhere(where)}, by ${sort.map(describeKey).join(', ')}`
}

function describeKey({ value, direction }: SortKey): string {
  if (value.kind === 'uriText') return `${value.base.path.join('.')} ${direction}`
  return `${value.kind === 'column' ? value.column.path.join('.') : value.name} ${direction}`
}

function describeWhere(where: Condition): string {
  return where.kind === 'all' && where.of.length === 0
    ? 'without conditions'
    : `where ${describeCondition(where)}`
}

function describeCondition(condition: Condition): string {
  switch (condition.kind) {
    case 'all':
    case 'any':
      if (condition.of.length === 0) return condition.kind === 'all' ? 'true' : 'false'
      return `(${condition.of.map(describeCondition).join(condition.kind === 'all' ? ' and ' : ' or ')})`
    case 'not':
      return `not ${describeCondition(condition.of)}`
    case 'compare':
      return `${operandName(condition.operand)} ${condition.op}`
    case 'in':
      return `${operandName(condition.operand)} ${condition.negated ? 'notIn' : 'in'} ${condition.list.length} values`
    case 'missing':
      return `${operandName(condition.operand)} is ${condition.is ? 'missing' : 'present'}`
    case 'text':
      return `${operandName(condition.operand)} ${condition.match} (${condition.index === null ? 'folded row by row' : 'trigram index'})`
    case 'absent':
      return `${condition.path.join('.')} is ${condition.is ? 'missing' : 'present'}`
    case 'has':
      return `${condition.array.path.join('.')} has ${condition.mode} of ${condition.list.length}`
    case 'element':
      return `some ${condition.path.join('.')} (${describeCondition(condition.where)})`
    case 'uri':
      return `${condition.of === null ? 'its' : condition.of.path.join('.')} URI is ${condition.negated ? 'none' : 'one'} of ${condition.list.length}`
    case 'indexed':
    case 'current':
      return `${condition.of.path.join('.')} is ${condition.is ? '' : 'not '}${condition.kind}`
    case 'outerCurrent':
      return `it is ${condition.is ? '' : 'not '}current`
    case 'target':
      return `${condition.of.path.join('.')} -> ${condition.table.name} (${describeCondition(condition.where)})`
    case 'referring':
      return `some ${condition.table.name} refers to it (${describeCondition(condition.where)})`
  }
}

function operandName(operand: Extract<Condition, { kind: 'compare' }>['operand']): string {
  if (operand.kind === 'column') return operand.column.path.join('.')
  return operand.kind === 'json' ? operand.path.join('.') : operand.name
}
