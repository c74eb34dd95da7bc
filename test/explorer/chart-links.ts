/** The numbers of charts and the links that lead to their records. */
import assert from 'node:assert/strict'
import type { Pages } from './pages.ts'

const number = new Intl.NumberFormat('en')

/** Each count of a chart by fields is that of the records behind its link. */
export async function assertGroups(pages: Pages, address: string): Promise<void> {
  await assertMarks(pages, address)
  const { rows, head } = await pages.figure(address)
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
