/** Says what a chart shows, for readers who do not see it. */
import { type ChartSpec, valueText } from '../charts/chart-spec.ts'
import type { Language } from '../languages/language.ts'

/** The highest and the lowest value, and where they are. */
export function describe(spec: Omit<ChartSpec, 'description'>, { text, list }: Language): ChartSpec {
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
  const description =
    rest.length === 0 ? text.charts.single(shown(first)) : text.charts.extremes(shown(highest), shown(lowest))
  return { ...spec, description }
}
