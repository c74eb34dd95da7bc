/** What the page of a list asks, and the facets that it can afford; the others are for a second request. */
import { printField } from '../../ask/graphql-text.ts'
import { affordable, buildOperation, mostAffordable, type Operation } from '../../ask/operation.ts'
import { membersOf } from '../fields/named-references.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { Site } from '../page.ts'
import type { View } from '../view/view.ts'
import { columnsOf, fieldsNamed, listPanel } from './list.ts'
import { conditionNames } from './names.ts'

export interface ChosenFacets {
  readonly facets: readonly ShownField[]
  /** Facets of the collection, or chosen ones, that cannot be afforded. */
  readonly left: readonly ShownField[]
}

/** Pages after the first, whose facets are the same, and those of stories leave all facets to the second request. */
export function askList(
  view: View,
  subject: PageSubject,
  site: Site,
): ChosenFacets & { readonly operation: Operation } {
  const columns = columnsOf(view, subject)
  const members = membersOf(subject, site.subjects)
  const counted = members === null ? {} : { [printField(members.name, { first: 0 })]: { totalCount: {} } }
  const build = (facets: readonly ShownField[]): Operation =>
    buildOperation(site.schema, 'Collection', [
      listPanel(view, columns, facets, subject, counted),
      ...conditionNames(view.conditions),
    ])
  const first = chooseFacets(view, subject, build, site)
  const isLate = view.page !== null || view.stories
  const { facets, left } = isLate ? { facets: [], left: [...first.facets, ...first.left] } : first
  return { facets, left, operation: build(facets) }
}

/** Those come first that the reader has filtered by. What a reader has chosen may cost more. */
function chooseFacets(
  view: View,
  subject: PageSubject,
  build: (facets: readonly ShownField[]) => Operation,
  { price }: Pick<Site, 'price'>,
): ChosenFacets {
  // What is refused for another reason, such as the number of facets, cannot be shown either.
  const affords = (facets: readonly ShownField[], most: number): boolean =>
    (price(build(facets)) ?? Number.POSITIVE_INFINITY) <= most
  const isChosen = view.facets !== null
  const all = fieldsNamed(subject, view.facets ?? subject.roles.facets)
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
