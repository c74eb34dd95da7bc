/** What colours and shades of a chart mean. */
import { type ChartSpec, colourNumber, gapOpacity, hasGaps } from './chart-spec.ts'

export interface LegendEntry {
  readonly name: string
  /** A number of the palette; null for the colour of texts. */
  readonly colour: number | null
  readonly opacity: number
}

export function legendOf(spec: ChartSpec): readonly LegendEntry[] {
  const { kind, series, isOrdered, noValue } = spec
  return [
    ...(series.length > 1
      ? series.map(({ name }, at) => ({ name, colour: colourNumber(spec, at), opacity: 1 }))
      : []),
    ...(kind === 'bars' && isOrdered && hasGaps(spec)
      ? [{ name: noValue, colour: null, opacity: gapOpacity }]
      : []),
  ]
}
