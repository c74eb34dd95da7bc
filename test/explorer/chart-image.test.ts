/** A chart as PNG, which the browser makes of the SVG. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { skipWithoutBrowser as skip } from '../support/server/browser.ts'
import { openReader } from './reader.ts'

test('a chart is saved as PNG in twice the size of its SVG', { skip }, async () => {
  await using reader = await openReader('/c/tech.service.news.article')
  const { page, complaints } = reader
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Chart as PNG' }).first().click(),
  ])
  assert.equal(download.suggestedFilename(), 'chart.png')
  const png = readFileSync(await download.path())
  assert.equal(png.toString('latin1', 1, 4), 'PNG')
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  assert.ok(width >= 1_000 && height >= 300, `${width} × ${height}`)
  assert.deepEqual(complaints, [])
})
