/**
 * Describes a physical plan in a few lines for `explain`: what each root field reads, by which access path, in which
 * order.
 */
import type {
  AccessPath,
  CountedRows,
  DistinctCount,
  GroupAccess,
  OrderedRows,
  PhysicalAggregate,
  PhysicalFacets,
  PhysicalGroupOutput,
  PhysicalList,
  PhysicalPairs,
  PhysicalPlan,
  PhysicalRoot,
  PhysicalShares,
  PhysicalSignificance,
  PhysicalUnusualWords,
  SharePart,
  TotalAccess,
} from '../plan/physical-plan.ts'
import { measures } from '../../schema/model/measures.ts'
import type { FillPlan, MeasurePlan } from '../plan/groups/group-plan.ts'
import { groupedNames, isHashed } from '../plan/plan-facts.ts'
import type { Fields } from '../plan/fields.ts'
import type { KeyValue, SortKey } from '../plan/plan.ts'
import { alwaysTrue, type Condition, type ReferringCount } from '../plan/conditions.ts'
import type { WordMatch } from '../../sql/dialect.ts'

export function describePlan({ roots }: Pick<PhysicalPlan, 'roots'>): readonly string[] {
  return roots.map(({ key, output }) =>
    output.kind === 'constant' || output.kind === 'introspection'
      ? describeConstant({ key })
      : `${key}: ${describeRoot(output)}`,
  )
}

export function describeConstant({ key }: { readonly key: string }): string {
  return `${key}: no data is read`
}

function describeRoot(output: Exclude<PhysicalRoot, { kind: 'introspection' }>): string {
  switch (output.kind) {
    case 'byUri':
      return `the record of ${output.table.name} with one URI`
    case 'nodes':
      return `records of ${output.records.map(({ table }) => table.name).join(', ')} with ${output.uris.length} URIs`
    case 'status':
      return 'the state of the index at this moment'
    case 'list':
      return describeList(output.list)
    case 'merged':
      return `one list of ${output.lists.length}: ${output.lists.map(describeList).join(' | ')}`
    case 'aggregate':
      return describeAggregate(output.aggregate)
  }
}

function describeList({ list, fields, page: rows, total }: PhysicalList): string {
  const { table, where, sort, distinct, page } = list
  const size = `${page.backward ? 'last' : 'first'} ${page.size}${page.from === null ? '' : ' beyond a cursor'}`
  const parts = [
    `${size} of ${table.name} ${describeWhere(where)}, by ${sort.map(describeKey).join(', ')}`,
    ...(distinct.length === 0 ? [] : [`the first for each ${distinct.map(describeValue).join(', ')}`]),
    ...(rows === null ? [] : [`through ${describeRows(rows.rows)}`]),
    ...(total === null ? [] : [`total from ${describeAccess(total)}`]),
    ...fields.flatMap(({ output }) => {
      if (output.kind === 'missingWords')
        return [`words near to ${output.words.join(', ')}, if no record has them`]
      return output.kind === 'facets' ? describeFacets(output, where) : []
    }),
  ]
  return parts.join('; ')
}

function describeRows({ order, path }: OrderedRows): string {
  if (order.kind === 'counts') return `materialized counts ${order.counts.name}`
  if (order.kind !== 'distinct') return describePath(path)
  const all = describeAccess(order.all)
  if (order.near === null) return all
  return `the first ${order.near.limit} rows of ${describeRows(order.near)}, and if these do not suffice ${all}`
}

function describeFacets({ shared, facets }: PhysicalFacets, where: Condition): readonly string[] {
  return facets.flatMap(({ facet, groups }) => {
    if (groups === null) return []
    const own = facet.where === where ? '' : ` ${describeWhere(facet.where)}`
    if (groups.kind !== 'shared') return [`facet ${facet.name}${own} from ${describeAccess(groups)}`]
    const rows = describeAccess(shared[groups.rows] as CountedRows)
    return [`facet ${facet.name}${own} from ${rows}, read once for several facets`]
  })
}

