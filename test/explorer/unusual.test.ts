/** Words and values that go with topics: each share is that of the records behind it, by the reference evaluator. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHTML } from 'linkedom'
import { explorerOver } from '../support/service/explorer.ts'
import { article, limit, newsModel, openPages } from './pages.ts'

const { found, page, service } = await openPages()
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 })
const period = 'publishedAt.to=2026-11-01'
const week = 'publishedAt=2026-11-09&publishedAt.to=2026-11-15'

test('words and values are compared with the other records of the period, or of a period alone with all', async () => {
  const ofPeriod = 'all records within this period'
  for (const [kind, topic, base, said] of [
    ['words', week, '', 'all records'],
    ['words', 'title.contains=the', '', 'the records in English'],
    ['words', `tags=climate&${period}`, period, 'the records in English within this period'],
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
    assert.deepEqual(texts('.things ~ .none'), [`Compared with: ${said}, without those here.`], topic)
    const spoken = said.includes('in English') ? 'language=en&' : ''
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

test('a topic says which of its parts cost too much, and which have nothing', async () => {
  // What the base makes too dear is compared with all records.
  for (const query of ['q=climate&tags=climate&source_country=GB', 'q=climate&tags.missing=0'])
    assert.match(
      (await page(`${article}/topic?${query}&panel=values`)).texts('.topic-panel').join(),
      /Compared with: all records, without/,
    )
  const price = (given: unknown): number => (JSON.stringify(given).includes('significant') ? limit + 1 : 1)
  const dear = explorerOver(service, newsModel, { price })
  for (const [panel, isOther] of [
    ['', true],
    ['&panel=values', false],
  ] as const) {
    const { status, body } = await dear.get(`${article}/topic?q=climate${panel}`)
    assert.equal(status, 200)
    const parts = [...parseHTML(body).document.querySelectorAll('.topic-panel > p.none:only-of-type')]
    const said = parts.flatMap(({ textContent }) => /^This would cost too much/.exec(textContent ?? '') ?? [])
    assert.deepEqual(said.map(String), ['This would cost too much'])
    assert.equal(/data-later="[^"]*panel=stories"/.test(body), isOther)
  }
  const part = await page(`${article}/topic?q=nosuchword&panel=stories`)
  assert.deepEqual(part.texts('.topic-panel p'), ['There is nothing to show.'])
})
