/** The menu of a list of records. */
import { embedAddress, feedAddress } from '../addresses.ts'
import type { Subject } from '../fields/subject.ts'
import type { Html } from '../html.ts'
import { columnsOf, listPanel } from '../lists/list.ts'
import { buildOperation } from '../operation.ts'
import type { Names } from '../parts/values.ts'
import type { View } from '../view/view.ts'
import { viewFiles } from './files.ts'
import { type MenuContext, exportMenu } from './export-menu.ts'
import { viewTitle } from './view-title.ts'

/** `total`: the number of records that match. */
export function viewMenu(
  view: View,
  total: number,
  subject: Subject,
  names: Names,
  context: MenuContext,
): Html {
  const { site, language } = context
  const { nsid } = subject.collection
  const columns = columnsOf(view, subject)
  const isTable = view.show === 'table' || view.columns !== null
  const whole: View = { ...view, page: null, facets: null, others: [] }
  return exportMenu(
    {
      kind: 'list',
      title: viewTitle(view, subject, language, names),
      operation: buildOperation(site.schema, 'List', [listPanel(whole, columns, [], subject, site)]),
      files: viewFiles(view, subject, isTable ? columns : null, site.schema),
      total,
      atom: feedAddress(nsid, view),
      embed: embedAddress(nsid, view),
    },
    context,
  )
}