function describeAggregate({
  aggregate,
  fields,
  count,
  groups,
  whole,
  significance,
  shares,
}: PhysicalAggregate): string {
  const { table, where, keys, limit, measures, having, fill, changes } = aggregate
  const by = keys.length === 0 ? 'as a whole' : `in groups by ${keys.length} keys, up to ${limit} of them`
  const size = keys.find(({ interval }) => interval !== null)?.interval ?? null
  const zone = keys.find(({ bucket }) => bucket?.zone)?.bucket?.zone ?? null
  const parts = [
    `records of ${table.name} ${describeWhere(where)}, ${by}${size === null ? '' : `, integers in ranges of ${size}`}${zone === null ? '' : `, times in ${zone.name}`}`,
    ...describeElements(aggregate),
    ...(groups === null ? [] : [`groups from ${describeAccess(groups)}`]),
    ...(fill === null ? [] : [describeFill(fill)]),
    ...(significance === null ? [] : describeSignificance(significance)),
    ...(shares === null ? [] : describeShares(shares)),
    ...(changes.length === 0 ? [] : [`${changes.length} changes over all groups`]),
    ...(having.length === 0 ? [] : [`those that meet ${having.length} conditions on groups`]),
    ...describeCollected(measures),
    ...(whole === null ? [] : [`measures from ${describeAccess(whole)}`]),
    ...(count === null ? [] : [`count from ${describeAccess(count)}`]),
    ...fields.flatMap(({ output }) => {
      if (output.kind === 'groups') return describeNested(output.fields)
      if (output.kind === 'pairs') return [describePairs(output)]
      return output.kind === 'unusualWords' ? [describeUnusualWords(output)] : []
    }),
  ]
  return parts.join('; ')
}

function describeFill(fill: FillPlan): string {
  return fill.kind === 'buckets'
    ? `and those without records of ${fill.seconds.length} buckets`
    : 'and those that only the denominator has'
}

/** The arrays of objects that are read from each record, and which of their elements count. */
function describeElements({
  keys,
  measures,
  elements,
}: Pick<PhysicalAggregate['aggregate'], 'keys' | 'measures' | 'elements'>): readonly string[] {
  const through = [...keys, ...measures.map(({ of }) => of)]
  const names = through.flatMap(({ joins, leaf }) =>
    leaf.kind === 'element'
      ? [[...joins.map(({ base }) => base.path.join('.')), ...leaf.array].join('.')]
      : [],
  )
  const column = groupedNames(keys, { measures, elements })
  if (column !== null) return [`names of ${names[0] ?? ''} from the column ${column.name}`]
  return [...new Set(names)].map((name) => {
    const filter = elements.find(({ array }) => array.join('.') === name)
    return `elements of ${name} ${describeWhere(filter?.where ?? alwaysTrue)}, read from each record`
  })
}

/** What lies within groups. */
function describeNested(fields: Fields<PhysicalGroupOutput>): readonly string[] {
  return fields.flatMap(({ output }) => {
    if (output.kind === 'nodes') {
      const { first, sort, rows } = output
      const order = sort.map(describeKey).join(', ')
      return [`within each group up to ${first} records by ${order}, from ${describeAccess(rows)}`]
    }
    if (output.kind !== 'top') return []
    const { outer, aggregate: inner } = output
    const { keys, limit, measures } = inner.aggregate
    const parts = [
      `within each group up to ${limit} groups by ${keys.length - outer} more keys`,
      ...(inner.groups === null ? [] : [`from ${describeAccess(inner.groups)}`]),
      ...(inner.shares === null ? [] : describeShares(inner.shares)),
      ...(output.isSummed ? ['whose denominators are summed for the groups around them'] : []),
      ...describeCollected(measures),
    ]
    return [parts.join(', ')]
  })
}

/** The measures for which all values of a group are collected. */
function describeCollected(measured: readonly MeasurePlan[]): readonly string[] {
  return measured.flatMap(({ measure, of: { leaf } }) =>
    measures[measure].price === 'orderedMeasure' && leaf.kind === 'column'
      ? [`${measure} of the collected values of ${leaf.column.path.join('.')}`]
      : [],
  )
}

function describeSignificance({ background, subtractsGroups }: PhysicalSignificance): readonly string[] {
  const parts = background.map(
    ({ where, isSubtracted, groups }) =>
      `${isSubtracted ? 'without' : 'compared with'} records ${describeWhere(where)}, their groups from ${describeAccess(groups)}`,
  )
  return subtractsGroups ? [...parts, 'without the records that are compared'] : parts
}

