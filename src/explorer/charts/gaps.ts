/** Signs where a value is missing, which would look like zero otherwise, or is of too few records. */
import * as Plot from '@observablehq/plot'
import { extent, type Options } from './axes.ts'
import type { ChartSpec, Mark } from './chart-spec.ts'
import { labelText } from './label.ts'

/** Of points beyond the scale; more values would cover each other. */
const mostValues = 8

/** Dashes or, where there is room, words in place of values; asterisks next to others. `place`: channels of the keys. */
export function signs(spec: ChartSpec, marks: readonly Mark[], place: Options): unknown {
  const { keys, series, noValue } = spec
  const isUp = 'x' in place
  const missing = keys.flatMap(({ label }, key) => {
    const gaps = series.map((_, at) => at).filter((at) => series[at]?.values[key] === null)
    // Only series with bars of their own have signs of their own.
    const shown = 'fy' in place ? gaps : gaps.length === series.length ? gaps.slice(0, 1) : []
    return shown.map((at) => ({ key, series: at, title: `${label}: ${noValue}`, text: isUp ? '–' : noValue }))
  })
  const isLine = spec.kind === 'lines'
  const saysValues = isLine && marks.filter(({ beyond }) => beyond !== null).length <= mostValues
  const few = marks
    .filter(({ isFew }) => isFew)
    .map((mark) => ({
      ...mark,
      text: (saysValues ? mark.beyond : null) ?? '*',
      at: isLine ? mark.value : 0,
    }))
  const [low, high] = extent(spec, marks)
  const isLeft = -low > high
  return Plot.text([...missing, ...few], {
    ...place,
    [isUp ? 'y' : 'x']: ({ at = 0 }: { readonly at?: number }) => at,
    ...(isUp ? { dy: isLine ? -11 : -6 } : { dx: isLeft ? -6 : 6, textAnchor: isLeft ? 'end' : 'start' }),
    text: ({ text }: { readonly text: string }) => labelText(text, 30),
    title: 'title',
    fill: 'currentColor',
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
