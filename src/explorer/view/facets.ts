/** Which facets a page shows when its address does not say so, and whether it has a chart: what it can afford. */
import type { ShownField } from '../fields/shown-field.ts'
import type { Subject } from '../fields/subject.ts'
import { affordable, mostAffordable, type Operation } from '../operation.ts'
import type { Site } from '../page.ts'
import type { View } from './view.ts'

export interface ChosenPanels<Chart> {
  readonly facets: readonly ShownField[]
  /** Facets of the collection, or chosen ones, that cannot be afforded. */
  readonly left: readonly ShownField[]
  /** Null without one, or where none can be afforded. */
  readonly chart: Chart | null
}

/**
 * The first of the charts that can be afforded comes before facets, unless the reader has chosen these and all of them
 * can be afforded. Of other facets, those come first that the reader has filtered by.
 */
export function choosePanels<Chart>(
  view: View,
  { fields, roles }: Subject,
  charts: readonly Chart[],
  build: (facets: readonly ShownField[], chart: Chart | null) => Operation,
  { price }: Pick<Site, 'price'>,
): ChosenPanels<Chart> {
  // What is refused for another reason, such as the number of facets, cannot be shown either.
  const affords = (facets: readonly ShownField[], drawn: Chart | null, most: number): boolean =>
    (price(build(facets, drawn)) ?? Number.POSITIVE_INFINITY) <= most
  const all = (view.facets ?? roles.facets).flatMap((name) => fields.get(name) ?? [])
  const [asked = null] = charts
  if (affords(all, asked, affordable)) return { facets: all, left: [], chart: asked }
  const isChosen = view.facets !== null
  const isKept = isChosen && affords(all, null, mostAffordable)
  const chart = charts.find((each) => affords(isKept ? all : [], each, mostAffordable)) ?? null
  if (isKept) return { facets: all, left: [], chart }
  const isFiltered = isFilteredIn(view)
  const first = [...all.filter(isFiltered), ...all.filter((field) => !isFiltered(field))]
  const chosen = first.reduce<readonly ShownField[]>((facets, field) => {
    const more = [...facets, field]
    return affords(more, chart, isChosen || isFiltered(field) ? mostAffordable : affordable) ? more : facets
  }, [])
  const isShown = (field: ShownField) => chosen.includes(field)
  return { facets: all.filter(isShown), left: all.filter((field) => !isShown(field)), chart }
}

export function isFilteredIn({ conditions }: View): (field: ShownField) => boolean {
  const names = new Set(conditions.map(({ field }) => field.name))
  return ({ name }) => names.has(name)
}
