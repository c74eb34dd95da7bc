/** Which facets a page shows when its address does not say so: those that it can afford. */
import type { ShownField } from '../fields/shown-field.ts'
import type { Subject } from '../fields/subject.ts'
import { facetCost, listCost, type Restriction } from './price.ts'
import type { View } from './view.ts'

/** Points for a page; the service allows more, since this is an estimate. */
const affordable = 215

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
  let left = affordable - others - listCost(restriction, view.sort !== null || restriction.isSearch)
  const chosen = candidates.filter((field) => {
    const cost = facetCost(field, restriction)
    if (cost > left) return false
    left -= cost
    return true
  })
  return fields(subject.roles.facets).filter((field) => chosen.includes(field))
}

export function restrictionOf({ conditions, search }: View, { collection }: Subject): Restriction {
  return { conditions, isSearch: search !== '' && collection.searchFields.length > 0 }
}
