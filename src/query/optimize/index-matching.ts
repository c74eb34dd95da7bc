/** Matches the indexes of a table with conditions. It must not know statistics. */
import { ownKey, type Table, type TableIndex } from '../../database/layout/tables.ts'
import { whereOperators } from '../../schema/model/where-operators.ts'
import { accountsOf, conjuncts } from '../plan/condition-facts.ts'
import type { Comparison, Condition, SemiJoin } from '../plan/plan.ts'

/** The index in which a condition can be looked up. */
export function columnIndex(table: Table, part: Condition): TableIndex | undefined {
  const leading = leadingColumn(part)
  if (leading === undefined) return undefined
  return indexesOf(table).find(({ columns }) => columns[0] === leading)
}

/** All indexes of a table, including the one over its own URIs. */
export function indexesOf(table: Table): readonly TableIndex[] {
  return [...table.indexes, ownKey(table)]
}

/** The column by whose index a condition can be looked up. */
export function leadingColumn(part: Condition): string | undefined {
  if (accountsOf(part) !== null) return 'base'
  switch (part.kind) {
    case 'compare':
      return part.operand.kind === 'column' && isFoundByIndex(part.op) ? part.operand.column.name : undefined
    case 'in':
      return part.operand.kind === 'column' && !part.negated && part.list.length > 0
        ? part.operand.column.name
        : undefined
    case 'uri':
      if (part.negated || part.list.length === 0 || part.of?.kind === 'json') return undefined
      return part.of === null ? 'base' : part.of.base.name
    case 'all':
    case 'any':
    case 'not':
    case 'missing':
    case 'text':
    case 'absent':
    case 'has':
    case 'element':
    case 'indexed':
    case 'current':
    case 'outerCurrent':
    case 'target':
    case 'referring':
      return undefined
  }
}

/** Whether an ordered index finds the records for which a comparison holds. */
function isFoundByIndex(op: Comparison): boolean {
  return whereOperators[op].index === 'ordered'
}

/** The conditions that an index answers without reading rows. */
export function heldBy(table: Table, index: string | null, where: Condition): readonly Condition[] {
  const columns = indexesOf(table).find(({ name }) => name === index)?.columns ?? ['indexed_at']
  return conjuncts(where).filter((part) => {
    const leading = leadingColumn(part) ?? missingColumn(part) ?? systemColumn(part)
    return leading !== undefined && columns.includes(leading)
  })
}

function missingColumn(part: Condition): string | undefined {
  return part.kind === 'missing' && part.operand.kind === 'column' ? part.operand.column.name : undefined
}

function systemColumn(part: Condition): string | undefined {
  return part.kind === 'compare' && part.operand.kind === 'system' && isFoundByIndex(part.op)
    ? part.operand.name
    : undefined
}

/**
 * The index that leads from the other table of a semi-join to the records for which it holds: over the reference to the
 * other records, or over the URIs to which they refer.
 */
export function indexFrom(table: Table, part: SemiJoin): TableIndex | undefined {
  if (part.kind === 'referring') return part.link.kind === 'columns' ? ownKey(table) : undefined
  const { of } = part
  return of.kind === 'columns' ? table.indexes.find(({ columns }) => columns[0] === of.base.name) : undefined
}
