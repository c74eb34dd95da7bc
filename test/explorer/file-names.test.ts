/** What files, their columns, citations and notes call the records, over the real program with its names for people. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { parseHTML } from 'linkedom'
import type { Service } from '../network/service.ts'
import { demoService } from './reader.ts'
import { someForms } from '../support/rounds.ts'

const articles = '/c/tech.service.news.article'
const outlets = '/c/tech.service.news.source'
let service: Service

before(async () => {
  service = await demoService()
})

async function documentOf(path: string): Promise<Document> {
  const response = await fetch(service.url + path)
  assert.equal(response.status, 200, path)
  return parseHTML(await response.text()).document
}

test('notes on few records say what these are called', async () => {
  const nouns = [
    ['en', 'fewer than 50 articles'],
    ['es', 'menos de 50 artículos'],
    ['ar', 'من المقالات'],
  ] as const
  for (const [tag, noun] of someForms(nouns))
    for (const query of [
      '?q=climate&as=share&per=week&publishedAt=2026-10-04&',
      '/charts?q=climate&measure=share&by=language&',
    ]) {
      const document = await documentOf(`${articles}${query}lang=${tag}`)
      const said = [...document.querySelectorAll('figure p')].map(({ textContent }) => textContent).join(' ')
      assert.ok(said.replaceAll(/[\u2066-\u2069]/g, '').includes(noun), `${query} ${said}`)
    }
})

test('the file of a chart is called by the measure, the base and the period that is drawn', async () => {
  const names = [
    ['?q=climate', 'articles-climate-by-PERIOD'],
    ['?q=climate&split=language', 'articles-climate-by-PERIOD-language'],
    ['?q=climate&language=en&as=share', 'articles-climate-en-share-by-PERIOD'],
    ['?q=climate&language=en&as=share&base=all', 'articles-climate-en-share-of-all-by-PERIOD'],
    ['/topic?q=climate', 'articles-climate-share-by-PERIOD'],
    ['/topic?q=climate&q=flood&language=en&base=all', 'articles-en-climate-flood-share-of-all-by-PERIOD'],
    ['/topic?publishedAt=2026-10-01', 'articles-from-2026-10-01-by-PERIOD'],
    ['/charts?q=climate&measure=share&by=language', 'articles-climate-share-by-language'],
  ] as const
  for (const [page, name] of someForms(names.toReversed(), 3)) {
    const document = await documentOf(articles + page)
    // Each page draws another period by itself.
    const drawn = document.querySelector('figure thead th')?.textContent?.toLowerCase() ?? ''
    const wanted = name.replace('PERIOD', drawn)
    const drawing = document.querySelector('a[data-image]')
    assert.equal(drawing?.getAttribute('download'), `${wanted}.svg`, page)
    const [csv] = linksOf(document).filter((link) => link.includes('/chart.csv'))
    const { headers } = await fetch(service.url + csv)
    assert.equal(headers.get('content-disposition'), `attachment; filename="${wanted}.csv"`, page)
  }
})

test('the file of all columns has a name of its own, next to one of those that have values', async () => {
  const [list, topic] = await Promise.all(
    ['', '/topic'].map((page) => documentOf(`${articles}${page}?articleType.missing=1`)),
  )
  const [record = ''] = linksOf(list!, 'h3')
  const [outlet = ''] = linksOf(await documentOf(outlets), 'h3')
  const others = await Promise.all([record, outlet].map(documentOf))
  for (const document of [list!, topic!, ...others]) {
    const files = linksOf(document).filter((link) => link.startsWith('/api/graphql?format='))
    const named = files.map((link) => new URLSearchParams(link.split('?')[1]))
    const whole = named.findLastIndex((each) => each.get('name')?.endsWith('-all-columns'))
    const short = named.findLastIndex((each, at) => at < whole && each.get('format') === 'csv')
    assert.equal(named[whole]?.get('name'), `${named[short]?.get('name')}-all-columns`)
    const heads = await Promise.all([short, whole].map(async (at) => columnsOf(files[at] ?? '')))
    assert.ok(heads[0]!.length * 2 < heads[1]!.length, heads.join('\n'))
  }
  // In the lists and for the record, no column of the record itself is without values.
  for (const document of [list!, topic!, others[0]!]) {
    const [csv = ''] = linksOf(document).filter(
      (link) => /format=csv&/.test(link) && !/all-columns/.test(link),
    )
    const rows = await rowsOf(csv.replace('format=csv', 'format=ndjson').replace('&bom=true', ''))
    const own = Object.keys(rows[0] ?? {}).filter((name) => !name.includes('.'))
    for (const name of own)
      assert.ok(
        rows.some((row) => row[name] !== null),
        `${name} of ${csv}`,
      )
  }
})

test('a citation of the summary of an outlet names the outlet', async () => {
  const [outlet = ''] = linksOf(await documentOf(outlets), 'h3')
  for (const [tag, said] of [
    ['en', 'NAME: Articles: summary. '],
    ['es', 'NAME: Artículos: resumen. '],
    ['ar', 'NAME: المقالات: ملخص. '],
  ] as const) {
    const document = await documentOf(`${outlet}?lang=${tag}`)
    const name = document.querySelector('h1')?.textContent?.trim() ?? ''
    const texts = [...document.querySelectorAll('.summary-of pre')].map(({ textContent }) =>
      textContent.replaceAll(/[\u2066-\u2069]/g, ''),
    )
    assert.ok(texts.join('\n').includes(said.replace('NAME', name)), texts.join('\n'))
  }
})

function linksOf(document: Document, within = '.take-links'): readonly string[] {
  return [...document.querySelectorAll(`${within} a`)].map((link) => link.getAttribute('href') ?? '')
}

async function columnsOf(csv: string): Promise<readonly string[]> {
  const [head = ''] = (await (await fetch(service.url + csv)).text()).split('\r\n')
  return head.split(',')
}

async function rowsOf(ndjson: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const lines = (await (await fetch(service.url + ndjson)).text()).trim().split('\n')
  return lines.map((line) => JSON.parse(line))
}
