/** What the page of a list asks, and the facets that it can afford; the others are for a second request. */
import { printField } from '../../ask/graphql-text.ts'
import { buildOperation, type Operation } from '../../ask/operation.ts'
import { membersOf } from '../fields/named-references.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { Site } from '../page.ts'
import { type ChosenFacets, chooseFacets } from '../view/facets.ts'
import type { View } from '../view/view.ts'
import { columnsOf, listPanel } from './list.ts'
import { conditionNames } from './names.ts'

export interface AskedList extends ChosenFacets {
  readonly operation: Operation
}

/** Pages after the first, whose facets are the same, and those of stories leave all facets to the second request. */
export function askList(view: View, subject: PageSubject, site: Site): AskedList {
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
