/** Facts that follow from a part of a plan and its table alone, such as the index that answers a condition. */
import { isDeepStrictEqual } from 'node:util'
import type { ColumnValue } from '../../database/database.ts'
import type { Column, Table, TableIndex } from '../../database/layout/tables.ts'
import { findReference, ownKey } from '../../database/layout/tables.ts'
import type { Collection } from '../../schema/model/model.ts'
import { whereOperators } from '../../schema/model/where-operators.ts'
import type { Constant } from './fields.ts'
import type { ElementFilter, GroupKey, KeyLeaf, MeasurePlan } from './groups/group-plan.ts'
import type { AggregatePlan, KeyValue, ShareOutput, SortKey } from './plan.ts'
import {
  all,
  type Comparison,
  type Condition,
  type Link,
  type Operand,
  type ReferenceOperand,
  type ReferenceShape,
  type SemiJoin,
} from './conditions.ts'

export function isConstant(output: { readonly kind: string }): output is Constant {
  return output.kind === 'constant'
}

export function isInstant(value: KeyValue | KeyLeaf): boolean {
  if (value.kind === 'system') return value.name === 'indexed_at' || value.name === 'changed_at'
  return value.kind === 'element'
    ? value.as === 'instant'
    : value.kind === 'column' && value.column.kind === 'instant'
}

/** Whether a value of a group is a text, a number or a boolean in storage; null if it is looked up. */
export function storedKind(leaf: KeyLeaf): Column['kind'] | null {
  if (leaf.kind === 'element') return leaf.as
  return leaf.kind === 'column' ? leaf.column.kind : null
}

/** What a measure reads of records. */
export function keysOfMeasure({ of, from }: MeasurePlan): readonly GroupKey[] {
  return from === null ? [of] : [of, from]
}

/** A name for the array of objects through which a key leads; null if there is none. */
export function elementsOf({ joins, leaf }: GroupKey): string | null {
  if (leaf.kind !== 'element') return null
  return [...joins.map(({ base }) => base.name), ...leaf.array.map((part) => `.${part}`)].join(' ')
}

/** Whether all measures are of the elements of the keys, or without keys of one array, so that one pass finds everything. */
export function measuresElements(keys: readonly GroupKey[], measures: readonly MeasurePlan[]): boolean {
  const arrays = new Set(keys.length > 0 ? keys.map(elementsOf) : measures.map(({ of }) => elementsOf(of)))
  if (keys.length > 0) arrays.delete(null)
  const [array] = arrays
  if (arrays.size !== 1 || typeof array !== 'string' || measures.length === 0) return false
  return measures.every(({ of }) => elementsOf(of) === array)
}

/** The column whose names are the only groups, of all elements, without measures; null if elements must be read. */
export function groupedNames(
  [key, ...others]: readonly GroupKey[],
  {
    measures,
    elements = [],
  }: Pick<AggregatePlan, 'measures'> & {
    readonly elements?: readonly Pick<ElementFilter, 'array'>[]
  },
): Column | null {
  if (key?.leaf.kind !== 'element' || others.length + measures.length > 0) return null
  const { joins, leaf } = key
  const isFiltered = joins.length === 0 && elements.some(({ array }) => isDeepStrictEqual(array, leaf.array))
  return isFiltered ? null : leaf.names
}

/** The conditions of an aggregate without those on elements that the elements of its groups meet anyway. */
export function withoutElements(
  { where, elements, measures }: Pick<AggregatePlan, 'where' | 'elements' | 'measures'>,
  keys: readonly GroupKey[],
): Condition {
  const through = measuresElements(keys, measures) ? [...keys, ...measures.map(({ of }) => of)] : keys
  const held = elements.filter(({ array }) =>
    through.some(
      ({ joins, leaf }) =>
        joins.length === 0 && leaf.kind === 'element' && isDeepStrictEqual(leaf.array, array),
    ),
  )
  if (held.length === 0) return where
  const isHeld = (part: Condition): boolean =>
    part.kind === 'element' &&
    held.some((each) => isDeepStrictEqual(each, { array: part.path, where: part.where }))
  return all(conjuncts(where).filter((part) => !isHeld(part)))
}

/** Whether an output has groups formed. */
const formsGroups: Readonly<Record<AggregatePlan['fields'][number]['output']['kind'], boolean>> = {
  constant: false,
  count: false,
  total: false,
  matching: false,
  share: false,
  measure: false,
  measures: false,
  pairs: false,
  unusualWords: false,
  groupCount: true,
  groups: true,
  groupsPageInfo: true,
}

