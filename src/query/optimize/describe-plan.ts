/** Describes a physical plan for `explain`: what each root field reads, by which path, in which order. */
import { describeFacets } from '../outputs/facets.ts'
import { describeFill } from '../outputs/fill.ts'
import { describePairs } from '../outputs/pairs.ts'
import { describeShares } from '../outputs/shares.ts'
import { describeSignificance } from '../outputs/significance.ts'
import { describeUnusualWords } from '../outputs/unusual-words.ts'
import { alwaysTrue } from '../plan/conditions.ts'
import type { Fields } from '../plan/fields.ts'
import type {
  OrderedRows,
  PhysicalAggregate,
  PhysicalGroupOutput,
  PhysicalList,
  PhysicalPlan,
  PhysicalRoot,
} from '../plan/physical-plan.ts'
import { groupedNames } from '../plan/plan-facts.ts'
import {
  describeAccess,
  describeCollected,
  describeKey,
  describePath,
  describeValue,
  describeWhere,
} from './describe-access.ts'

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

function describeAggregate(plan: PhysicalAggregate): string {
  const { aggregate, fields, count, groups, whole, significance, shares } = plan
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

/** The arrays of objects that are read from each record, and which of their elements count. */
function describeElements(plan: PhysicalAggregate['aggregate']): readonly string[] {
  const { keys, measures, elements } = plan
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
