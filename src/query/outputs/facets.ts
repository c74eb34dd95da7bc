/** `facets` of a list: the groups of its records by one key each, which may leave out the conditions on the key itself. */
import type { Table } from '../../database/layout/tables.ts'
import { elementArray, isArray, leafType } from '../../schema/model/leaves.ts'
import { type GroupField, wherePath } from '../../schema/model/operators.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { emitObject, emitRowsArray, emitTuple } from '../emit/emit-output.ts'
import type { Emitter, Parent } from '../emit/emitter.ts'
import { type Grouping, isMissing, keyText } from '../emit/groups/emit-group-values.ts'
import { createGrouping } from '../emit/groups/emit-grouping.ts'
import { emitSharedRows } from '../emit/groups/emit-source.ts'
import { inSteps } from '../emit/steps.ts'
import { describeAccess, describeWhere } from '../optimize/describe-access.ts'
import { materializedGroups, planCountedRows } from '../optimize/groups/optimize-count.ts'
import type { Optimizer } from '../optimize/optimizer.ts'
import { limits } from '../parse/limits.ts'
import { argumentsOf, badInput, type Collected, integerArgument } from '../parse/prepare.ts'
import { constantOutput, fieldsBelow, namedBelow } from '../plan/build-fields.ts'
import type { Input } from '../plan/build-operators.ts'
import type { Condition } from '../plan/conditions.ts'
import type { Constant } from '../plan/fields.ts'
import { groupFieldsOf, groupKey } from '../plan/groups/build-group-key.ts'
import type { CountedRows, PhysicalFacet, PhysicalFacets } from '../plan/physical-plan.ts'
import { conjuncts, isConstant } from '../plan/plan-facts.ts'
import type { FacetOutput, FacetPlan, ListPlan, PlanContext } from '../plan/plan.ts'
import { keysSize, readingSize } from '../price/cost-groups.ts'
import { linkedSize } from '../price/cost-pages.ts'
import { selectedSize, sum, weights } from '../price/cost-weights.ts'
import { whereSize } from '../price/cost-where.ts'
import { groupsInOrder } from './group-pages.ts'

/** The list whose records have the facets. */
interface FacetedList {
  readonly table: Table
  readonly where: Condition
  /** The argument `where`, without the search that `where` above includes. */
  readonly conditions: unknown
  /** The condition of the list if it had another argument `where`. */
  conditionOf(conditions: unknown): Condition
}

const defaultLimit = 10

export function buildFacets(
  context: PlanContext,
  collected: Collected,
  { table, where, conditions, conditionOf }: FacetedList,
): readonly FacetPlan[] {
  const given = argumentsOf(context.selection, collected)
  const limit = integerArgument('limit', given.limit, limits.facetValues, defaultLimit, 1)
  const whereOf = (field: GroupField): Condition => {
    const others = withoutOwn(conditions, wherePath(field, context.model), isReference(field))
    return others === conditions ? where : conditionOf(others)
  }
  return groupFieldsOf('fields', given.fields, 'facetFields').map((field) => {
    const isInside = elementArray(field.leaf) !== null
    if (isInside || field.bucket !== null)
      throw badInput(
        `\`fields\` names ${field.name}, and ${isInside ? 'what is inside an array of objects' : 'a period of time'} is no facet. Group by it in \`${table.collection.rootField}Aggregate\`.`,
      )
    return {
      name: field.name,
      key: groupKey(context, table, field),
      where: given.ignoreOwn === true ? whereOf(field) : where,
      limit,
      fields: fieldsBelow(context, collected, (below) => facetOutput(context, below, field)),
    }
  })
}

function facetOutput(context: PlanContext, below: Collected, { name }: GroupField): FacetOutput | Constant {
  if (below.name === 'field') return constantOutput(name)
  if (below.name !== 'values') return { kind: below.name as 'missing' | 'cut' }
  return { kind: 'values', fields: namedBelow(context, below) }
}

function isReference({ leaf }: GroupField): boolean {
  const { kind } = leafType(leaf)
  return !isArray(leaf) && (kind === 'strongRef' || kind === 'atUri')
}

/** The members of a condition on a reference that are about the reference itself. */
const referenceMembers = ['uri', 'isNull', 'isIndexed', 'isCurrent']

/**
 * A `where` without its conditions on the field at a path of members; the same object if there are none. Of a reference,
 * the conditions on the record behind it stay; so do all conditions inside AND, OR and NOT.
 */
export function withoutOwn(where: unknown, path: readonly string[], ofReference: boolean): unknown {
  const [name, ...inside] = path
  if (!isInput(where) || name === undefined || !Object.hasOwn(where, name)) return where
  const own = where[name]
  const left =
    inside.length > 0
      ? withoutOwn(own, inside, ofReference)
      : ofReference && isInput(own)
        ? without(own, referenceMembers)
        : {}
  if (left === own) return where
  return isInput(left) && Object.keys(left).length > 0 ? { ...where, [name]: left } : without(where, [name])
}

function without(input: Input, names: readonly string[]): Input {
  const left = Object.entries(input).filter(([name]) => !names.includes(name))
  return left.length === Object.keys(input).length ? input : Object.fromEntries(left)
}

function isInput(value: unknown): value is Input {
  return typeof value === 'object' && value !== null
}

/**
 * What each facet that reads records costs. The first under a condition costs what groups by its key do; others share the
 * records that it finds. Conditions are equal if they are the same object.
 */
