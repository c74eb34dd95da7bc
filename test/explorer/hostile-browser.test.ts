/** Records that attack, in a real browser: no script of theirs runs, nothing else is asked, and pages stay in shape. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { someForms } from '../support/rounds.ts'
import { skipWithoutBrowser as skip } from '../support/server/browser.ts'
import { did, hostile, note, reply } from './hostile-records.ts'
import { openReader, serveOther } from './reader.ts'

const places = [
  `/at/${did}/${note}/attacker`,
  '/',
  '/search?q=script',
  `/c/${note}`,
  `/c/${note}?show=table`,
  `/c/${note}?q=alert`,
  `/c/${note}?title.contains=%3Cscript`,
  `/c/${note}/filter?field=tags`,
  `/c/${note}/charts?by=tags`,
  `/c/${note}/topic?q=%3Cscript%3E&q=plain`,
  `/c/${note}/topic?score=7`,
  `/c/${reply}`,
  `/embed/c/${note}`,
  `/at/${did}`,
  `/at/${did}/${note}/other`,
]

test('hostile records run no script, ask for nothing elsewhere, and do not burst pages', {
  skip,
}, async () => {
  await using service = await serveOther(hostile)
  await using reader = await openReader(service.url, { viewport: { width: 360, height: 740 } })
  const { page, complaints } = reader
  page.on('dialog', (dialog) => {
    complaints.push(`It says ${dialog.message()}.`)
    void dialog.dismiss()
  })
  for (const place of someForms(places, 4)) {
    await page.goto(service.url + place)
    // What is folded in takes room too.
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    const width = await page.evaluate('document.documentElement.scrollWidth')
    if (width !== 360) complaints.push(`${place} is ${width} pixels wide.`)
    const links = await page.evaluate("[...document.links].map((each) => each.protocol).join(' ')")
    assert.match(String(links), /^((https?|at|mailto): ?)*$/)
  }
  assert.deepEqual(complaints, [])
})
