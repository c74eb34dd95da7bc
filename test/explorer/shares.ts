/** When a share says little, and what charts show then: the rule a second time, for every kind of chart. */
import assert from 'node:assert/strict'
import { type Pages, plain } from './pages.ts'

const number = new Intl.NumberFormat('en')
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 })

/** The numbers behind a share. */
export interface Part {
  readonly count: number
  readonly all: number
  readonly series: number
}

/** Shares of fewer than 50 are mostly chance, and called highest or lowest only if none is of more. */
export function enoughOf(parts: readonly Part[]): readonly Part[] {
  const known = parts.filter(({ all }) => all > 0)
  const many = known.filter(({ all }) => all >= 50)
  return many.length > 0 ? many : known
}

export function highestOf(parts: readonly Part[], all = enoughOf(parts)): number | undefined {
  const shares = all.filter(({ count }) => count >= 5).map((part) => part.count / part.all)
  return shares.length === 0 ? undefined : Math.max(...shares)
}

/** What a cell says of it, with an asterisk if it is mostly chance. */
export function shareText(part: Part, parts: readonly Part[]): string {
  const { count, all, series } = part
  if (all === 0) return 'no value'
  const own = parts.filter((each) => each.series === series)
  const most = highestOf(own) ?? highestOf(parts) ?? 0
  return percent.format(count / all) + (all >= 50 && count / all <= most ? '' : '*')
}

/**
 * Bars and points with an asterisk are hollow, and none of them is higher than the highest of the others, or than the
 * highest stack that has others, unless all others are 0.
 */
export function assertDrawn(document: Document, texts: readonly string[]): void {
  // What is called highest or lowest is marked as in the table.
  const description = plain(document.querySelector('figure .description')?.textContent)
  for (const [, said = ''] of description.matchAll(/(?:High|Low)est: ([\d.]+%\*?)/g))
    assert.ok(texts.includes(said), `${said}: ${texts.join()}`)
  const svg = document.querySelector('svg.chart.wide')
  if (svg === null) return
  const marks = [...svg.querySelectorAll('rect, circle')].filter(
    (mark) => !/transparent/.test(mark.closest('[fill]')?.getAttribute('fill') ?? ''),
  )
  const topOf = (mark: Element) => Number(mark.getAttribute('y') ?? mark.getAttribute('cy'))
  const isHollow = (mark: Element) => mark.closest('g[stroke-dasharray]') !== null
  const isBars = svg.querySelector('circle') === null
  const columns = [...Map.groupBy(marks, (mark) => (isBars ? mark.getAttribute('x') : mark)).values()]
  const ends = columns
    .filter((column) => !column.every(isHollow))
    .flat()
    .map(topOf)
  const hollow = marks.filter(isHollow)
  const isTelling = texts.some((text) => /[1-9].*%$/.test(text))
  if (ends.length > 0 && isTelling)
    for (const top of hollow.map(topOf)) assert.ok(top >= Math.min(...ends) - 0.1, svg.outerHTML)
  // The parts of a stack stand one upon the other.
  const heightOf = (mark: Element) => Number(mark.getAttribute('height'))
  if (isBars && columns.length > 1)
    for (const column of columns) {
      let above = 0
      const seen = column.filter((mark) => heightOf(mark) > 0)
      for (const mark of seen.toSorted((one, other) => topOf(one) - topOf(other))) {
        assert.ok(topOf(mark) >= above - 0.1, svg.outerHTML)
        above = topOf(mark) + heightOf(mark)
      }
    }
  const few = texts.filter((text) => text.endsWith('*')).length
  if (!isBars || texts.length === marks.length) assert.equal(hollow.length, few, svg.outerHTML)
}

/** The file of a chart says of how many records it is, and all that its page says. */
export async function assertCaption(pages: Pages, address: string, description: string): Promise<void> {
  const part = address.includes('/topic') ? 'part=topic&' : address.includes('/charts') ? 'part=groups&' : ''
  const file = address.replace(/\/topic|\/charts/, '').replace('?', `/chart.svg?${part}`)
  const { body } = await pages.get(file)
  if (!body.startsWith('<svg')) return
  const caption = Array.from(body.matchAll(/<text[^>]*fill="#57606a">([^<]*)/g), ([, line = '']) => line)
  const said = plain(
    caption
      .join(' ')
      .replaceAll(/[\u2068\u2069]/g, '')
      .replaceAll('&quot;', '"'),
  )
  const searches = new URLSearchParams(address.split('?')[1]).getAll('q')
  for (const search of part.includes('topic') && searches.length > 1 ? searches : [null]) {
    const own = search === null ? address : address.replaceAll(/q=\w+&?/g, '').replace('?', `?q=${search}&`)
    const count = pages.found(own.replace(/\/topic|\/charts/, '')).length
    const of = search === null ? ':' : `“${search}”`
    assert.ok(said.includes(`${of} ${number.format(count)} record`), `${said} ${of} ${count} ${file}`)
  }
  assert.ok(said.includes(description), `${said} ${description} ${file}`)
}
