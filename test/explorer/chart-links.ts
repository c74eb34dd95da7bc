/** The numbers of charts and the links that lead to their records. */
import assert from 'node:assert/strict'
import { type Pages, plain } from './pages.ts'

const number = new Intl.NumberFormat('en')

/** Each count of a chart by fields is that of the records behind its link. */
export async function assertGroups(pages: Pages, address: string): Promise<void> {
  await assertMarks(pages, address)
  await assertFile(pages, address)
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

/** The file of a chart has the rows of its table, the last one for records without a number or a time too. */
async function assertFile(pages: Pages, address: string): Promise<void> {
  const { document } = await pages.page(address)
  const cells = Array.from(document.querySelectorAll('figure :is(tbody, tfoot) tr'), (row) =>
    Array.from(row.querySelectorAll('td'), ({ textContent }) => plain(textContent)),
  )
  const columns = (cells[0] ?? []).map((_, at) => cells.map((row) => row[at]))
  const { body } = await pages.get(`${address.replace('/charts', '/chart.csv')}&part=groups`)
  const counts = body
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',').at(-1) ?? '')
  const shown = counts.map((count) => (count === '' ? 'no value' : number.format(Number(count))))
  if (cells.length > 0) assert.deepEqual(shown, columns.flat(), address)
}
