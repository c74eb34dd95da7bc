/** Marks where a value is missing, which would look like zero otherwise. */
import * as Plot from '@observablehq/plot'
import { type ChartSpec, gapOpacity } from './chart-spec.ts'
import { labelText } from './label.ts'

/** A place of a drawing without a value. */
interface Gap {
  readonly key: number
  readonly series: number
  readonly title: string
}

/** Each of them; `whole`: only keys without any value. */
function gapsOf({ keys, series, noValue }: ChartSpec, whole: boolean): readonly Gap[] {
  const isGap = (key: number, at: number) => series[at]?.values[key] === null
  const all = series.map((_, at) => at)
  return keys.flatMap(({ label }, key) => {
    const missing = all.filter((at) => isGap(key, at))
    const shown = !whole ? missing : missing.length === all.length ? missing.slice(0, 1) : []
    return shown.map((at) => ({ key, series: at, title: `${label}: ${noValue}` }))
  })
}

const ink = { fill: 'currentColor', title: 'title' }

/** Words in place of bars. `isGrouped`: each series has bars of its own. */
export function barGaps(
  spec: ChartSpec,
  [low, high]: readonly [number, number],
  isGrouped: boolean,
): unknown {
  const isLeft = -low > high
  return Plot.text(gapsOf(spec, !isGrouped), {
    ...ink,
    ...(isGrouped ? { fy: 'key', y: 'series' } : { y: 'key' }),
    x: () => 0,
    dx: isLeft ? -6 : 6,
    text: () => labelText(spec.noValue, 30),
    textAnchor: isLeft ? 'end' : 'start',
    fillOpacity: 0.75,
  } as never)
}

/** Strokes through the axis where it is broken. */
export function axisBreaks({ breaks = [] }: ChartSpec): readonly unknown[] {
  return breaks.map((end) =>
    Plot.text(['//'], {
      fill: 'currentColor',
      fontSize: 15,
      fontWeight: 'bold',
      frameAnchor: end === 'start' ? 'bottom-left' : 'bottom-right',
      dy: 6,
    } as never),
  )
}

/** A shade in place of columns, which may be too narrow for words. */
export function columnGaps(spec: ChartSpec, [low, high]: readonly [number, number]): unknown {
  return Plot.barY(gapsOf(spec, true), {
    ...ink,
    x: 'key',
    y1: low,
    y2: high,
    fillOpacity: gapOpacity,
  } as never)
}
