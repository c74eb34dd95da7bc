/** Filters by how many records refer to a record, and by the time of what it refers to, by the reference evaluator. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCountField } from '../../src/ask/fields.ts'
import { createSubjects } from '../../src/explorer/fields/subject.ts'
import { article, enrichment, newsModel, openPages } from './pages.ts'

const { figure, found, page } = await openPages()

test('records are filtered by how many others refer to them, also by none', async () => {
  let fieldsOfCounts = 0
  for (const { collection, fields } of createSubjects(newsModel).all)
    for (const { name } of [...fields.values()].filter(isCountField)) {
      fieldsOfCounts += 1
      const address = `/c/${collection.nsid}`
      const menu = await page(`${address}/filter?field=${name}`)
      const offered = menu.links('.presence')
      assert.deepEqual(
        offered,
        ['.from=1', '=0'].map((condition) => `${address}?${name}${condition}`),
      )
      const conditions = ['.to=1', '.from=2', '=0', `=1&${name}=3`, '.from=1']
      for (const condition of conditions) {
        const { total } = await page(`${address}?${name}${condition}`)
        assert.equal(total, found(`${address}?${name}${condition}`).length, `${name}${condition}`)
      }
      const [some = 0, none = 0] = offered.map((each) => found(each).length)
      assert.equal(some + none, found(address).length)
      assert.equal((await page(`${address}?${name}.not=0`)).total, some)
    }
  assert.ok(fieldsOfCounts > 2)
})

test('a filter by a number of records says so in a sentence', async () => {
  const { texts } = await page('/c/tech.service.news.article?techServiceNewsEnrichmentViaArticle_count=0')
  assert.deepEqual(texts('.filters'), ['Number of Enrichment: 0 ×'])
})

test('fields to filter by stand below the records that have them', async () => {
  const headings = async (name: string) =>
    (await page(`/c/tech.service.news.${name}/filter`)).texts('main h2')
  assert.deepEqual(await headings('enrichment'), ['Enrichment', 'Article', 'Article source'])
  assert.deepEqual(await headings('article'), [
    'Article',
    'Source',
    'Article (Duplicate of) that refer to it',
    'Article (Story) that refer to it',
    'Enrichment that refer to it',
  ])
})

test('numbers beyond those of a field are refused', async () => {
  for (const name of ['wordCount', 'techServiceNewsEnrichmentViaArticle_count'])
    for (const number of ['2147483648', '-2147483648', '99999999999999'])
      await page(`/c/tech.service.news.article?${name}=${number}`, 400)
  await page('/c/tech.service.news.article?wordCount=2147483647')
})

test('the tone of articles is charted by the time at which they were published', async () => {
  const from = 'article_publishedAt=2026-10-01'
  const { rows } = await figure(
    `${enrichment}/charts?by=article_publishedAt_month&by=sentiment&${from}&kind=table`,
  )
  const cells = rows.flatMap(([, ...each]) => each).filter(({ href }) => href !== null)
  assert.ok(cells.length > 2)
  for (const { text, href } of cells) assert.equal(Number(text), found(href ?? '').length, href ?? '')
  const all = cells.reduce((sum, { text }) => sum + Number(text), 0)
  assert.equal(all, found(`${enrichment}?${from}`).length)
})

test('a row of a facet leads to as many records as it counts, also beside the choice of another', async () => {
  let checked = 0
  for (const choice of ['language=fr', 'section=politics', 'language.missing=1', 'section.missing=1']) {
    const [name = ''] = choice.split(/[.=]/)
    const { document } = await page(`${article}?${choice}&facets=${name}`)
    for (const row of document.querySelectorAll('.facet a.value')) {
      const href = row.getAttribute('href') ?? ''
      const count = row.querySelector('.count')?.textContent.replaceAll(',', '')
      // Another value is chosen next to those that are; what is chosen already is no longer.
      if (count === undefined || row.getAttribute('aria-current') === 'true') continue
      const isBeside = !row.classList.contains('missing') && !choice.includes('missing')
      const both = found(href).length - (isBeside ? found(`${article}?${choice}`).length : 0)
      assert.equal(both, Number(count), href)
      checked += 1
    }
  }
  assert.ok(checked > 10, `${checked} rows`)
})
