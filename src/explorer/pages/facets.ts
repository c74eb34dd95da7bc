/** The facets of a view that cost too much for its page, which fetches them; without script, a page of its own. */
import { type Browse, viewAddress } from '../browse/context.ts'
import { facetList } from '../browse/facets.ts'
import { conditionList } from '../browse/sentences.ts'
import { subjectLabel } from '../fields/labels.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import { html } from '../html.ts'
import { affordableOperations, buildOperation } from '../../ask/operation.ts'
import { type FacetAnswer, facetSelection, type ListAnswer } from '../lists/list.ts'
import { askList, facetOperations } from '../lists/list-operation.ts'
import { conditionNames, facetNames, readNames } from '../lists/names.ts'
import type { Answer, Draft, PageRequest, Site } from '../page.ts'
import { lateId } from '../parts/later.ts'
import { timeParameters } from '../view/parameters.ts'
import { changed, readView, recordArguments } from '../view/view.ts'
import { problemPage } from './failure.ts'

export function facetsPage(site: Site, subject: PageSubject, request: PageRequest): Draft {
  const { parameters, language } = request
  const { text } = language
  const { view, problems } = readView(parameters, subject, timeParameters)
  const title = `${subjectLabel(subject, language)}: ${text.filters}`
  if (problems.length > 0) return problemPage(problems, title, request)
  const { left } = askList(view, subject, site)
  const listsIn = (answer: Answer) =>
    [left, ...left.map((each) => [each])].flatMap(
      (facets) =>
        (answer[panelOf(facets)] as Required<Pick<ListAnswer, 'facets' | 'totalCount'>> | undefined) ?? [],
    )
  const foundIn = (answer: Answer) => listsIn(answer).flatMap(({ facets }) => facets)
  const build = (facets: readonly ShownField[]) =>
    buildOperation(site.schema, 'Facets', [
      {
        name: panelOf(facets),
        field: subject.collection.rootField,
        arguments: { ...recordArguments(view) },
        selection: { totalCount: {}, ...facetSelection(facets) },
      },
    ])
  return {
    title,
    // The list has all of them.
    location: left.length === 0 ? viewAddress({ subject, language }, changed(view, {})) : null,
    operation: [
      ...facetOperations(left, build, site),
      ...affordableOperations(site, conditionNames(view.conditions)),
    ],
    more: (answer) => affordableOperations(site, facetNames(foundIn(answer), subject)),
    render(answer) {
      const browse: Browse = { site, subject, view, language, names: readNames(answer) }
      const found = foundIn(answer)
      // A facet that no operation can afford leads to all of its values.
      const facets = left.map(
        ({ name }): FacetAnswer =>
          found.find(({ field }) => field === name) ?? { field: name, values: [], missing: null, cut: true },
      )
      return html`<h1>${title}</h1> <h2 class="hidden">${text.filters}</h2>
        <p><a href=${viewAddress(browse, changed(view, {}))}>${text.filtering.back}</a></p>
        ${conditionList(browse)}
        <div id=${lateId('facets')}>${facetList(facets, browse, listsIn(answer)[0]?.totalCount ?? null)}</div>`
    },
  }
}

function panelOf(facets: readonly ShownField[]): string {
  return `facets_${facets.map(({ name }) => name).join('_')}`
}
