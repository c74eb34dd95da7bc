/** Which facets a page shows when its address does not say so: those that it can afford. */
import type { ShownField } from '../fields/shown-field.ts'
import type { Subject } from '../fields/subject.ts'
import { facetCost, furtherFacetCost, listCost, type Restriction } from './price.ts'
import type { View } from './view.ts'

/** Points for a page with facets, and for one without; the service allows more, since these are estimates. */
const affordable = 215
const mostAffordable = 200

/**
 * First those that the reader has filtered by, then the others in the order of the collection. `others`: the points
 * of other panels.
 */
export function facetsOf(view: View, subject: Subject, others = 0): readonly ShownField[] {
  const fields = (names: readonly string[]) => names.flatMap((name) => subject.fields.get(name) ?? [])
  if (view.facets !== null) return fields(view.facets)
  const restriction = restrictionOf(view, subject)
  const filtered = new Set(view.conditions.map(({ field }) => field.name))
  const candidates = fields(subject.roles.facets).toSorted(
    (one, other) => Number(filtered.has(other.name)) - Number(filtered.has(one.name)),
  )
  let left = affordable - others - recordsCost(view, subject)
  let isShared = false
  const chosen = candidates.filter((field) => {
    const isOwnSearch = !isShared || filtered.has(field.name)
    const cost = isOwnSearch ? facetCost(field, restriction) : furtherFacetCost(field)
    if (cost > left) return false
    left -= cost
    isShared ||= !filtered.has(field.name)
    return true
  })
  return fields(subject.roles.facets).filter((field) => chosen.includes(field))
}

/** Whether a page can have panels of so many points besides its records. */
export function canAfford(points: number, view: View, subject: Subject): boolean {
  return points + recordsCost(view, subject) <= mostAffordable
}

function recordsCost(view: View, subject: Subject): number {
  const restriction = restrictionOf(view, subject)
  return listCost(restriction, view.sort !== null || restriction.isSearch)
}

export function restrictionOf({ conditions, search }: View, { collection }: Subject): Restriction {
  return { conditions, isSearch: search !== '' && collection.searchFields.length > 0 }
}
