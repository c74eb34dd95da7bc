/** Draws a chart with Observable Plot. Takes milliseconds: `chart-thread.ts` runs it. */
import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import { escapeXml } from '../escape-xml.ts'
import type { ChartSeries, ChartSpec, Layout, Mark } from './chart-spec.ts'
import { colourNumber, legendOf, partialOpacity, valueAt } from './chart-spec.ts'
import type { Drawing, Options } from './axes.ts'
import { axisBreaks, extent, keyAxis, keyScale, labelMargin, leftMargin, signs, valueAxis } from './axes.ts'
import { columnsOf, labelText, plainText } from './label.ts'
import { childrenText, palette, type SvgNode } from './svg-text.ts'

const dashes = ['none', '7 3', '2 3', '9 3 2 3', '4 4', '1 4', '12 4']
const { document } = parseHTML('<!doctype html><html><body></body></html>')

/** SVG: elements of a page for screens and for phones, or a document. */
export function drawChart(given: ChartSpec, layout: Layout): string {
  const spec = withPlainTexts(given)
  const isNarrow = layout === 'narrow'
  const drawing: Drawing = { spec, marks: marksOf(spec), width: isNarrow ? 360 : 880, isNarrow }
  const { height, ...options } = optionsOf(drawing)
  const plotted = Plot.plot({
    document,
    width: drawing.width,
    height,
    marginTop: 24,
    ...options,
    // Positions are names of colours, and not numbers between which there are others.
    color: {
      type: 'ordinal',
      domain: spec.series.map((_, at) => at),
      range: spec.series.map((_, at) => `series-${colourNumber(spec, at)}`),
    },
  } as never) as unknown as SvgNode
  return layout === 'file'
    ? fileText(spec, plotted, drawing.width, Number(height))
    : `<svg class="chart ${layout}" viewBox="0 0 ${drawing.width} ${Number(height)}" role="group" aria-label="${escapeXml(spec.title)}" ${common}><desc>${escapeXml(spec.description)}</desc>${childrenText(plotted, 'page')}</svg>`
}

function withPlainTexts(spec: ChartSpec): ChartSpec {
  return {
    ...spec,
    title: plainText(spec.title),
    description: plainText(spec.description),
    valueLabel: plainText(spec.valueLabel),
    noValue: plainText(spec.noValue),
    keys: spec.keys.map((key) => ({ ...key, label: plainText(key.label) })),
    series: spec.series.map((series) => ({ ...series, name: plainText(series.name) })),
  }
}

const common = 'text-anchor="middle" fill="currentColor" font-size="12" direction="ltr"'

/** Those of too few records end where the scale of the others does; a stack ends there if all of its parts are of too few. */
function marksOf(spec: ChartSpec): readonly Mark[] {
  const several = spec.series.length > 1
  const isStack = spec.kind === 'bars' && spec.isStacked
  const marks = spec.series.flatMap((one, series) =>
    one.values.flatMap((value, key): readonly Mark[] => {
      const of = spec.keys[key]
      if (value === null || of === undefined || !Number.isFinite(value)) return []
      const subject = several ? `${of.label}, ${one.name}` : of.label
      const text = valueAt(spec, one, key)
      const title = `${subject}: ${text}`
      const isFew = one.few?.includes(key) === true
      const sum = (some: ChartSpec['series']) => some.reduce((all, { values }) => all + (values[key] ?? 0), 0)
      const from = isStack ? sum(spec.series.slice(0, series)) : 0
      const end = isStack ? sum(spec.series) : value
      const href = one.hrefs.length === 0 ? of.href : (one.hrefs[key] ?? null)
      return [{ key, series, value, from, to: from + value, href, title, isFew, end, beyond: text }]
    }),
  )
  const [, high] = extent(spec, marks)
  return marks.map((mark) => {
    const part = mark.isFew ? Math.min(1, high / mark.end) : 1
    const beyond = part < 1 ? mark.beyond : null
    return { ...mark, value: mark.value * part, from: mark.from * part, to: mark.to * part, beyond }
  })
}

