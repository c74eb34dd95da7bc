import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ChartSpec, chartKinds, isEmpty, isTooLarge, layouts } from './chart-spec.ts'
import { drawChart } from './draw-chart.ts'
import { legendOf } from './legend.ts'

const elements = ['svg', 'g', 'path', 'rect', 'line', 'circle', 'text', 'tspan', 'a', 'title', 'desc']

function spec(change: Partial<ChartSpec> = {}): ChartSpec {
  return {
    kind: 'bars',
    title: 'Records per day',
    description: 'Highest: 3 (b).',
    locale: 'en',
    noValue: 'no value',
    unit: 'number',
    keyLabel: 'Day',
    valueLabel: 'Records',
    isOrdered: true,
    isStacked: true,
    keys: ['a', 'b', 'c'].map((label) => ({ label, href: `/c/x?day=${label}&lang=en` })),
    series: [{ name: 'Records', values: [1, 3, 2], hrefs: [] }],
    ...change,
  }
}

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

/** The number of shades in place of missing values. */
function shadesIn(svg: string): number {
  const groups = Array.from(
    svg.matchAll(/<g [^>]*fill-opacity="0\.1">(.*?)<\/g>/g),
    ([, shades = '']) => shades,
  )
  return groups.reduce((sum, shades) => sum + shades.split('<rect').length - 1, 0)
}

test('bars have a link and a title for each key', () => {
  const svg = drawChart(spec(), 'wide')
  const tags = tagsOf(svg)
  assert.equal(tags.filter((tag) => tag.includes('class="fill-0"')).length, 3)
  assert.deepEqual(
    tags.filter((tag) => tag.startsWith('<a ')),
    ['a: 1', 'b: 3', 'c: 2'].map(
      (label) =>
        `<a href="/c/x?day=${label[0]}&amp;lang=en" tabindex="-1" rel="nofollow" aria-label="${label}">`,
    ),
  )
  assert.match(svg, /aria-label="Records per day"/)
  assert.match(svg, /<desc>Highest: 3 \(b\)\.<\/desc>/)
})

