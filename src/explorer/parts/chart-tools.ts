/** Links that choose what compared and unusual charts show. */
import { chartsAddress, withLanguage } from '../addresses.ts'
import type { Subject } from '../fields/subject.ts'
import { type ComparedChart, queryName } from '../chart-data/compared-chart.ts'
import { withOthers } from '../chart-data/own-parameters.ts'
import { periods } from '../chart-data/periods.ts'
import { measures } from '../chart-data/time-chart.ts'
import type { UnusualChart } from '../chart-data/unusual-chart.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import type { Answer } from '../page.ts'
import { changed, type View } from '../view/view.ts'
import { choiceList } from './choices.ts'

export function comparedTools(
  { queries, as, per }: ComparedChart,
  view: View,
  { collection }: Subject,
  language: Language,
): Html {
  const { charts } = language.text
  if (queries.length === 0) return null
  const to = (name: string, value: string | null) =>
    chartsAddress(collection.nsid, withOthers(view, { [name]: value }))
  const others = view.others.filter(([name]) => name !== 'query')
  return html`<div class="chart-options">
    ${choiceList(
      charts.values,
      measures.map((each) => ({ label: charts[each], address: to('as', each), isChosen: each === as })),
      language,
    )}
    ${choiceList(
      charts.per,
      [
        { label: charts.automatic, address: to('per', null), isChosen: per === null },
        ...periods.map((each) => ({
          label: charts.periods[each],
          address: to('per', each),
          isChosen: each === per,
        })),
      ],
      language,
    )}
    ${
      queries.length > 1 &&
      html`<ul>${queries.map((query, at) => {
        const rest = queries.filter((_, place) => place !== at).map((each) => ['query', each.text] as const)
        const address = chartsAddress(collection.nsid, changed(view, { others: [...others, ...rest] }))
        return html`<li><a href=${withLanguage(address, language)} rel="nofollow"><bdi>${charts.removeQuery(queryName(query.view, language))}</bdi></a></li>`
      })}</ul>`
    }
  </div>`
}

export function unusualTools(
  { things, thing, against, backgrounds }: UnusualChart,
  view: View,
  { collection }: Subject,
  language: Language,
): Html {
  const { charts } = language.text
  const to = (name: string, value: string) =>
    chartsAddress(collection.nsid, withOthers(view, { [name]: value }))
  return html`<div class="chart-options">
    ${choiceList(
      charts.of,
      things.map((each) => ({ label: each.label, address: to('on', each.name), isChosen: each === thing })),
      language,
    )}
    ${choiceList(
      charts.compareWith,
      backgrounds.map((each) => ({
        label: charts.backgrounds[each],
        address: to('against', each),
        isChosen: each === against,
      })),
      language,
    )}
  </div>`
}

/** Views to begin with. */
export function unusualBeginnings(
  { suggestions }: UnusualChart,
  answer: Answer,
  { collection }: Subject,
  language: Language,
): Html {
  return suggestions(answer).map(
    ({ label, view }) =>
      html`<a href=${withLanguage(chartsAddress(collection.nsid, view), language)} rel="nofollow">${label}</a>`,
  )
}