function optionsOf(drawing: Drawing): Options & { readonly height: number } {
  const { kind, isOrdered } = drawing.spec
  if (kind === 'lines') return lines(drawing)
  return isOrdered ? columns(drawing) : bars(drawing)
}

function columns({ spec, marks, width, isNarrow }: Drawing): Options & { readonly height: number } {
  return {
    height: isNarrow ? 190 : 180,
    marginLeft: leftMargin(spec, marks),
    marginRight: 8,
    marginBottom: 28,
    x: { ...keyAxis(spec, width - 60), type: 'band', padding: spec.keys.length > 120 ? 0 : 0.12 },
    y: valueAxis(spec, marks),
    marks: [
      ...byLook(spec, marks).map(([some, more]) =>
        Plot.barY(some, {
          x: 'key',
          y1: 'from',
          y2: 'to',
          insetTop: spec.series.length > 1 ? 0.5 : 0,
          ...(hasLinks(spec) ? {} : { title: 'title' }),
          ...more,
        } as never),
      ),
      signs(spec, marks, { x: 'key' }),
      ...hits(spec, marks),
      Plot.ruleY([0]),
      ...axisBreaks(spec),
    ],
  }
}

/** Marks of whole keys, paler ones of others, and hollow ones of too few records. */
function byLook(
  { keys }: ChartSpec,
  marks: readonly Mark[],
): readonly (readonly [readonly Mark[], Options])[] {
  const isPartial = ({ key }: Mark) => keys[key]?.isPartial === true
  const enough = marks.filter(({ isFew }) => !isFew)
  return [
    [enough.filter((mark) => !isPartial(mark)), { fill: 'series' }],
    [enough.filter(isPartial), { fill: 'series', fillOpacity: partialOpacity }],
    [marks.filter(({ isFew }) => isFew), { fill: 'none', stroke: 'series', strokeDasharray: '3 2' }],
  ]
}

/** The whole column of a key leads to its records, because a low bar is hard to meet. */
function hits(spec: ChartSpec, marks: readonly Mark[]): readonly unknown[] {
  if (!hasLinks(spec)) return []
  const [low, high] = extent(spec, marks)
  const all = spec.keys.map(({ label, href }, key) => ({
    key,
    href,
    title: [
      label,
      ...spec.series
        .filter(({ values }) => typeof values[key] === 'number')
        .map((one) => {
          const value = valueAt(spec, one, key)
          return spec.series.length > 1 ? `${one.name}: ${value}` : value
        }),
      ...(spec.series.every(({ values }) => values[key] === null) ? [spec.noValue] : []),
    ].join(spec.series.length > 1 ? '\n' : ': '),
  }))
  return [
    Plot.barY(all, {
      x: 'key',
      y1: low,
      y2: high,
      fill: 'transparent',
      href: 'href',
      title: 'title',
      inset: -1,
    } as never),
  ]
}

function hasLinks({ keys }: ChartSpec): boolean {
  return keys.some(({ href }) => href !== null)
}

/** From left to right, with the labels of keys beside them. */
function bars({ spec, marks, width, isNarrow }: Drawing): Options & { readonly height: number } {
  const labels = spec.keys.map(({ label }) => label)
  const margin = labelMargin(labels, isNarrow)
  const keys = { ...keyScale(spec, margin.columns), padding: 0.2 }
  const isGrouped = !spec.isStacked && spec.series.length > 1
  const place = isGrouped ? { fy: 'key', y: 'series' } : { y: 'key' }
  const bands = isGrouped
    ? {
        fy: { ...keys, axis: 'left' },
        y: { type: 'band', domain: spec.series.map((_, at) => at), axis: null, padding: 0.1 },
      }
    : { y: keys }
  return {
    height: 48 + (isGrouped ? 8 + 13 * spec.series.length : 24) * Math.max(1, spec.keys.length),
    marginLeft: margin.width,
    marginRight: 24,
    marginTop: 40,
    marginBottom: 8,
    x: { ...valueAxis(spec, marks, width < 500 ? 4 : 8), axis: 'top' },
    ...bands,
    marks: [
      ...byLook(spec, marks).map(([some, more]) =>
        Plot.barX(some, {
          ...place,
          x1: 'from',
          x2: 'to',
          insetRight: spec.series.length > 1 && !isGrouped ? 1 : 0,
          href: 'href',
          title: 'title',
          ...more,
        } as never),
      ),
      signs(spec, marks, place),
      Plot.ruleX([0]),
    ],
  }
}