function facetSizes(list: ListPlan, facets: readonly FacetPlan[]): ReadonlyMap<FacetPlan, number> {
  const found = new Set<Condition>()
  const mayCount = list.link === null
  const read = facets.filter(({ fields }) => !fields.every(({ output }) => isConstant(output)))
  return new Map(
    read.map((facet) => {
      const { key, where } = facet
      const size = found.has(where)
        ? weights.compared + keysSize([key])
        : readingSize({ ...list, measures: [] }, [key], whereSize({ ...list, where }, 'all'), mayCount)
      if (conjuncts(where).length > 0) found.add(where)
      return [facet, linkedSize(list, size)]
    }),
  )
}

export function facetsSize(list: ListPlan, facets: readonly FacetPlan[]): number {
  return sum(facets, printedFacet) + sum([...facetSizes(list, facets).values()], (size) => size)
}

function printedFacet({ fields, limit }: FacetPlan): number {
  return (
    weights.value +
    selectedSize(fields, (output) =>
      output.kind === 'values'
        ? weights.value + limit * (1 + output.fields.length) * weights.value
        : weights.value,
    )
  )
}

/**
 * From materialized counts if possible, otherwise from rows. Facets under the same condition share the rows that are
 * found: finding them again for each of five facets takes twice as long. All rows of a table need no finding, and storing
 * them takes longer than reading them again. Conditions are equal if they are the same object; facets without `ignoreOwn`
 * have the condition of the list.
 */
export function planFacets(
  optimizer: Optimizer,
  list: ListPlan,
  facets: readonly FacetPlan[],
): PhysicalFacets {
  const { table, link } = list
  const groups = new Map<FacetPlan, PhysicalFacet['groups']>()
  const found: FacetPlan[] = []
  for (const [facet, size] of facetSizes(list, facets)) {
    const { where, key } = facet
    const known = link === null ? materializedGroups(optimizer, { table, where, measures: [] }, [key]) : null
    if (known === null) found.push(facet)
    else {
      groups.set(facet, known)
      optimizer.estimate.savedSize += size
    }
  }
  const shared: CountedRows[] = []
  for (const [where, its] of Map.groupBy(found, (facet) => facet.where)) {
    const rows = planCountedRows(optimizer, { table, where, link })
    const isShared = its.length > 1 && (link !== null || conjuncts(where).length > 0)
    const access = isShared ? ({ kind: 'shared', rows: shared.push(rows) - 1 } as const) : rows
    for (const facet of its) groups.set(facet, access)
  }
  return {
    kind: 'facets',
    shared,
    facets: facets.map((facet) => ({ facet, groups: groups.get(facet) ?? null })),
  }
}

/** The facets as a JSON array. */
export function emitFacets(given: Emitter, table: Table, output: PhysicalFacets, parent: Parent): Sql {
  const { shared, facets } = output
  return inSteps(given, (emitter) => {
    const rows = shared.map((access, index) => {
      const sharing = facets.filter(({ groups }) => groups?.kind === 'shared' && groups.rows === index)
      const keys = sharing.map(({ facet }) => facet.key)
      return emitSharedRows(emitter, { table, elements: [], access, parent }, keys)
    })
    const plan = { table, measures: [], elements: [] }
    const objects = facets.map(({ facet, groups }) => {
      const access = groups?.kind === 'shared' ? (rows[groups.rows] ?? null) : groups
      const grouping = access === null ? null : createGrouping(emitter, plan, [facet.key], access, parent)
      return emitObject(emitter, facet.fields, (output) => facetValue(emitter, facet, grouping, output))
    })
    return emitTuple(emitter, objects)
  })
}

function facetValue(emitter: Emitter, facet: FacetPlan, groups: Grouping | null, output: FacetOutput): Sql {
  if (groups === null) throw new Error('The facet has no groups.')
  const { dialect } = emitter
  const row = emitter.alias()
  switch (output.kind) {
    case 'missing':
      return sql`(select coalesce(sum(n), 0) from ${groups.name} ${row} where ${isMissing(0, row, true)})`
    case 'cut': {
      const values = sql`select count(*) from ${groups.name} ${row} where ${isMissing(0, row, false)}`
      return dialect.booleanJson(sql`(${values}) > ${dialect.limit(facet.limit)}`)
    }
    case 'values': {
      const text = emitObject(emitter, output.fields, ({ kind }) =>
        kind === 'count' ? sql`${row}.n` : dialect.toJson(keyText(emitter, groups, 0, row)),
      )
      const list = {
        order: { by: 'count', direction: 'desc' },
        limit: facet.limit,
        page: null,
        groups,
        condition: (each: Sql) => isMissing(0, each, false),
      } as const
      return emitRowsArray(emitter, groupsInOrder(emitter, list), row, text)
    }
  }
}

export function describeFacets({ shared, facets }: PhysicalFacets, where: Condition): readonly string[] {
  return facets.flatMap(({ facet, groups }) => {
    if (groups === null) return []
    const own = facet.where === where ? '' : ` ${describeWhere(facet.where)}`
    if (groups.kind !== 'shared') return [`facet ${facet.name}${own} from ${describeAccess(groups)}`]
    const rows = describeAccess(shared[groups.rows] as CountedRows)
    return [`facet ${facet.name}${own} from ${rows}, read once for several facets`]
  })
}
