/** What colours and shades of a chart mean. */
import { type ChartSpec, colourNumber, gapOpacity, hasGaps, leastOpacity, valueText } from './chart-spec.ts'

export interface LegendEntry {
  readonly name: string
  /** A number of the palette; null for the colour of texts. */
  readonly colour: number | null
  readonly opacity: number
}

/** Rows of a heat map and small multiples have their names beside them. */
export function legendOf(spec: ChartSpec): readonly LegendEntry[] {
  const { kind, series, isStacked, isOrdered, noValue } = spec
  if (kind === 'heat') return heatLegend(spec)
  const isColoured = kind === 'lines' || (kind === 'bars' && isStacked)
  return [
    ...(isColoured && series.length > 1
      ? series.map(({ name }, at) => ({ name, colour: colourNumber(spec, at), opacity: 1 }))
      : []),
    ...(kind !== 'lines' && isOrdered && hasGaps(spec)
      ? [{ name: noValue, colour: null, opacity: gapOpacity }]
      : []),
  ]
}

/** The ends of the shades, and what is equal to them on the other side of zero. */
function heatLegend(spec: ChartSpec): readonly LegendEntry[] {
  const values = spec.series.flatMap((each) => each.values.filter((value) => value !== null))
  const most = values.reduce((one, other) => Math.max(one, Math.abs(other)), 0)
  if (most === 0) return []
  const ends = [-most, most].filter((end) =>
    end > 0 ? values.some((value) => value > 0) : values.some((value) => value < 0),
  )
  return [
    { name: valueText(0, spec), colour: 0, opacity: leastOpacity },
    { name: ends.map((end) => valueText(end, spec)).join(' / '), colour: 0, opacity: 1 },
    ...(hasGaps(spec) ? [{ name: `–: ${spec.noValue}`, colour: null, opacity: 0 }] : []),
  ]
}