/** What an aggregate reads for its fields. */
export function readingsOf({
  fields,
  keys,
  share,
  order,
  having,
  fill,
  changes,
}: Pick<AggregatePlan, 'fields' | 'keys' | 'share' | 'order' | 'having' | 'fill' | 'changes'>) {
  const kinds = fields.map(({ output }) => output.kind)
  const ofGroups = fields.flatMap(({ output }) =>
    output.kind === 'groups' ? output.fields.map((field) => field.output) : [],
  )
  const groupKinds = ofGroups.map(({ kind }) => kind)
  const isGrouped = keys.length > 0 && kinds.some((kind) => formsGroups[kind])
  const usesShare =
    fill?.kind === 'denominator' ||
    isOfShare(order.by) ||
    [...having.map(({ of }) => of), ...changes].some(({ kind }) => isOfShare(kind))
  return {
    isGrouped,
    /** Measures are computed together with groups, and once more for the whole. */
    isWhole: kinds.includes('measure') || kinds.includes('measures'),
    counts: kinds.filter((kind) => kind === 'count').length,
    /** Counts of groups are divided by that of all records. */
    dividesCounts:
      isGrouped && ofGroups.some((output) => output.kind === 'countShare' && output.of === 'whole'),
    /** Groups, and the whole, have shares. */
    sharesGroups: isGrouped && share !== null && (groupKinds.some(isOfShare) || usesShare),
    /** Which groups are shown, their order, or changes depend on the shares of all groups. */
    needsAllShares: usesShare,
    sharesWhole: share !== null && kinds.some(isOfShare),
    /** Unless a key leads through an array, every record is in exactly one group, so the counts of groups add up to the whole. */
    addsUp: isGrouped && keys.every(({ leaf }) => leaf.kind !== 'array' && leaf.kind !== 'element'),
  }
}

export function isOfShare(kind: string): kind is ShareOutput {
  return kind === 'total' || kind === 'matching' || kind === 'share'
}

/** Whether the order is the default order, forward or backward. */
export function isDefaultOrder(sort: readonly SortKey[]): boolean {
  const value = sort[0]?.value
  return sort.length === 3 && value?.kind === 'system' && value.name === 'indexed_at'
}

export function tableOf({ tables }: { readonly tables: readonly Table[] }, collection: Collection): Table {
  return tables.find((table) => table.collection === collection) as Table
}

/** A reference at a path of a row: its columns, or its JSON if it has none or the row is not a record. */
export function referenceOperand(
  table: Table | null,
  path: readonly string[],
  shape: ReferenceShape,
): ReferenceOperand {
  const columns = table === null ? undefined : findReference(table, path)
  return columns === undefined ? { kind: 'json', path, shape } : { kind: 'columns', ...columns, path, shape }
}

/** The reference to a record's story, if that is at a path: it is in columns alone. */
export function storyAt(table: Table, path: readonly string[]): ReferenceOperand | null {
  const { stories } = table.collection
  return path.length === 1 && path[0] === stories?.field ? referenceOperand(table, path, 'text') : null
}

/** A condition that is not composed of others by AND, OR and NOT. */
export type SimpleCondition = Exclude<Condition, { kind: 'all' | 'any' | 'not' }>

/** The conditions that must all hold. */
export function conjuncts(where: Condition): readonly Condition[] {
  return where.kind === 'all' ? where.of.flatMap(conjuncts) : [where]
}

/** Conjuncts of one condition up to which they are compared with those of another. */
const mostCompared = 50

/** Whether each conjunct of `implied` is among those of `condition`; false does not mean that it is not implied. */
export function implies(condition: Condition, implied: Condition): boolean {
  return conjunctsBeyond(condition, implied).length === 0
}

/** The conjuncts of a condition that are not among those of another, `given`; of many, all. */
export function conjunctsBeyond(given: Condition, condition: Condition): readonly Condition[] {
  const [known, parts] = [conjuncts(given), conjuncts(condition)]
  if (known.length > mostCompared || parts.length > mostCompared) return parts
  return parts.filter((part) => !known.some((one) => isDeepStrictEqual(one, part)))
}

/** The conditions of which AND, OR and NOT compose a condition. */
export function simpleConditions(condition: Condition): readonly SimpleCondition[] {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.of.flatMap(simpleConditions)
    case 'not':
      return simpleConditions(condition.of)
  }
  return [condition]
}

export function isSemiJoin(condition: Condition): condition is SemiJoin {
  return condition.kind === 'target' || condition.kind === 'referring'
}

/** The URIs one of which the record must have; null if the condition is not about the record's own URI. */
export function ownUris(part: Condition): readonly string[] | null {
  return part.kind === 'uri' && part.of === null && !part.negated ? part.list : null
}

