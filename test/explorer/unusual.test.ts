/** Words and values that go with topics: each share is that of the records behind it, by the reference evaluator. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHTML } from 'linkedom'
import { buildRecord } from '../support/records/records.ts'
import { explorerOver, openExplorer } from '../support/service/explorer.ts'
import { recordLexicon } from '../support/store/store.ts'
import { article, limit, newsModel, openPages, plain } from './pages.ts'

const { found, page, service } = await openPages()
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 })
const period = 'publishedAt.to=2026-11-01'
const week = 'publishedAt=2026-11-09&publishedAt.to=2026-11-15'

test('words and values are compared with the other records of the period, or of a period alone with all', async () => {
  const ofPeriod = 'all records within this period'
  for (const [kind, topic, base, said] of [
    ['words', week, '', 'all records'],
    ['words', 'title.contains=the', '', 'the records in English'],
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

const report = 'org.example.report'
const first = 'publishedAt=2026-11-02&publishedAt.to=2026-11-02'

/** A third of the records of each language are of the first day, and have words and a tag of their own. */
async function openReports(languages: readonly string[]) {
  const text = { type: 'string', maxGraphemes: 300 }
  const publishedAt = { type: 'string', format: 'datetime' }
  const tags = { type: 'array', items: { type: 'string', maxLength: 40 } }
  const language = { type: 'string', format: 'language' }
  const records = languages.flatMap((tag) =>
    Array.from({ length: tag === 'en' ? 300 : 90 }, (_, at) => {
      const title = at % 3 === 0 ? 'storm rain' : 'flood wind'
      const tags = [at % 3 === 0 ? 'sea' : 'land']
      const value = { title, publishedAt: `2026-11-0${2 + (at % 3)}T00:00:00Z`, language: tag, tags }
      return buildRecord(report, { rkey: `${tag}${at}`, value })
    }),
  )
  const lexicons = [recordLexicon(report, { title: text, publishedAt, language, tags })]
  const explorer = await openExplorer({ lexicons, records: await Promise.all(records) })
  const part = async (panel: string, query: string) => {
    const { body } = await explorer.get(`/c/${report}/topic?${query}&panel=${panel}`)
    return plain(parseHTML(body).document.querySelector('.topic-panel')?.textContent)
  }
  return { part, [Symbol.asyncDispose]: () => explorer[Symbol.asyncDispose]() }
}

for (const languages of [['en'], ['en', 'fr']]) {
  test(`words of a period are compared with other times in their language, of ${languages.join(' and ')}`, async () => {
    await using reports = await openReports(languages)
    for (const own of [
      '',
      'language=en&',
      'language=en&language=fr&',
      'language.missing=0&',
      'language.not=fr&',
    ])
      assert.match(
        await reports.part('words', `${own}${first}`),
        /(rain|storm) .*Compared with: the records in English, without/,
        own,
      )
    assert.match(await reports.part('values', first), /sea .*Compared with: all records, without/)
  })

  test(`words and values say that there are no others to be compared with, of ${languages.join(' and ')}`, async () => {
    await using reports = await openReports(languages)
    const alone = (base: string) => new RegExp(`There is nothing to compare with: these are ${base}\\.$`)
    for (const query of ['language=en', 'language.not=fr', 'language.missing=0', 'q=storm+OR+flood'])
      assert.match(await reports.part('words', query), alone('the records in English'), query)
    for (const query of ['language.missing=0', 'q=storm+OR+flood'])
      assert.match(await reports.part('values', query), alone('all records'), query)
    assert.match(await reports.part('words', 'q=nosuchword'), /There is nothing to show\.$/)
  })
}

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
