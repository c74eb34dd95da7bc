/** How many records refer to a record in each month, as a chart whose bars lead to those records. */
import type { ShownField } from '../fields/shown-field.ts'
import type { Subject } from '../fields/subject.ts'
import { describe } from '../chart-data/describe.ts'
import { dateText, periodLabel, periodsBetween } from '../chart-data/periods.ts'
import type { Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import type { Site } from '../page.ts'
import { chartFigure } from '../parts/figure.ts'
import type { Condition } from '../view/conditions.ts'
import { filteredAddress } from './filtered.ts'

export interface MonthGroup {
  /** The first day of the month; null for records without a time. */
  readonly key: string | null
  readonly count: number
}

/** The figure has so many of the newest months. One more is asked for, that of records without a time. */
export const mostMonths = 240

/** Null without any time. `field` has the URI of the record, in records of `holder`. */
export async function monthsFigure(
  groups: readonly MonthGroup[],
  uri: string,
  holder: Subject,
  field: ShownField,
  site: Site,
  language: Language,
): Promise<Html> {
  const { text } = language
  const counts = new Map(
    groups.flatMap(({ key, count }) => (key === null ? [] : [[Date.parse(key), count] as const])),
  )
  const [first, last] = [Math.min(...counts.keys()), Math.max(...counts.keys())]
  if (counts.size === 0) return null
  const time = holder.fields.get(holder.roles.time)
  const starts = periodsBetween('month', first, last, mostMonths)
  const undated = groups.find(({ key }) => key === null)?.count ?? 0
  const spec = describe(
    {
      kind: 'bars',
      title: text.charts.recordsPer.month,
      locale: language.tag,
      unit: 'number',
      keyLabel: text.charts.periods.month,
      valueLabel: text.charts.records,
      isOrdered: true,
      isStacked: true,
      keys: starts.map((start) => ({
        label: periodLabel('month', start, language),
        // The figure adds the language.
        href:
          time === undefined
            ? null
            : filteredAddress(holder, field, uri, { ...language, isChosen: false }, monthOf(time, start)),
      })),
      series: [
        { name: text.charts.records, values: starts.map((start) => counts.get(start) ?? 0), hrefs: [] },
      ],
    },
    language,
  )
  return chartFigure(spec, site, language, {
    notes: [
      ...(undated > 0 ? [text.charts.undated(language.number(undated))] : []),
      ...((starts[0] ?? 0) > first ? [text.charts.newestOnly] : []),
    ],
  })
}

function monthOf(field: ShownField, start: number): readonly Condition[] {
  const end = new Date(start)
  end.setUTCMonth(end.getUTCMonth() + 1, 0)
  return [
    { field, operator: 'from', values: [dateText(start)] },
    { field, operator: 'to', values: [dateText(end.getTime())] },
  ]
}
