import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chartSpec as spec } from '../../../test/support/chart-spec.ts'
import { type ChartSpec, chartKinds, isDrawn, isTooLarge, layouts, legendOf } from './chart-spec.ts'
import { drawChart } from './draw-chart.ts'

const drawnKinds = chartKinds.filter((kind) => kind !== 'table')
const elements = ['svg', 'g', 'path', 'rect', 'line', 'circle', 'text', 'tspan', 'a', 'title', 'desc']

const series = (values: readonly (number | null)[], name = 'x') => ({ name, values, hrefs: [] })
const keysOf = (labels: readonly string[]) => labels.map((label) => ({ label, href: null }))

/** The start tags of markup in which every element is known and closed, and every special character escaped. */
function tagsOf(svg: string): readonly string[] {
  const open: string[] = []
  const tags: string[] = []
  const rest = svg.replaceAll(
    /<(\/?)([a-z]+)((?: [a-z][a-z0-9:-]*="[^"<>]*")*)(\/?)>/gi,
    (tag, end: string, name: string, attributes: string, closed: string) => {
      assert.ok(elements.includes(name), tag)
      const names = Array.from(attributes.matchAll(/ ([a-z][a-z0-9:-]*)="[^"]*"/gi), ([, each = '']) => each)
      assert.ok(!names.some((each) => each === 'style' || each.startsWith('on')), tag)
      assert.equal(new Set(names).size, names.length, tag)
      if (end === '/') assert.equal(open.pop(), name)
      else if (closed === '') open.push(name)
      if (end === '') tags.push(tag)
      return ''
    },
  )
  assert.deepEqual(open, [])
  assert.doesNotMatch(rest, /[<>]/)
  assert.doesNotMatch(svg, /&(?!(amp|lt|gt|quot|#39);)/)
  assert.doesNotMatch(svg, /NaN|undefined|Infinity/)
  return tags
}

function textsOf(svg: string): readonly string[] {
  return Array.from(svg.matchAll(/<(?:text|tspan|title)[^>]*>([^<]+)</g), ([, text = '']) =>
    text.replaceAll(/[\u2068\u2069]/g, ''),
  )
}

test('labels of an axis are whole and differ', () => {
  const label = 'Nov 18, 2026, 10:00 AM'
  for (const highest of [0.00021, 0.0004, 0.02, 1]) {
    const given = { unit: 'share', kind: 'lines', isOrdered: true, keys: keysOf([label, 'b']) } as const
    const texts = textsOf(drawChart(spec({ ...given, series: [series([highest, 0])] }), 'wide'))
    const ticks = texts.filter((text) => /^[\d.]+%$/.test(text))
    assert.ok(ticks.length > 2 && new Set(ticks).size === ticks.length, ticks.join())
    assert.ok(texts.includes(label))
  }
})

test('bars have a link and a title for each key', () => {
  const svg = drawChart(spec(), 'wide')
  const tags = tagsOf(svg)
  assert.equal(tags.filter((tag) => tag.includes('class="fill-0"')).length, 3)
  const linkOf = (label: string) =>
    `<a href="/c/x?day=${label[0]}&amp;lang=en" tabindex="-1" rel="nofollow" aria-label="${label}">`
  assert.deepEqual(
    tags.filter((tag) => tag.startsWith('<a ')),
    ['a: 1', 'b: 3', 'c: 2'].map(linkOf),
  )
  assert.match(svg, /aria-label="Records per day".*<desc>Highest: 3 \(b\)\.<\/desc>/s)
})

test('each series has a colour of its own, and the rest that of the rest', () => {
  for (const many of [1, 2, 3, 6, 9])
    for (const kind of ['bars', 'lines'] as const) {
      const all = Array.from({ length: many }, (_, at) => ({
        ...series([1, 2, 3], String(at)),
        isRest: at > 0 && at === many - 1,
      }))
      const svg = drawChart(spec({ kind, series: all }), 'wide')
      const used = new Set(Array.from(svg.matchAll(/class="fill-(\d)"/g), ([, number]) => Number(number)))
      const wanted = all.map(({ isRest }, at) => (isRest ? 8 : at))
      assert.deepEqual([...used].toSorted(), wanted, `${many} ${kind}`)
      assert.doesNotMatch(svg, /rgb|hsl/)
    }
})

const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onload='alert(1)",
  '&lt;b&gt; &amp;',
  '\u202Egnitirw \u2066\u0000\u0007\uD800',
  ']]><style>*{}</style>',
  'العربية (عنوان)',
  'x'.repeat(5_000),
  '\n\n  \t',
]

for (const kind of drawnKinds)
  test(`texts stay texts in ${kind}`, () => {
    const [, title = '', valueLabel = ''] = hostile
    const keys = hostile.map((label) => ({ label, href: `javascript:${label}` }))
    const all = hostile.slice(0, 4).map((name, at) => ({
      name,
      values: hostile.map((_, key) => (key === at ? null : key)),
      hrefs: hostile.map((text) => `//evil.example/${text}`),
    }))
    for (const isOrdered of [true, false])
      for (const isStacked of [true, false])
        for (const layout of layouts) {
          const svg = drawChart(
            spec({ kind, keys, series: all, isOrdered, isStacked, title, valueLabel }),
            layout,
          )
          assert.ok(!tagsOf(svg).some((tag) => tag.startsWith('<a ')))
          assert.doesNotMatch(svg, /[\u202A-\u202E\u2066]|[^\P{Cc}\n]/u)
          assert.ok(svg.length < 400_000, String(svg.length))
        }
  })

test('a label has its own direction, and is cut', () => {
  const keys = keysOf(['العربية', 'x'.repeat(100)])
  const svg = drawChart(spec({ keys, isOrdered: false, series: [series([1, 2])] }), 'wide')
  assert.match(svg, />\u2068العربية\u2069</)
  assert.match(svg, />\u2068x{35}…\u2069</)
})

test('a file has its title and the meaning of colours in itself, and no links', () => {
  const svg = drawChart(spec({ series: ['en', 'fr'].map((name) => series([1, 2, 3], name)) }), 'file')
  assert.ok(!tagsOf(svg).some((tag) => tag.startsWith('<a ') || tag.includes('class=')))
  for (const text of ['Records per day', 'en', 'fr']) assert.ok(textsOf(svg).includes(text), text)
})

for (const kind of drawnKinds)
  test(`one value, many values and missing values are drawn as ${kind}`, () => {
    const drawn = (values: readonly (number | null)[], layout: 'wide' | 'narrow'): number => {
      const keys = keysOf(values.map((_, at) => `day ${at}`))
      const svg = drawChart(spec({ kind, keys, series: [series(values)] }), layout)
      return tagsOf(svg).filter((tag) => /^<(rect|circle)/.test(tag)).length
    }
    assert.equal(drawn([5], 'wide'), 1)
    const many = Array.from({ length: 1_000 }, (_, at) => (at % 10 === 0 ? null : (at % 7) - 2))
    assert.equal(drawn(many, 'narrow'), 900)
    assert.equal(drawn([0, 0, null], 'narrow'), 2)
  })

test('a missing value is marked in the drawing, and zero is not', () => {
  const one = [series([0, null, 2])]
  const both = [...one, series([1, 1, null], 'y')]
  const marksOf = (change: Partial<ChartSpec>) => {
    const svg = drawChart(spec({ series: one, ...change }), 'wide')
    const texts = Array.from(svg.matchAll(/<text[^>]*>\u2068?(no value|–)/g), ([, text]) => text)
    return [texts.join(), svg.split('<title>b: no value<').length - 1]
  }
  assert.deepEqual(marksOf({}), ['–', 2])
  assert.deepEqual(marksOf({ kind: 'lines' }), ['–', 2])
  assert.deepEqual(marksOf({ isOrdered: false }), ['no value', 1])
  assert.equal(marksOf({ series: both })[0], '')
  assert.equal(marksOf({ series: both, isOrdered: false })[0], '')
  assert.equal(marksOf({ series: both, isOrdered: false, isStacked: false })[0], 'no value,no value')
})

for (const [kind, change] of Object.entries({
  columns: {},
  bars: { isOrdered: false },
  lines: { kind: 'lines', isStacked: false },
  'stacked columns': { several: true },
  'bars of several series': { several: true, isOrdered: false, isStacked: false },
} as const))
  test(`${kind} of too few records are hollow, have an asterisk, and set no scale`, () => {
    const draw = (first: number, few: readonly number[]) => {
      const all = [first, 0.02, 0.03].map((value) => value / 2)
      const given = 'several' in change ? [series(all, 'x'), series(all, 'y')] : [series(all)]
      const { several: _, ...more } = { several: false, ...change }
      const svg = drawChart(
        spec({ unit: 'share', series: given.map((each) => ({ ...each, few })), ...more }),
        'wide',
      )
      const hollow = Array.from(
        svg.matchAll(/<g [^>]*stroke-dasharray="3 2"[^>]*>(.*?)<\/g>/g),
        ([, own]) => own,
      ).join('')
      const sizes = (text: string) =>
        Array.from(text.matchAll(/ (?:height|width|cy)="([\d.]+)"/g), ([, each]) => Number(each))
      const ticks = textsOf(svg).filter((text) => /^[\d.]+%$/.test(text))
      return {
        ticks,
        stars: svg.split(/\u2068(?:[\d.]+%)?\*\u2069/).length - 1,
        hollow: sizes(hollow),
        titles: textsOf(svg),
      }
    }
    const plain = draw(0.03, [])
    assert.deepEqual([plain.stars, plain.hollow], [0, []])
    const few = draw(0.9, [0])
    const count = 'several' in change ? 2 : 1
    assert.equal(few.stars, count)
    assert.deepEqual(few.ticks, plain.ticks)
    assert.ok(
      few.titles.some((text) => text.includes('45%*')),
      few.titles.join(),
    )
    // A point has its value next to it.
    const said = few.titles.map((text) => text.replaceAll(/[\u2068\u2069]/g, ''))
    assert.equal(said.includes('45%*'), kind === 'lines')
    // As high or long as the highest of the others.
    assert.ok(few.hollow.length >= count)
    assert.deepEqual(few.hollow, draw(0.03, [0]).hollow)
  })

test('bars that do not add up stand below each other, each as long as its value', () => {
  const all = [series([4, 2, 0], 'here'), series([1, 2, 3], 'there')]
  const svg = drawChart(spec({ series: all, isOrdered: false, isStacked: false }), 'wide')
  const bars = tagsOf(svg).flatMap((tag) => {
    const [, y, width, colour] = /^<rect class="fill-(?=\d)/.test(tag)
      ? (/(?=.* y="([\d.]+)")(?=.* width="([\d.]+)")(?=.*class="fill-(\d)")/.exec(tag) ?? [])
      : []
    return colour === undefined ? [] : [{ y, width: Number(width), colour }]
  })
  assert.deepEqual(
    bars.map(({ colour }) => colour),
    ['0', '1', '0', '1', '0', '1'],
  )
  const unit = (bars[0]?.width ?? 0) / 4
  assert.deepEqual(
    bars.map(({ width }) => Math.round(width / unit)),
    [4, 1, 2, 2, 0, 3],
  )
  assert.equal(new Set(bars.map(({ y }) => y)).size, 2)
})

test('a legend says what colours mean', () => {
  const names = (change: Partial<ChartSpec>) => legendOf(spec(change)).map(({ name }) => name)
  assert.deepEqual(names({ series: [series([-3, null, 2])] }), [])
  assert.deepEqual(names({ series: [series([1, 2, 3], 'one'), series([3, 2, 1], 'two')] }), ['one', 'two'])
})

test('numbers of the axis and in titles are those of the language', () => {
  const german = spec({ locale: 'de', series: [series([1_200_000, 2_500_000, 0])] })
  assert.ok(textsOf(drawChart(german, 'wide')).includes('a: 1.200.000'))
  const shares = textsOf(drawChart(spec({ unit: 'share', series: [series([0.125, 0.5, 1])] }), 'wide'))
  for (const text of ['a: 13%', '100%']) assert.ok(shares.includes(text), text)
})

test('charts without a value are empty, those of too many values too large, and a table is no drawing', () => {
  assert.ok(!isDrawn(spec({ series: [series([null, null, null])] })))
  assert.ok(isDrawn(spec()))
  assert.ok(!isDrawn(spec({ kind: 'table' })))
  const keys = keysOf(Array.from({ length: 1_001 }, () => ''))
  assert.ok(isTooLarge(spec({ keys, series: Array.from({ length: 5 }, () => series([])) })))
})
