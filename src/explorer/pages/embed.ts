/** The list of a collection without the frame of a page, for pages of others to include. */
import { listCount, viewTitle } from '../browse/sentences.ts'
import { collectionAddress, withLanguage } from '../addresses.ts'
import type { PageSubject } from '../fields/subject.ts'
import { html } from '../html.ts'
import { columnsOf, type ListAnswer, listPanel, resultOf } from '../lists/list.ts'
import { conditionNames, readNames } from '../lists/names.ts'
import { buildOperation } from '../../ask/operation.ts'
import type { Draft, PageRequest, Site } from '../page.ts'
import { results } from '../parts/results.ts'
import { zoneNote } from '../parts/values.ts'
import { readView } from '../view/view.ts'
import { problemPage } from './failure.ts'

export function embedPage(site: Site, subject: PageSubject, request: PageRequest): Draft {
  const { parameters, language } = request
  const { collection } = subject
  const { view, problems } = readView(parameters, subject)
  const title = viewTitle(view, subject, language)
  if (problems.length > 0) return { ...problemPage(problems, title, request), isEmbedded: true }
  const columns = columnsOf(view, subject)
  const asked = [listPanel(view, columns, [], subject), ...conditionNames(view.conditions)]
  return {
    title,
    operation: buildOperation(site.schema, 'Embedded', asked),
    isEmbedded: true,
    render(answer) {
      const { totalCount, edges } = answer['list'] as ListAnswer
      const found = edges.map((edge) => resultOf(edge, columns))
      return html`
        <h1><a href=${withLanguage(collectionAddress(collection.nsid, view), language)}>${viewTitle(view, subject, language, readNames(answer))}</a></h1>
        <p class="count">${listCount(totalCount, view, subject, language)} · ${site.title}</p>
        ${zoneNote(language)} <h2 class="hidden">${language.text.results}</h2>
        ${results(found, view.show, columns, { subject, language, imageHosts: site.operator.imageHosts })}
      `
    },
  }
}
