/** The numbers of charts and the links that lead to their records. */
import assert from 'node:assert/strict'
import { type Pages, plain } from './pages.ts'

const number = new Intl.NumberFormat('en')

/** Each count of a chart by fields is that of the records behind its link. */
export async function assertGroups(pages: Pages, address: string): Promise<void> {
  await assertMarks(pages, address)
  await assertTaken(pages, address)
  const { rows, head, description } = await pages.figure(address)
  // Records without a number or a time are counted, whether their field is the first or the second.
  for (const [, field = ''] of address.matchAll(/by=(publishedAt|wordCount)/g)) {
    const count = pages.found(`${address.replace('/charts', '')}&${field}.missing=1`).length
    if (count > 0)
      assert.ok(description.includes(`not shown: ${number.format(count)}.`), `${field} ${address}`)
  }
  const isOfOne = address.split('by=').length === 2
  for (const [key, ...cells] of rows)
    for (const [column, { text, href }] of cells.entries()) {
      const to = href ?? (isOfOne ? (key?.href ?? null) : null)
      if (to !== null && head[column + 1] !== 'Others')
        assert.equal(text, number.format(pages.found(to).length), `${to} of ${address}`)
    }
}

/** The marks of a drawing lead to as many records as their labels say, those of a key too. */
export async function assertMarks(pages: Pages, address: string): Promise<void> {
  const { document } = await pages.page(address)
  for (const link of document.querySelectorAll('svg.chart.wide a')) {
    const said = /^.*: ([\d,]+)$/.exec(link.getAttribute('aria-label') ?? '')?.[1]
    const href = link.getAttribute('href') ?? ''
    if (said !== undefined)
      assert.equal(said, number.format(pages.found(href).length), `${href} of ${address}`)
  }
}

/** What is taken along from a chart of counts has its numbers, those of records without a number or a time last. */
export async function assertTaken(pages: Pages, address: string): Promise<void> {
  const { document, texts } = await pages.page(address)
  const figure = document.querySelector('figure')
  if (figure?.querySelector('tbody') == null) return
  const [rows, rest] = ['tbody', 'tfoot'].map((part) => countsIn(figure, part))
  const menu = [...document.querySelectorAll('.take')].find((each) => each.querySelector('[href*="/chart."]'))
  const links = Array.from(
    menu?.querySelectorAll('.take-links a') ?? [],
    (link) => link.getAttribute('href') ?? '',
  )
  const programs = texts('.take pre').join(' ').replaceAll('&amp;', '&')
  const written = Array.from(
    programs.matchAll(/"https?:\/\/[^/]*([^"]*\/chart[.?][^"]*)"/g),
    ([, path = '']) => path,
  )
  assert.ok(links.length >= 3 && written.length >= 2, address)
  for (const path of new Set([...links, ...written])) {
    const { status, body } = await pages.get(path)
    assert.ok(status === 200 || (status === 404 && path.includes('.svg')), `${status}: ${path} of ${address}`)
    if (path.startsWith('/embed')) {
      const { document } = await pages.page(path)
      assert.deepEqual(countsIn(document, 'tbody'), rows, path)
    }
    if (!path.includes('.csv')) continue
    const lines = body.trim().split('\r\n').slice(1)
    const counts = lines.map((line) => line.split(',').at(-1) ?? '')
    const shown = counts.map((count) => (count === '' ? 'no value' : number.format(Number(count))))
    const columns = (rows?.[0] ?? []).map((_, at) => rows?.map((row) => row[at]))
    assert.deepEqual(shown, [...columns.flat(), ...(rest ?? []).flat()], path)
  }
}

function countsIn(figure: ParentNode, part: string): readonly (readonly string[])[] {
  return Array.from(figure.querySelectorAll(`${part} tr`), (row) =>
    Array.from(row.querySelectorAll('td'), ({ textContent }) => plain(textContent)),
  )
}
