/** A chart as plain data: a table of values, and how it is drawn. The same table is its text alternative. */

/** `table`: without a drawing. */
export const chartKinds = ['bars', 'lines', 'table'] as const
export type ChartKind = (typeof chartKinds)[number]

/** An end of an axis, which always runs from left to right. */
export type AxisEnd = 'start' | 'end'

export interface ChartSpec {
  readonly kind: ChartKind
  readonly title: string
  /** What the chart shows, in a sentence. */
  readonly description: string
  /** BCP 47, for numbers. */
  readonly locale: string
  /** What stands in place of a value that is missing. */
  readonly noValue: string
  /** `share`: values are fractions and shown as percents. */
  readonly unit: 'number' | 'share'
  /** What the keys are, such as a period, and what the values are. */
  readonly keyLabel: string
  readonly valueLabel: string
  /** Of the keys of a chart over time, as in the parameter `per`. */
  readonly period?: string
  /** Whether keys have an order of their own, such as time: they are drawn from left to right. */
  readonly isOrdered: boolean
  /** Whether the values of a key add up: bars are then stacked. Bars below each other are of keys without an order. */
  readonly isStacked: boolean
  readonly keys: readonly ChartKey[]
  /** Ends of the axis beyond which keys are left out: the axis is drawn as broken there. */
  readonly breaks?: readonly AxisEnd[]
  readonly series: readonly ChartSeries[]
  /** Further columns of the table, such as the numbers that the values are shares of. */
  readonly numbers?: readonly ChartNumbers[]
  /** A last row of the table, which the drawing has no place for. */
  readonly rest?: ChartRest | null
  /** What stands below the drawing of a file: of which records, what is left out, and the source. */
  readonly caption?: readonly string[]
}

export interface ChartRest {
  readonly label: string
  readonly href: string | null
  /** Of each series, and of each of the further columns. */
  readonly values: readonly (number | null)[]
  readonly numbers: readonly (number | null)[]
  /** Of the records of each series in the row. */
  readonly hrefs: readonly (string | null)[]
}

export interface ChartNumbers {
  readonly label: string
  /** A number for each key; null where it is not known. */
  readonly values: readonly (number | null)[]
}

export interface ChartKey {
  readonly label: string
  /** An address on this host that shows the records of the key. */
  readonly href: string | null
  /** Whether it is a period that is not over, or that bounds cut: drawn paler. */
  readonly isPartial?: boolean
}

export interface ChartSeries {
  readonly name: string
  /** Whether it stands for all values that have no series of their own. */
  readonly isRest?: boolean
  /** A value for each key; null where there is none. */
  readonly values: readonly (number | null)[]
  /** An address for each key, or none at all where the address of the key has the same records. */
  readonly hrefs: readonly (string | null)[]
  /** Positions of keys whose shares are of too few records: marked, drawn hollow, and no part of the scale. */
  readonly few?: readonly number[]
}

/** A value in a drawing. */
export interface Mark {
  /** Position of the key, and of the series. */
  readonly key: number
  readonly series: number
  readonly value: number
  /** Where its bar begins and ends: at the parts before it in a stack. */
  readonly from: number
  readonly to: number
  readonly href: string | null
  readonly title: string
  readonly isFew: boolean
  /** Where it ends before it is cut; of bars that are stacked, where the last of its key does. */
  readonly end: number
  /** Its value as the table shows it, if it is drawn at the end of the scale and not at its value. */
  readonly beyond: string | null
}

/** A chart with more takes long to draw, and cannot be read. */
const mostMarks = 5_000

/** `wide` and `narrow` are parts of pages, for screens and phones; `file` stands alone. */
export const layouts = ['wide', 'narrow', 'file'] as const
export type Layout = (typeof layouts)[number]

/** A value as the chart and its table show it: with an asterisk where it is of too few records. */
export function valueAt(
  { unit, locale, noValue }: Pick<ChartSpec, 'unit' | 'locale' | 'noValue'>,
  { values, few }: Pick<ChartSeries, 'values' | 'few'>,
  key: number,
): string {
  const value = values[key] ?? null
  const text = value === null ? noValue : valueFormat(unit, locale).format(value)
  return text + (few?.includes(key) === true ? '*' : '')
}

const valueForms = {
  share: { style: 'percent', maximumSignificantDigits: 2 },
  number: { maximumFractionDigits: 2 },
} as const
/** By unit and language: making one takes longer than a hundred values. */
const valueFormats = new Map<string, Intl.NumberFormat>()

export function valueFormat(unit: ChartSpec['unit'], locale: string): Intl.NumberFormat {
  const key = `${unit} ${locale}`
  const format = valueFormats.get(key) ?? new Intl.NumberFormat(locale, valueForms[unit])
  valueFormats.set(key, format)
  return format
}

/** Whether there is a drawing, unless it fails or has too many marks. */
export function isDrawn({ kind, series }: ChartSpec): boolean {
  return kind !== 'table' && series.some(({ values }) => values.some((value) => value !== null))
}

/** Of the marks of a period that is not whole. */
export const partialOpacity = 0.45

export function isTooLarge({ keys, series }: ChartSpec): boolean {
  return keys.length * Math.max(1, series.length) > mostMarks
}

/** A number of the palette: the last is that of the rest. */
export function colourNumber({ series }: ChartSpec, at: number): number {
  return series[at]?.isRest === true ? 8 : at % 8
}

/** What the colours of a chart mean, numbers of the palette. */
export function legendOf(spec: ChartSpec): readonly { readonly name: string; readonly colour: number }[] {
  const { series } = spec
  return series.length === 1 ? [] : series.map(({ name }, at) => ({ name, colour: colourNumber(spec, at) }))
}