function lines({ spec, marks, width, isNarrow }: Drawing): Options & { readonly height: number } {
  const areAllFew = marks.every(({ isFew }) => isFew)
  // Without values between them, or with too few records unlike others, points are not connected.
  const pointsOf = ({ values, few }: ChartSeries, series: number) =>
    values.map((value, key) => ({
      key,
      series,
      value: few?.includes(key) === true && !areAllFew ? undefined : (value ?? undefined),
    }))
  return {
    height: isNarrow ? 240 : 280,
    marginLeft: leftMargin(spec, marks),
    marginRight: 16,
    marginBottom: 28,
    x: { ...keyAxis(spec, width - 60), type: 'band', padding: 0 },
    y: valueAxis(spec, marks),
    marks: [
      Plot.ruleY([0]),
      ...axisBreaks(spec),
      ...spec.series.map((one, at) =>
        Plot.lineY(pointsOf(one, at), {
          x: 'key',
          y: 'value',
          stroke: 'series',
          z: null,
          strokeWidth: 2,
          strokeDasharray: dashes[at % dashes.length],
        } as never),
      ),
      ...hits(spec, marks),
      signs(spec, marks, { x: 'key' }),
      ...byLook(spec, marks).map(([some, more]) =>
        Plot.dot(some, {
          x: 'key',
          y: 'value',
          r: marks.length > 150 ? 2 : 3.5,
          href: 'href',
          title: 'title',
          ...more,
        } as never),
      ),
    ],
  }
}

const lineHeight = 18

/** Lines of at most so many columns. Longer words are cut into pieces of half as many characters: one may be two wide. */
function wrapped(text: string, most: number): readonly string[] {
  const lines: string[] = []
  const pieces = new RegExp(`.{1,${Math.floor(most / 2)}}`, 'gsu')
  for (const word of text.split(' ')) {
    const line = lines.length === 0 ? word : `${lines.at(-1)} ${word}`
    if (lines.length > 0 && columnsOf(line) <= most) lines[lines.length - 1] = line
    else if (columnsOf(word) <= most) lines.push(word)
    else lines.push(...(word.match(pieces) ?? []))
  }
  return lines
}

/** The chart with its title and the meaning of its colours, on white. */
function fileText(spec: ChartSpec, plotted: SvgNode, width: number, height: number): string {
  const top = 34
  const named = legendOf(spec)
  const captions = (spec.caption ?? []).flatMap((text) => wrapped(plainText(text), 130))
  const below = top + height + 12 + named.length * lineHeight
  const all = below + (captions.length === 0 ? 0 : 8 + captions.length * lineHeight)
  const lines = captions.map(
    (line, at) =>
      `<text x="12" y="${below + 12 + at * lineHeight}" text-anchor="start" fill="#57606a">${escapeXml(labelText(line, 140))}</text>`,
  )
  const legend = named.map(({ name, colour }, at) => {
    const y = top + height + 10 + at * lineHeight
    return `<rect x="12" y="${y}" width="12" height="12" fill="${palette[colour]}"/><text x="30" y="${y + 10}" text-anchor="start">${escapeXml(labelText(name, 100))}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${all}" width="${width}" height="${all}" font-family="system-ui, sans-serif" role="img" ${common} color="#1b1f24"><title>${escapeXml(spec.title)}</title><desc>${escapeXml(spec.description)}</desc><rect width="${width}" height="${all}" fill="#fff"/><text x="12" y="22" text-anchor="start" font-size="15" font-weight="600">${escapeXml(labelText(spec.title, 100))}</text><g transform="translate(0,${top})">${childrenText(plotted, 'file')}</g>${legend.join('')}${lines.join('')}</svg>\n`
}
