/** What files, their columns, citations and notes call the records, over the real program with its names for people. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { parseHTML } from 'linkedom'
import type { Service } from '../network/service.ts'
import { demoService } from './reader.ts'

const articles = '/c/tech.service.news.article'
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
  for (const [tag, noun] of [
    ['en', 'fewer than 50 articles'],
    ['es', 'menos de 50 artículos'],
    ['ar', 'من المقالات'],
  ] as const)
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
  for (const [page, name] of [
    ['?q=climate', 'articles-climate-by-PERIOD'],
    ['?q=climate&split=language', 'articles-climate-by-PERIOD-language'],
    ['?q=climate&language=en&as=share', 'articles-climate-en-share-by-PERIOD'],
    ['?q=climate&language=en&as=share&base=all', 'articles-climate-en-share-of-all-by-PERIOD'],
    ['/topic?q=climate', 'articles-climate-share-by-PERIOD'],
    ['/topic?q=climate&q=flood&language=en&base=all', 'articles-en-climate-flood-share-of-all-by-PERIOD'],
    ['/topic?publishedAt=2026-10-01', 'articles-from-2026-10-01-by-PERIOD'],
    ['/charts?q=climate&measure=share&by=language', 'articles-climate-share-by-language'],
  ] as const) {
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

function linksOf(document: Document, within = '.take-links'): readonly string[] {
  return [...document.querySelectorAll(`${within} a`)].map((link) => link.getAttribute('href') ?? '')
}