function describeShares({ total, numerator }: PhysicalShares): readonly string[] {
  const describePart = ({ where, groups, count }: SharePart): string => {
    const read = [
      ...(groups === null ? [] : [`their groups from ${describeAccess(groups)}`]),
      ...(count === null ? [] : [`their count from ${describeAccess(count)}`]),
    ]
    return `records ${describeWhere(where)}, ${read.join(', ')}`
  }
  if (typeof numerator === 'string') return [`divided by ${describePart(total)}`]
  return [`shares of ${describePart(numerator)}`, `divided by ${describePart(total)}`]
}

function describeUnusualWords({ own, others, ...words }: PhysicalUnusualWords): string {
  const { name } = words.table.words?.fields[words.field] ?? {}
  return `words of ${name} from ${describeAccess(own.rows)}, compared with records ${describeWhere(words.background)}, their words from ${describeAccess(others.rows)}`
}

function describePairs({ array, limit, rows }: PhysicalPairs): string {
  const of = rows === null ? 'all records' : `records from ${describeAccess(rows)}`
  return `up to ${limit} pairs of elements in ${array.name} of ${of}`
}

function describeAccess(access: TotalAccess | GroupAccess | DistinctCount): string {
  switch (access.kind) {
    case 'distinct':
      return describeAccess(access.rows)
    case 'distinct-counts':
    case 'counts':
    case 'account-counts':
    case 'link-counts':
    case 'joined-counts':
      return `materialized counts ${access.counts.name}`
    case 'groups':
      return 'the groups'
    case 'ranges':
      return `ranges of ${access.index.name}, one for each bucket in ${access.counts.name}`
    case 'elements':
      return `elements in ${access.array.name}`
    case 'sums':
      return `materialized sums ${access.sums.name}`
    case 'matches':
      return 'the word index'
    case 'rows':
      return access.groupIndex === undefined
        ? describePath(access.rows.path)
        : `the index ${access.groupIndex.name} for each group`
    case 'linked-rows':
      return describePath(access.rows.path)
  }
}

function describePath(path: AccessPath): string {
  switch (path.kind) {
    case 'planner':
      return "the planner's choice"
    case 'index-scan':
    case 'fenced-scan':
      return path.index === null ? 'a scan by id' : `an index scan of ${path.index}`
    case 'candidate-ids':
    case 'fenced-candidates':
      return `candidate ids from ${path.sources.map((source) => ('array' in source ? source.array : source.index).name).join(', ')}`
  }
}

function describeKey({ value, direction }: SortKey): string {
  return `${describeValue(value)} ${direction}`
}

function describeValue(value: KeyValue): string {
  switch (value.kind) {
    case 'relevance':
      return 'relevance'
    case 'count':
      return countName(value)
    case 'uriText':
      return value.base.path.join('.')
    case 'column':
      return value.column.path.join('.')
    case 'system':
      return value.name
  }
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
    case 'url':
      return `${operandName(condition.operand)} sameUrl (${isHashed(condition.operand) ? 'index of hashes' : 'normalized row by row'})`
    case 'words':
      return `words match ${describeMatch(condition.match)} (word index)`
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

function countName({ table, counts }: ReferringCount): string {
  const from = counts === null ? 'counted' : `materialized counts ${counts.name}`
  return `the number of ${table.name} that refer to it (${from})`
}

function operandName(operand: Extract<Condition, { kind: 'compare' }>['operand']): string {
  if (operand.kind === 'column') return operand.column.path.join('.')
  if (operand.kind === 'count') return countName(operand)
  return operand.kind === 'json' ? operand.path.join('.') : operand.name
}

function describeMatch(match: WordMatch): string {
  switch (match.kind) {
    case 'term':
      return match.words.length === 1 ? `a ${match.prefix ? 'prefix' : 'word'}` : `a phrase`
    case 'any':
      return `(${match.of.map(describeMatch).join(' or ')})`
    case 'all':
      return `(${[...match.of.map(describeMatch), ...match.except.map((part) => `not ${describeMatch(part)}`)].join(' and ')})`
  }
}
