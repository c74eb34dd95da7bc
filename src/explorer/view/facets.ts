/** Which facets a page shows when its address does not say so: what it can afford. */
import type { ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import { affordable, mostAffordable, type Operation } from '../../ask/operation.ts'
import type { Site } from '../page.ts'
import type { View } from './view.ts'

export interface ChosenFacets {
  readonly facets: readonly ShownField[]
  /** Facets of the collection, or chosen ones, that cannot be afforded. */
  readonly left: readonly ShownField[]
}

/** Those come first that the reader has filtered by. What a reader has chosen may cost more. */
export function chooseFacets(
  view: View,
  { fields, roles }: PageSubject,
  build: (facets: readonly ShownField[]) => Operation,
  { price }: Pick<Site, 'price'>,
): ChosenFacets {
  // What is refused for another reason, such as the number of facets, cannot be shown either.
  const affords = (facets: readonly ShownField[], most: number): boolean =>
    (price(build(facets)) ?? Number.POSITIVE_INFINITY) <= most
  const isChosen = view.facets !== null
  const all = (view.facets ?? roles.facets).flatMap((name) => fields.get(name) ?? [])
  if (affords(all, isChosen ? mostAffordable : affordable)) return { facets: all, left: [] }
  const isFiltered = isFilteredIn(view)
  const first = [...all.filter(isFiltered), ...all.filter((field) => !isFiltered(field))]
  const chosen = first.reduce<readonly ShownField[]>((facets, field) => {
    const more = [...facets, field]
    return affords(more, isChosen || isFiltered(field) ? mostAffordable : affordable) ? more : facets
  }, [])
  const isShown = (field: ShownField) => chosen.includes(field)
  return { facets: all.filter(isShown), left: all.filter((field) => !isShown(field)) }
}

/** In as few operations as can be afforded; a facet that none can have is left out. */
export function facetOperations(
  facets: readonly ShownField[],
  build: (facets: readonly ShownField[]) => Operation,
  { price }: Pick<Site, 'price'>,
): readonly Operation[] {
  const affords = (operation: Operation) => (price(operation) ?? Number.POSITIVE_INFINITY) <= mostAffordable
  if (facets.length === 0) return []
  const whole = build(facets)
  return affords(whole) ? [whole] : facets.map((each) => build([each])).filter(affords)
}

export function isFilteredIn({ conditions }: View): (field: ShownField) => boolean {
  const names = new Set(conditions.map(({ field }) => field.name))
  return ({ name }) => names.has(name)
}
