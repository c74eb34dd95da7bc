/**
 * Plans the facets of a list: from materialized counts if possible, otherwise from rows. Facets under the same condition
 * share the rows that are found: finding them again for each of five facets takes twice as long. All rows of a table
 * need no finding, and storing them takes longer than reading them again.
 */
import { facetSizes } from '../../price/cost-groups.ts'
import { materializedGroups, planCountedRows } from './optimize-count.ts'
import type { Optimizer } from '../optimizer.ts'
import type { CountedRows, PhysicalFacet, PhysicalFacets } from '../../plan/physical-plan.ts'
import type { FacetPlan, ListPlan } from '../../plan/plan.ts'
import type { Condition } from '../../plan/conditions.ts'
import { conjuncts, isConstant } from '../../plan/plan-facts.ts'

/** Conditions are equal if they are the same object; facets without `ignoreOwn` have the condition of the list. */
export function planFacets(
  optimizer: Optimizer,
  list: ListPlan,
  facets: readonly FacetPlan[],
): PhysicalFacets {
  const { table, link } = list
  const read = facets.filter(({ fields }) => !fields.every(({ output }) => isConstant(output)))
  const materialized = new Map(read.map((facet) => [facet, materializedFacet(optimizer, list, facet)]))
  for (const [facet, size] of facetSizes(list, read))
    if (materialized.get(facet) !== null) optimizer.estimate.savedSize += size
  const found = read.filter((facet) => materialized.get(facet) === null)
  const rows = new Map<Condition, CountedRows>()
  const shared: CountedRows[] = []
  for (const { where } of found) {
    const known = rows.get(where)
    const areFound = link !== null || conjuncts(where).length > 0
    if (known === undefined) rows.set(where, planCountedRows(optimizer, table, where, link))
    else if (areFound && !shared.includes(known)) shared.push(known)
  }
  const groupsOf = (facet: FacetPlan): PhysicalFacet['groups'] => {
    const own = rows.get(facet.where)
    if (!found.includes(facet) || own === undefined) return materialized.get(facet) ?? null
    return shared.includes(own) ? { kind: 'shared', rows: shared.indexOf(own) } : own
  }
  return { shared, facets: facets.map((facet) => ({ facet, groups: groupsOf(facet) })) }
}

function materializedFacet(optimizer: Optimizer, list: ListPlan, facet: FacetPlan) {
  const { table, link } = list
  if (link !== null) return null
  return materializedGroups(optimizer, { table, where: facet.where, measures: [] }, [facet.key])
}
