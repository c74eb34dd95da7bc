/** Says what a chart shows, for readers who do not see it. */
import { type ChartSpec, valueText } from '../charts/chart-spec.ts'
import type { Language } from '../languages/language.ts'

/** The highest and the lowest value, where they are, and how many are missing. */
export function describe(
  given: Omit<ChartSpec, 'description' | 'noValue'>,
  { text, list, number }: Language,
): ChartSpec {
  const spec = { ...given, noValue: text.charts.noValue }
  const all = spec.series.flatMap(({ name, values }) =>
    values.flatMap((value, key) => {
      const of = spec.keys[key]?.label ?? ''
      const place = spec.series.length > 1 ? list([of, name]) : of
      return value === null ? [] : [{ value, place }]
    }),
  )
  const [first, ...rest] = all
  if (first === undefined) return { ...spec, description: text.charts.empty }
  const highest = rest.reduce((one, other) => (other.value > one.value ? other : one), first)
  const lowest = rest.reduce((one, other) => (other.value < one.value ? other : one), first)
  const shown = ({ value, place }: typeof first) => ({ value: valueText(value, spec), place })
  const extremes =
    rest.length === 0 ? text.charts.single(shown(first)) : text.charts.extremes(shown(highest), shown(lowest))
  const gaps = spec.series.reduce((sum, { values }) => sum + values.filter((each) => each === null).length, 0)
  const missing = gaps === 0 ? '' : ` ${text.charts.withoutValue(number(gaps))}`
  return { ...spec, description: extremes + missing }
}
