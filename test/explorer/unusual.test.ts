/** Words and values that go with topics: each share is that of the records behind it, by the reference evaluator. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { article, openPages } from './pages.ts'

const { found, page } = await openPages()
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 })
const period = 'publishedAt.to=2026-11-01'
const week = 'publishedAt=2026-11-09&publishedAt.to=2026-11-15'

test('words and values are compared with the other records of the period, or of a period alone with all', async () => {
  const ofPeriod = 'all records within this period'
  for (const [kind, topic, base, said] of [
    ['words', week, '', 'all records'],
    ['words', `tags=climate&${period}`, period, ofPeriod],
    ['values', 'source_country=GB', '', 'all records'],
    ['values', `source_country=GB&${period}`, period, ofPeriod],
    ['values', `language=fr&${period}`, period, ofPeriod],
    ['values', `q=the&${period}`, period, ofPeriod],
    [
      'values',
      `q=climate&language=en&${period}`,
      `language=en&${period}`,
      'the records in English within this period',
    ],
    ['values', `q=climate&language=en&base=all&${period}`, period, ofPeriod],
  ] as const) {
    const { texts, document } = await page(`${article}/topic?${topic}&panel=${kind}`)
    const [notes = ''] = texts('.things ~ .none')
    assert.ok(notes.endsWith(`Compared with: ${said}, without those here.`), `${topic}: ${notes}`)
    const spoken = notes.startsWith('Only the records in English are compared.') ? 'language=en&' : ''
    const here = new Set(found(`${article}?${topic.replace('&base=all', '')}`))
    const others = (more: string) =>
      found(`${article}?${spoken}${base}&${more}`).filter((each) => !here.has(each)).length
    for (const row of document.querySelectorAll('.things tbody tr')) {
      const thing = encodeURIComponent(row.querySelector('a')?.textContent ?? '')
      const share = others(kind === 'words' ? `q=title:${thing}` : `tags=${thing}`) / others('')
      assert.equal(row.children[2]?.textContent, percent.format(share), `${thing} of ${topic}`)
    }
  }
})

test('what adds a word or value as a topic says that it searches for it', async () => {
  for (const panel of ['words', 'values']) {
    const { document } = await page(`${article}/topic?tags=climate&${period}&panel=${panel}`)
    const rows = [...document.querySelectorAll('.things tbody tr')]
    assert.ok(rows.length > 0)
    for (const row of rows) {
      const [thing, added] = row.querySelectorAll('a')
      const search = new URLSearchParams(added?.getAttribute('href')?.split('?')[1]).get('q')
      assert.equal(search?.replaceAll('"', ''), thing?.textContent)
      assert.equal(added?.getAttribute('title'), `Add a search for “${thing?.textContent}” as a topic`)
    }
  }
})
