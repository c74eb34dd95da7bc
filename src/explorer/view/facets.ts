/** Which facets a page shows when its address does not say so, and whether it has a chart: what it can afford. */
import type { ShownField } from '../fields/shown-field.ts'
import type { Subject } from '../fields/subject.ts'
import { affordable, type Operation } from '../operation.ts'
import type { Site } from '../page.ts'
import type { View } from './view.ts'

export interface ChosenPanels<Chart> {
  readonly facets: readonly ShownField[]
  /** Null without one, or where it cannot be afforded. */
  readonly chart: Chart | null
}

/**
 * The chart comes before facets, unless the reader has chosen these. Of the facets of the collection, those come first
 * that the reader has filtered by.
 */
export function choosePanels<Chart>(
  view: View,
  { fields, roles }: Subject,
  chart: Chart | null,
  build: (facets: readonly ShownField[], chart: Chart | null) => Operation,
  { price }: Pick<Site, 'price'>,
): ChosenPanels<Chart> {
  const affords = (facets: readonly ShownField[], drawn: Chart | null): boolean =>
    (price(build(facets, drawn)) ?? 0) <= affordable
  const all = (view.facets ?? roles.facets).flatMap((name) => fields.get(name) ?? [])
  if (affords(all, chart)) return { facets: all, chart }
  const isChosen = view.facets !== null
  const kept = chart !== null && affords(isChosen ? all : [], chart) ? chart : null
  if (isChosen) return { facets: all, chart: kept }
  const filtered = new Set(view.conditions.map(({ field }) => field.name))
  const first = all.toSorted(
    (one, other) => Number(filtered.has(other.name)) - Number(filtered.has(one.name)),
  )
  const chosen = first.reduce<readonly ShownField[]>(
    (facets, field) => (affords([...facets, field], kept) ? [...facets, field] : facets),
    [],
  )
  return { facets: all.filter((field) => chosen.includes(field)), chart: kept }
}
