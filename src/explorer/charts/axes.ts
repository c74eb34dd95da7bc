/** Scales and axes of a drawing, the room that their labels need, and signs where a value is missing or the axis is broken. */
import * as Plot from '@observablehq/plot'
import { type ChartSpec, type Mark } from './chart-spec.ts'
import { columnsOf, labelText } from './label.ts'

/** Of Observable Plot. */
export type Options = Readonly<Record<string, unknown>>

export interface Drawing {
  readonly spec: ChartSpec
  readonly marks: readonly Mark[]
  readonly width: number
  readonly isNarrow: boolean
}

/** Columns of the longest label, an hour with its date. */
const longestKey = 24

/** Keys from left to right, with as many labels as there is room for. */
export function keyAxis(spec: ChartSpec, width: number): Options {
  const longest = Math.min(longestKey, Math.max(1, ...spec.keys.map(({ label }) => columnsOf(label))))
  const most = Math.max(1, Math.floor(width / (longest * 6.5 + 14)))
  const every = Math.max(1, Math.ceil(spec.keys.length / most))
  // Half of a label at the end would lie outside of the drawing.
  const hasRoom = (at: number) => (1 - (at + 0.5) / spec.keys.length) * width + 8 >= (longest * 6.5) / 2
  return {
    ...keyScale(spec, longestKey),
    tickSize: 3,
    ticks: spec.keys.map((_, at) => at).filter((at) => at % every === 0 && (at === 0 || hasRoom(at))),
  }
}

export function keyScale({ keys }: ChartSpec, most: number): Options {
  return {
    type: 'band',
    domain: keys.map((_, at) => at),
    tickFormat: (at: number) => labelText(keys[at]?.label ?? '', most),
    tickSize: 0,
    label: null,
  }
}

/** Of all values that are seen; those of too few records count where there are no others. */
export function extent({ unit }: ChartSpec, marks: readonly Mark[]): readonly [number, number] {
  const telling = marks.filter(({ isFew, value }) => !isFew && value !== 0)
  const ends = (telling.length === 0 ? marks : telling).map(({ end }) => end)
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)]
  return low === high ? [0, unit === 'share' ? 0.01 : 1] : [low, high]
}

/** `most`: of ticks; whole numbers have none between them. */
export function valueAxis(spec: ChartSpec, marks: readonly Mark[], most = 4): Options {
  const [low, high] = extent(spec, marks)
  const areWhole = spec.unit === 'number' && marks.every(({ value }) => Number.isInteger(value))
  return {
    domain: [low, high],
    nice: true,
    grid: true,
    ticks: areWhole ? Math.min(most, high - low) : most,
    tickFormat: (value: number) => tickText(value, spec),
    tickSize: 0,
    label: labelText(spec.valueLabel, 60),
    labelArrow: 'none',
  }
}

function tickText(value: number, { unit, locale }: ChartSpec): string {
  const form = unit === 'share' ? { style: 'percent' as const } : { notation: 'compact' as const }
  return new Intl.NumberFormat(locale, { ...form, maximumSignificantDigits: 3 }).format(value)
}

/** Room on the left for the numbers of an axis, and for half of the first key's label. */
export function leftMargin(spec: ChartSpec, marks: readonly Mark[]): number {
  const [low, high] = extent(spec, marks)
  const numbers = [low, high / 4, high].map((value) => tickText(value, spec).length)
  const first = Math.min(longestKey, columnsOf(spec.keys[0]?.label ?? ''))
  return Math.max(16 + 7 * Math.max(3, ...numbers), first * 3.25)
}

/** Room for labels on the left, and how wide they may be. */
export function labelMargin(labels: readonly string[], isNarrow: boolean) {
  const columns = isNarrow ? 18 : 36
  const longest = Math.max(2, ...labels.map((label) => Math.min(columns, columnsOf(label))))
  return { width: 14 + 7 * longest, columns }
}

/** Of points beyond the scale; more values would cover each other. */
const mostValues = 8

/**
 * Dashes or, where there is room, words in place of values that are missing, which would look like zero; asterisks next
 * to those of too few records. `place`: channels of the keys.
 */
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
