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
