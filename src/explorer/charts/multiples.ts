/** A drawing of each series by itself, in one panel after the other. */
import * as Plot from '@observablehq/plot'
import {
  type Drawing,
  extent,
  firstColour,
  keyAxis,
  keyScale,
  labelMargin,
  leftMargin,
  type Options,
  valueAxis,
} from './axes.ts'
import { barGaps, columnGaps } from './gaps.ts'
import { labelText } from './label.ts'

export function multiples({ spec, marks, width, isNarrow }: Drawing): Options & { readonly height: number } {
  const across = isNarrow ? 1 : Math.min(3, spec.series.length)
  const down = Math.ceil(spec.series.length / across)
  const names = labelMargin(
    spec.keys.map(({ label }) => label),
    isNarrow,
  )
  const panelOf = (at: number) => ({ column: at % across, row: Math.floor(at / across) })
  const placed = marks.map((mark) => ({ ...mark, ...panelOf(mark.series) }))
  const titles = spec.series.map(({ name }, series) => ({
    ...panelOf(series),
    name: labelText(name, isNarrow ? 40 : 30),
  }))
  const panel = spec.isOrdered ? 90 : Math.max(60, 20 * spec.keys.length)
  const gap = 40
  // A scale of a single band has its inner padding outside of it.
  const facets = {
    fx: {
      domain: Array.from({ length: across }, (_, at) => at),
      axis: null,
      paddingInner: across > 1 ? 0.08 : 0,
      paddingOuter: 0,
    },
    fy: {
      domain: Array.from({ length: down }, (_, at) => at),
      axis: null,
      paddingInner: down > 1 ? 0.3 : 0,
      paddingOuter: 0,
    },
  }
  const title = Plot.text(titles, {
    fx: 'column',
    fy: 'row',
    text: 'name',
    frameAnchor: 'top-left',
    dy: -16,
    fontWeight: 600,
  } as never)
  const place = { fx: 'column', fy: 'row', fill: firstColour, href: 'href', title: 'title' }
  return spec.isOrdered
    ? {
        height: 68 + down * panel + (down - 1) * gap,
        marginTop: 40,
        marginLeft: leftMargin(spec, marks),
        marginRight: 8,
        ...facets,
        x: { ...keyAxis(spec, (width - 60) / across), type: 'band', padding: 0.12 },
        y: { ...valueAxis(spec, marks), ticks: 3, label: null },
        marks: [
          columnGaps(spec, extent(spec, marks), panelOf),
          Plot.barY(placed, { ...place, x: 'key', y: 'value' } as never),
          Plot.ruleY([0]),
          title,
        ],
      }
    : {
        height: 68 + down * panel + (down - 1) * gap,
        marginTop: 40,
        marginLeft: names.width,
        marginRight: 16,
        ...facets,
        x: { ...valueAxis(spec, marks), ticks: 3, label: null },
        y: { ...keyScale(spec, names.columns), padding: 0.2 },
        marks: [
          Plot.barX(placed, { ...place, y: 'key', x: 'value' } as never),
          barGaps(spec, extent(spec, marks), panelOf),
          Plot.ruleX([0]),
          title,
        ],
      }
}
