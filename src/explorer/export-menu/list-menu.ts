/** What readers take along from the records of a view: files, their query, and a feed. */
import { embedAddress } from '../addresses.ts'
import { buildOperation } from '../../ask/operation.ts'
import type { Browse } from '../browse/context.ts'
import { columnForm } from '../browse/options.ts'
import { listCount, viewTitle } from '../browse/sentences.ts'
import { nounOf } from '../fields/labels.ts'
import { html, type Html } from '../html.ts'
import { columnsOf, listArguments, listPanel, shortColumns } from '../lists/list.ts'
import type { PageRequest } from '../page.ts'
import type { Result } from '../parts/results.ts'
import type { View } from '../view/view.ts'
import type { Exported } from './export-menu.ts'
import { fileName, recordFiles } from './files.ts'

/** `total`: the number of records that match. `found`: those of the page. */
export function exportedList(total: number, found: readonly Result[], browse: Browse): Exported {
  const { site, view, subject, names, language } = browse
  const { nsid } = subject.collection
  const columns = columnsOf({ ...view, show: 'table' }, subject)
  const isTable = view.show === 'table' || view.columns !== null
  const args = listArguments(view, subject)
  const name = fileName(view, subject, view.stories ? ['stories'] : [], names)
  // Where the reader has chosen no columns: those that represent records, if a record of the page has a value.
  const short = isTable ? columns : shortColumns(found, subject)
  const list: View = { ...view, page: null, facets: null, others: [] }
  return {
    kind: 'list',
    title: viewTitle(view, subject, language, names),
    operation: buildOperation(site.schema, 'List', [listPanel(list, columns, [], subject)]),
    files: recordFiles(site.schema, subject, args, name, short, isTable),
    noun: nounOf(subject, language),
    columns: columnForm(short, browse, 'program'),
    total: { count: total, text: listCount(total, view, subject, language) },
    embed: embedAddress(nsid, view),
  }
}

/** What a reader gives to a program that reads feeds. Null without any. */
export function subscription(feeds: readonly (string | null)[], { language, origin }: PageRequest): Html {
  const { text } = language
  const known = feeds.filter((feed) => feed !== null)
  return (
    known.length > 0 &&
    html`<details class="menu" name="menu">
      <summary>${text.browse.subscribe}</summary>
      <div>
        <p>${text.browse.subscribeHint}</p>
        ${known.map(
          (feed) =>
            html`<pre tabindex="0" dir="ltr" data-copy=${text.exportMenu.copy} data-copied=${text.exportMenu.copied}>${origin + feed}</pre>
        <a href=${feed} type="application/atom+xml" rel="nofollow">Atom</a>`,
        )}
      </div>
    </details>`
  )
}
