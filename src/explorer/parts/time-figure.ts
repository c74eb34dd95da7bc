/** The time chart of a collection with the choices of what it shows. */
import { chartFileAddress, chartsAddress, collectionAddress, withLanguage } from '../addresses.ts'
import { fieldLabel } from '../fields/labels.ts'
import type { Subject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import type { Answer, Site } from '../page.ts'
import { withOthers } from '../chart-data/own-parameters.ts'
import { measures, type TimeChart } from '../chart-data/time-chart.ts'
import { writeConditions } from '../view/conditions.ts'
import type { View } from '../view/view.ts'
import { choiceList } from './choices.ts'
import { chartFigure } from './figure.ts'

export async function timeFigure(
  { choices, chart }: TimeChart,
  answer: Answer,
  view: View,
  { collection }: Subject,
  site: Site,
  language: Language,
): Promise<Html> {
  const { text } = language
  const { spec, notes } = chart(answer)
  if (spec.keys.length === 0) return notes.length > 0 && html`<p class="none">${notes.join(' ')}</p>`
  const choice = (name: 'as' | 'split' | 'per', value: string | null, label: string, isChosen: boolean) => ({
    label,
    address: collectionAddress(collection.nsid, withOthers(view, { [name]: value })),
    isChosen,
  })
  const { as, split, splits, per, periods, field } = choices
  const [from = '', to = ''] = writeConditions(
    (['from', 'to'] as const).map((operator) => ({ field, operator, values: [''] })),
    () => false,
  ).map(([name]) => name)
  return chartFigure(spec, site, language, {
    notes,
    brush: { from, to },
    tools: html`<div class="chart-options">
      ${choiceList(
        text.charts.values,
        measures.map((each) => choice('as', each === 'count' ? null : each, text.charts[each], each === as)),
        language,
      )}
      ${choiceList(
        text.charts.per,
        [
          choice('per', null, text.charts.automatic, per === null),
          ...periods.map((each) => choice('per', each, text.charts.periods[each], each === per)),
        ],
        language,
      )}
      ${choiceList(
        text.charts.split,
        [
          choice('split', null, text.charts.none, split === null),
          ...splits.map((each) => choice('split', each.name, fieldLabel(each, language), each === split)),
        ],
        language,
      )}
    </div>`,
    links: html`
      <a href=${withLanguage(chartsAddress(collection.nsid, view), language)} rel="nofollow">${text.charts.more}</a>
      <a href=${withLanguage(chartFileAddress(collection.nsid, view, 'svg'), language)} rel="nofollow" download data-image=${text.charts.image}>${text.charts.file}</a>
    `,
  })
}