/** Whether a condition is an equality on the record key. */
export function isKey(part: Condition): boolean {
  return (
    part.kind === 'compare' &&
    part.op === 'eq' &&
    part.operand.kind === 'system' &&
    part.operand.name === 'rkey'
  )
}

/** The DIDs one of which the record must have; null if the condition is not an equality on the DID. */
export function accountsOf(part: Condition): readonly ColumnValue[] | null {
  if (part.kind !== 'compare' && part.kind !== 'in') return null
  const { operand } = part
  if (operand.kind !== 'system' || operand.name !== 'did') return null
  if (part.kind === 'compare') return part.op === 'eq' ? [part.to] : null
  return part.negated || part.list.length === 0 ? null : part.list
}

/** Whether a condition on a referenced record depends on the reference itself, and so on the row that refers. */
export function mentionsReference(condition: Condition): boolean {
  return simpleConditions(condition).some(({ kind }) => kind === 'outerCurrent')
}

export function hasSemiJoin(condition: Condition): boolean {
  return simpleConditions(condition).some(
    (part) => isSemiJoin(part) || (part.kind === 'element' && hasSemiJoin(part.where)),
  )
}

/** Maximum number of distinct values that are probed row by row; with more, the elements of all rows are read once. */
export const mostProbes = 4

/** Whether a condition on an array reads the elements of all rows. */
export function isCountedAtOnce({ array, list }: Extract<Condition, { kind: 'has' }>): boolean {
  return array.index !== null && new Set(list.map(String)).size > mostProbes
}

/** The index in which a condition can be looked up. */
export function columnIndex(table: Table, part: Condition): TableIndex | undefined {
  const leading = leadingColumn(part)
  if (leading === undefined) return undefined
  return indexesOf(table).find(({ columns }) => columns[0] === leading)
}

/** The index that finds referring records; SQLite would prefer one over a condition that all meet. */
export function linkIndexOf(table: Table, link: Link): string | null {
  if (link.kind === 'array') return null
  const index = table.indexes.find(
    ({ kind, columns }) => kind === 'reference' && columns[0] === link.base.name,
  )
  return index?.name ?? null
}

/** All indexes of a table, including the one over its own URIs. */
export function indexesOf(table: Table): readonly TableIndex[] {
  return [...table.indexes, ownKey(table)]
}

/** The column by whose index a condition can be looked up. */
export function leadingColumn(part: Condition): string | undefined {
  if (accountsOf(part) !== null) return 'base'
  if (part.kind === 'uri') {
    if (part.negated || part.list.length === 0 || part.of?.kind === 'json') return undefined
    return part.of === null ? 'base' : part.of.base.name
  }
  if (part.kind !== 'compare' && part.kind !== 'in' && part.kind !== 'url') return undefined
  if (part.operand.kind !== 'column') return undefined
  const { name, urlHash } = part.operand.column
  if (part.kind === 'url') return urlHash?.name
  const isFound = part.kind === 'compare' ? isFoundByIndex(part.op) : !part.negated && part.list.length > 0
  if (!isFound) return undefined
  if (urlHash === undefined) return name
  return part.kind === 'in' || part.op === 'eq' ? urlHash.name : undefined
}

/** Whether URLs of the operand have stored hashes, so that only texts of the same hash are normalized. */
export function isHashed(operand: Operand): boolean {
  return operand.kind === 'column' && operand.column.urlHash !== undefined
}

/** Whether an ordered index finds the records for which a comparison holds. */
function isFoundByIndex(op: Comparison): boolean {
  return whereOperators[op].index === 'ordered'
}

/** The conditions that an index answers without reading rows. */
export function heldBy(table: Table, index: string | null, where: Condition): readonly Condition[] {
  const columns = indexesOf(table).find(({ name }) => name === index)?.columns ?? ['indexed_at']
  return conjuncts(where).filter((part) => {
    const column = leadingColumn(part) ?? heldColumn(part)
    return column !== undefined && columns.includes(column)
  })
}

/** The column of a condition that an index answers but is not entered by. */
function heldColumn(part: Condition): string | undefined {
  if (part.kind === 'missing' && part.operand.kind === 'column') return part.operand.column.name
  return part.kind === 'compare' && part.operand.kind === 'system' && isFoundByIndex(part.op)
    ? part.operand.name
    : undefined
}

/** The index from the other table of a semi-join to the records: over the reference to them, or over their URIs. */
export function indexFrom(table: Table, part: SemiJoin): TableIndex | undefined {
  if (part.kind === 'referring') return part.link.kind === 'columns' ? ownKey(table) : undefined
  const { of } = part
  return of.kind === 'columns' ? table.indexes.find(({ columns }) => columns[0] === of.base.name) : undefined
}
