/** The menu of a list of records. */
import type { Subject } from '../fields/subject.ts'
import type { Html } from '../html.ts'
import { columnsOf, listPanel } from '../lists/list.ts'
import { buildOperation } from '../operation.ts'
import type { Names } from '../parts/values.ts'
import { restrictionOf } from '../view/facets.ts'
import { type View, writeView } from '../view/view.ts'
import { viewFiles } from './files.ts'
import { type TakeContext, takeMenu } from './take.ts'
import { viewTitle } from './view-title.ts'

export function takeView(view: View, subject: Subject, names: Names, context: TakeContext): Html {
  const { site, language } = context
  const { nsid } = subject.collection
  const columns = columnsOf(view, subject)
  const whole: View = { ...view, page: null, facets: null, others: [] }
  return takeMenu(
    {
      title: viewTitle(view, subject, language, names),
      operation: buildOperation(site.schema, 'List', [listPanel(whole, columns, [], subject, site)]),
      files: viewFiles(
        nsid,
        view,
        restrictionOf(view, subject).isSearch,
        view.columns === null ? null : columns,
      ),
      atom: feedAddress(nsid, view),
      jsonFeed: at(`/c/${nsid}/feed.json`, { ...whole, show: 'list', columns: null }),
      embed: at(`/embed/c/${nsid}`, whole),
    },
    context,
  )
}

export function feedAddress(nsid: string, view: View): string {
  return at(`/c/${nsid}/feed.atom`, {
    ...view,
    page: null,
    facets: null,
    others: [],
    show: 'list',
    columns: null,
  })
}

function at(path: string, view: View): string {
  const query = writeView(view)
  return query === '' ? path : `${path}?${query}`
}
