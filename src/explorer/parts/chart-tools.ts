/** Forms and links that choose what charts show. */
import { chartsAddress } from '../addresses.ts'
import { type Browse, viewAddress } from '../browse/context.ts'
import { usualFields } from '../browse/filter-menu.ts'
import type { ChartContext } from '../chart-data/asked-chart.ts'
import { type GroupChoices, groupMeasures, sizes } from '../chart-data/group-choices.ts'
import { type Grouping, groupingLabel } from '../chart-data/grouping.ts'
import { measures } from '../chart-data/over-time.ts'
import { type Period, periods } from '../chart-data/periods.ts'
import type { ShareBase } from '../chart-data/share-base.ts'
import type { TimeChart } from '../chart-data/time-chart.ts'
import type { TopicChart } from '../chart-data/topic-chart.ts'
import { chartKinds } from '../charts/chart-spec.ts'
import { fieldLabel } from '../fields/labels.ts'
import { html, type Html } from '../html.ts'
import { recordsOnly, viewParametersOf, withOthers } from '../view/view.ts'
import { hiddenInputs } from './forms.ts'

export function timeTools({ as, base, split, per, splits }: TimeChart['choices'], browse: Browse): Html {
  const { language } = browse
  const { charts } = language.text
  const saysNothing = base.isWhole && split === null && as !== 'share'
  const ways = measures
    .filter((each) => each === 'count' || !saysNothing)
    .map((each) => [each === 'count' ? null : each, charts[each]] as const)
  const fields = splits.map((each) => [each.name, fieldLabel(each, language)] as const)
  return html`<div class="chart-options">
    ${valueList(charts.values, 'as', ways, as === 'count' ? null : as, browse)}
    ${as === 'share' && baseList(base, browse)}
    ${periodList(per, browse)}
    ${valueList(charts.split, 'split', [[null, charts.none], ...fields], split?.name ?? null, browse)}
  </div>`
}

/** Links that choose the value of a parameter of the page; null for none. */
function valueList(
  label: string,
  name: string,
  values: readonly (readonly [value: string | null, label: string])[],
  chosen: string | null,
  browse: Browse,
): Html {
  if (values.length < 2) return null
  const to = (value: string | null) => viewAddress(browse, withOthers(browse.view, { [name]: value }))
  return html`<nav aria-label=${label}><ul>
    <li>${label}:</li>
    ${values.map(([value, each]) => html`<li><a href=${to(value)} rel="nofollow" aria-current=${value === chosen ? 'true' : undefined}>${each}</a></li>`)}
  </ul></nav>`
}

/** What shares are of, where there is a choice. */
function baseList(base: ShareBase, browse: Browse): Html {
  const { language, names } = browse
  const choices = [
    [null, base.text('filters', language, names)],
    ['all', base.text('all', language, names)],
  ] as const
  const chosen = base.name === 'all' ? 'all' : null
  return base.isChoice && valueList(language.text.charts.shareIs, 'base', choices, chosen, browse)
}

function periodList(per: Period | null, browse: Browse): Html {
  const { charts } = browse.language.text
  const all = periods.map((each) => [each, charts.periods[each]] as const)
  return valueList(charts.per, 'per', [[null, charts.automatic], ...all], per, browse)
}

/** The base and the period of the timeline of topics. */
export function topicTools({ base, per }: TopicChart, browse: Browse): Html {
  return html`<div class="chart-options">${baseList(base, browse)} ${periodList(per, browse)}</div>`
}

export function groupForm(choices: GroupChoices, { view, subject, language }: ChartContext): Html {
  const { measure, of, by, kind, top, step, base, groupings, numbers } = choices
  const { charts } = language.text
  const fieldOption = (field: (typeof numbers)[number]) =>
    option(field.name, fieldLabel(field, language), field === of)
  const others = groupings.filter(({ field, unit }) => unit === null && !numbers.includes(field))
  const first = usualFields(subject)
  const usual = groupings.filter(({ field }) => first.includes(field))
  const byOptions = (chosen: Grouping | undefined) => {
    const groupingOption = (each: Grouping) =>
      option(each.name, groupingLabel(each, language), each.name === chosen?.name)
    return html`<select name="by">
    ${option('', '–', chosen === undefined)}
    ${usual.map(groupingOption)}
    <optgroup label=${language.text.more}>${groupings.filter((each) => !usual.includes(each)).map(groupingOption)}</optgroup>
  </select>`
  }
  const ofShares =
    base.isChoice &&
    html`<label>${charts.shareIs}<select name="base">
      ${option('', base.text('filters', language), base.name === 'filters')}
      ${option('all', base.text('all', language), base.name === 'all')}
    </select></label>`
  return html`<form class="chart-form" action=${chartsAddress(subject.collection.nsid)}>
    ${hiddenInputs(viewParametersOf({ ...recordsOnly(view), others: [] }), language)}
    <label>${charts.measure}<select name="measure">${groupMeasures.map((each) => option(each, charts.measures[each], each === measure))}</select></label>
    <label>${charts.of}<select name="of">
      ${option('', '–', of === null)}
      ${numbers.map(fieldOption)}
      <optgroup label=${charts.onlyDistinct}>
        ${others.map(({ field }) => fieldOption(field))}
      </optgroup>
    </select></label>
    <label>${charts.groupBy}${byOptions(by[0])}</label>
    <label>${charts.andBy}${byOptions(by[1])}</label>
    ${measure === 'share' && ofShares}
    <details class="more" open=${kind !== null || top !== '20' || step !== null}><summary>${language.text.more}</summary>
    <label>${charts.kind}<select name="kind">
      ${option('', charts.automatic, kind === null)}
      ${chartKinds.map((each) => option(each, charts.kinds[each], each === kind))}
    </select></label>
    <label>${charts.top}<select name="top">${sizes.map((each) => option(each, language.number(Number(each)), each === top))}</select></label>
    ${measure !== 'share' && ofShares}
    <label>${charts.step}<input name="step" type="number" min="1" value=${step ?? undefined} /></label>
    </details>
    <button>${charts.draw}</button>
  </form>`
}

function option(value: string, label: string, isChosen: boolean): Html {
  return html`<option value=${value} selected=${isChosen}>${label}</option>`
}
