/** The chart of time in a browser: dragging chooses a period, a click one of its columns, and nothing is complained of. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { someForms } from '../support/rounds.ts'
import { skipWithoutBrowser as skip } from '../support/server/browser.ts'
import { openReader, type Reader } from './reader.ts'

const address = '/c/tech.service.news.article?publishedAt=2026-10-01&publishedAt.to=2026-10-10'
const directions = [
  [5, 2],
  [2, 5],
] as const
const sizes = { wide: { width: 1280, height: 900 }, narrow: { width: 360, height: 800 } }

/** The middle of a column, counted from 0. */
async function columnAt({ page }: Reader, layout: string, at: number): Promise<{ x: number; y: number }> {
  const box = await page.locator(`svg.${layout} a rect`).nth(at).boundingBox()
  assert.ok(box !== null)
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

function periodOf({ page }: Reader): readonly (string | null)[] {
  const { searchParams } = new URL(page.url())
  return [searchParams.get('publishedAt'), searchParams.get('publishedAt.to')]
}

for (const [layout, viewport] of Object.entries(sizes))
  test(`dragging over the ${layout} chart, in either direction, chooses a period`, { skip }, async () => {
    for (const [first, last] of someForms(directions)) {
      await using reader = await openReader(address, { viewport })
      const { page } = reader
      await page.locator(`svg.${layout}`).scrollIntoViewIfNeeded()
      const from = await columnAt(reader, layout, first)
      const to = await columnAt(reader, layout, last)
      await page.mouse.move(from.x, from.y)
      await page.mouse.down()
      await page.mouse.move(to.x, to.y, { steps: 4 })
      assert.equal(await page.locator(`svg.${layout} a.chosen`).count(), 4)
      await Promise.all([page.waitForURL(/publishedAt=2026-10-03/), page.mouse.up()])
      assert.deepEqual(periodOf(reader), ['2026-10-03', '2026-10-06'])
      assert.deepEqual(reader.complaints, [])
    }
  })

for (const javaScriptEnabled of [true, false])
  test(`a click on a column chooses its period, with script: ${javaScriptEnabled}`, { skip }, async () => {
    await using reader = await openReader(address, { javaScriptEnabled })
    const { page } = reader
    const { x, y } = await columnAt(reader, 'wide', 3)
    await Promise.all([page.waitForURL(/publishedAt=2026-10-04/), page.mouse.click(x, y)])
    assert.deepEqual(periodOf(reader), ['2026-10-04', '2026-10-04'])
    assert.deepEqual(reader.complaints, [])
  })

test('Escape gives up a drag', { skip }, async () => {
  await using reader = await openReader(address)
  const { page } = reader
  const from = await columnAt(reader, 'wide', 1)
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(from.x + 200, from.y, { steps: 4 })
  await page.keyboard.press('Escape')
  assert.equal(await page.locator('svg.wide a.chosen').count(), 0)
  await page.mouse.up()
  assert.deepEqual(periodOf(reader), ['2026-10-01', '2026-10-10'])
})
