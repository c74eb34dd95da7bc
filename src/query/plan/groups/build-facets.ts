/** Builds the plans of a list's facets, and leaves out of a `where` the conditions on a facet's own field. */
import type { Table } from '../../../database/layout/tables.ts'
import { elementArray, isArray, leafType } from '../../../schema/model/leaves.ts'
import { type GroupField, wherePath } from '../../../schema/model/operators.ts'
import { argumentsOf, badInput, type Collected, integerArgument } from '../../parse/prepare.ts'
import { limits } from '../../parse/limits.ts'
import { constantOutput, fieldsBelow, namedBelow } from '../build-fields.ts'
import type { Input } from '../build-operators.ts'
import { groupFieldsOf, groupKey } from './build-group-key.ts'
import type { Constant } from '../fields.ts'
import type { FacetOutput, FacetPlan, FacetValueOutput, PlanContext } from '../plan.ts'
import type { Condition } from '../conditions.ts'

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
  return {
    kind: 'values',
    fields: namedBelow<FacetValueOutput['kind']>(context, below),
  }
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