test('each series has a colour of its own, and the rest that of the rest', () => {
  for (const many of [1, 2, 3, 6])
    for (const kind of ['bars', 'lines'] as const) {
      const series = Array.from({ length: many }, (_, at) => ({
        name: String(at),
        values: [1, 2, 3],
        hrefs: [],
        isRest: at > 0 && at === many - 1,
      }))
      const svg = drawChart(spec({ kind, series }), 'wide')
      const used = new Set(Array.from(svg.matchAll(/class="fill-(\d)"/g), ([, number]) => Number(number)))
      const wanted = series.map(({ isRest }, at) => (isRest ? 6 : at))
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

for (const kind of chartKinds)
  test(`texts stay texts in ${kind}`, () => {
    const keys = hostile.map((label) => ({ label, href: `javascript:${label}` }))
    const series = hostile.slice(0, 4).map((name, at) => ({
      name,
      values: hostile.map((_, key) => (key === at ? null : key)),
      hrefs: hostile.map((text) => `//evil.example/${text}`),
    }))
    for (const isOrdered of [true, false])
      for (const isStacked of [true, false])
        for (const layout of layouts) {
          const all = {
            kind,
            keys,
            series,
            isOrdered,
            isStacked,
            title: hostile[1] ?? '',
            valueLabel: hostile[2] ?? '',
          }
          const svg = drawChart(spec(all), layout)
          assert.deepEqual(
            tagsOf(svg).filter((tag) => tag.startsWith('<a ')),
            [],
          )
          assert.doesNotMatch(svg, /[\u202A-\u202E\u2066]|[^\P{Cc}\n]/u)
          assert.ok(svg.length < 400_000, String(svg.length))
        }
  })

test('a label has its own direction, and is cut', () => {
  const keys = ['العربية', 'x'.repeat(100)].map((label) => ({ label, href: null }))
  const svg = drawChart(
    spec({ keys, isOrdered: false, series: [{ name: '', values: [1, 2], hrefs: [] }] }),
    'wide',
  )
  assert.match(svg, />\u2068العربية\u2069</)
  assert.match(svg, />\u2068x{35}…\u2069</)
})

test('a file has its title, colours and the meaning of colours in itself, and no links', () => {
  const series = ['en', 'fr'].map((name) => ({ name, values: [1, 2, 3], hrefs: [] }))
  const svg = drawChart(spec({ series }), 'file')
  const tags = tagsOf(svg)
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
  assert.ok(!tags.some((tag) => tag.startsWith('<a ') || tag.includes('class=')))
  for (const text of ['Records per day', 'en', 'fr']) assert.ok(textsOf(svg).includes(text), text)
})

test('one value, many values and missing values are drawn', () => {
  for (const kind of chartKinds) {
    const one = drawChart(
      spec({ kind, keys: [{ label: 'a', href: null }], series: [{ name: 'x', values: [5], hrefs: [] }] }),
      'wide',
    )
    assert.equal(tagsOf(one).filter((tag) => /^<(rect|circle)/.test(tag)).length, 1, kind)
    const keys = Array.from({ length: 1_000 }, (_, at) => ({ label: `day ${at}`, href: null }))
    const values = keys.map((_, at) => (at % 10 === 0 ? null : (at % 7) - 2))
    const many = drawChart(spec({ kind, keys, series: [{ name: 'x', values, hrefs: [] }] }), 'narrow')
    const drawn = tagsOf(many).filter((tag) => /^<(rect|circle)/.test(tag)).length - shadesIn(many)
    assert.equal(drawn, 900, kind)
    const zeros = drawChart(
      spec({ kind, series: [{ name: 'x', values: [0, 0, null], hrefs: [] }] }),
      'narrow',
    )
    tagsOf(zeros)
  }
})

test('a missing value is marked in the drawing, and zero is not', () => {
  const series = [{ name: 'x', values: [0, null, 2], hrefs: [] }]
  const marksOf = (change: Partial<ChartSpec>) => {
    const svg = drawChart(spec({ series, ...change }), 'wide')
    tagsOf(svg)
    const texts = Array.from(svg.matchAll(/<text[^>]*>\u2068?(no value|–)/g), ([, text]) => text)
    return {
      shades: shadesIn(svg),
      texts,
      titles: svg.split('<title>b: no value<').length - 1,
    }
  }
  assert.deepEqual(marksOf({}), { shades: 1, texts: [], titles: 2 })
  assert.deepEqual(marksOf({ isOrdered: false }), { shades: 0, texts: ['no value'], titles: 1 })
  assert.deepEqual(marksOf({ kind: 'heat' }), { shades: 0, texts: ['–'], titles: 1 })
  const both = [...series, { name: 'y', values: [1, 1, null], hrefs: [] }]
  assert.equal(marksOf({ series: both }).shades, 0)
  assert.equal(marksOf({ series: both, kind: 'multiples' }).shades, 2)
  assert.deepEqual(marksOf({ series: both, kind: 'multiples', isOrdered: false }).texts, [
    'no value',
    'no value',
  ])
})

test('labels of narrow cells stand upright, and only as many as there is room for', () => {
  const labelsOf = (many: number, layout: 'wide' | 'narrow') => {
    const keys = Array.from({ length: many }, (_, at) => ({ label: `category ${at}`, href: null }))
    const series = ['x', 'y'].map((name) => ({ name, values: keys.map((_, at) => at), hrefs: [] }))
    const svg = drawChart(spec({ kind: 'heat', isOrdered: false, keys, series }), layout)
    const turned = Array.from(svg.matchAll(/rotate\((-\d+)\)/g), ([, angle]) => Number(angle))
    return [new Set(turned), turned.length] as const
  }
  assert.deepEqual(labelsOf(20, 'wide'), [new Set([-40]), 20])
  assert.deepEqual(labelsOf(20, 'narrow'), [new Set([-90]), 20])
  assert.deepEqual(labelsOf(50, 'narrow'), [new Set([-90]), 25])
})

test('a legend says what shades mean', () => {
  const namesOf = (change: Partial<ChartSpec>) => legendOf(spec(change)).map(({ name }) => name)
  const series = [{ name: 'x', values: [-3, null, 2], hrefs: [] }]
  assert.deepEqual(namesOf({ series }), ['no value'])
  assert.deepEqual(namesOf({ series, isOrdered: false }), [])
  assert.deepEqual(namesOf({ series, kind: 'lines' }), [])
  assert.deepEqual(namesOf({ series, kind: 'heat' }), ['0', '-3 / 3', '–: no value'])
  assert.deepEqual(namesOf({ kind: 'heat' }), ['0', '3'])
  const file = drawChart(spec({ kind: 'heat' }), 'file')
  assert.ok(textsOf(file).includes('3'))
})

test('numbers of the axis and in titles are those of the language', () => {
  const values = [1_200_000, 2_500_000, 0]
  const german = drawChart(spec({ locale: 'de', series: [{ name: 'x', values, hrefs: [] }] }), 'wide')
  assert.ok(textsOf(german).includes('a: 1.200.000'))
  const shares = drawChart(
    spec({ unit: 'share', series: [{ name: 'x', values: [0.125, 0.5, 1], hrefs: [] }] }),
    'wide',
  )
  assert.ok(textsOf(shares).includes('a: 12.5%'))
  assert.ok(textsOf(shares).includes('100%'))
})

test('charts without a value are empty, and those of too many values too large', () => {
  assert.ok(isEmpty(spec({ series: [{ name: 'x', values: [null, null, null], hrefs: [] }] })))
  assert.ok(!isEmpty(spec()))
  const keys = Array.from({ length: 1_001 }, () => ({ label: '', href: null }))
  assert.ok(
    isTooLarge(
      spec({ keys, series: [1, 2, 3, 4, 5].map((at) => ({ name: String(at), values: [], hrefs: [] })) }),
    ),
  )
})
