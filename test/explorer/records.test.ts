/** Pages of records over the demo corpus. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSubjects } from '../../src/explorer/fields/subject.ts'
import { toText } from '../../src/explorer/html.ts'
import { chooseLanguage, languages } from '../../src/explorer/languages/language.ts'
import { columnsOf } from '../../src/explorer/lists/list.ts'
import { results } from '../../src/explorer/parts/results.ts'
import { emptyView } from '../../src/explorer/view/view.ts'
import type { PlainRecord } from '../reference/dataset.ts'
import { assertHarmless } from './harmless.ts'
import { newsModel, openPages } from './pages.ts'

const demo = await openPages()
const stress = await openPages('stress')
const of = (name: string): readonly PlainRecord[] =>
  demo.reference.records.filter(({ collection }) => collection === `tech.service.news.${name}`)

const pathOf = ({ uri }: { readonly uri: string }): string => `/${uri.replace('//', '/').replace(':', '')}`

test('an article is shown with all of its analyses side by side', async () => {
  const analyses = Map.groupBy(of('enrichment'), ({ value }) => value.article.uri)
  const article = of('article').find(({ uri }) => analyses.get(uri)?.length === 2)
  assert.ok(article)
  const { body, cost } = await demo.page(pathOf(article))
  assert.ok(cost <= 10, `${cost} points`)
  const outlet = of('source').find(({ uri }) => uri === article.value.source.uri)
  assert.match(body, new RegExp(`<a href="${pathOf(outlet ?? article)}">`))
  const compared = body.slice(body.indexOf('class="compared"'))
  const models = (analyses.get(article.uri) ?? []).map(({ value }) => value.model)
  const row = compared.split('<tr').find((each) => each.includes('>Model<')) ?? ''
  for (const each of models) assert.ok(row.includes(each), each)
  assert.equal(row.split('<td').length - 1, 2)
})

test('analyses side by side are called by their models, or by time and key, and a table without titles by the kind', async () => {
  const analyses = Map.groupBy(of('enrichment'), ({ value }) => value.article.uri)
  for (const article of of('article').filter(({ uri }) => (analyses.get(uri)?.length ?? 0) > 1)) {
    const { texts } = await demo.page(pathOf(article))
    const models = analyses.get(article.uri)?.map(({ value }) => `Enrichment · ${value.model}`) ?? []
    const heads = texts('.compared thead th')
    if (new Set(models).size === models.length)
      assert.deepEqual(heads.filter((head) => head.startsWith('Enrichment')).toSorted(), models.toSorted())
    // Of records without a time, the key alone tells them apart.
    else for (const head of heads) assert.match(head, /^(Enrichment|Article) (· .* )?\S+$/)
  }
  const subject = createSubjects(newsModel).of('tech.service.news.enrichment')
  const columns = subject === null ? [] : columnsOf({ ...emptyView, show: 'table' }, subject)
  const headWith = (values: Readonly<Record<string, unknown>>) => {
    const found = [{ uri: 'at://did:web:example.org/tech.service.news.enrichment/1', values, snippets: {} }]
    const language = chooseLanguage('en', undefined)
    const table = subject && results(found, 'table', columns, { subject, language })
    return /<thead><tr><th[^>]*>([^<]*)/.exec(toText(table))?.[1]
  }
  const heads = [headWith({ neutralHeadline: 'Storm' }), headWith({ neutralHeadline: null })]
  assert.deepEqual(heads, ['Neutral headline', 'Enrichment'])
})

test('an outlet is shown with how many articles it has over time, and their mean scores', async () => {
  for (const outlet of of('source').slice(0, 3)) {
    const path = pathOf(outlet)
    const { body, cost, links } = await demo.page(path)
    assert.ok(cost <= 210, `${cost} points`)
    const articles = of('article').filter(({ value }) => value.source.uri === outlet.uri)
    const [all = ''] = links('.summary-of')
    assert.equal(demo.found(all).length, articles.length)
    assert.ok(body.includes(`>${articles.length} records<`))
    const { rows, description } = await demo.figure(path)
    for (const [period, count] of rows)
      assert.equal(count?.text, String(demo.found(period?.href ?? '').length), period?.href ?? '')
    const dated = articles.filter(({ value }) => value.publishedAt !== undefined)
    const shown = rows.reduce((sum, [, count]) => sum + Number(count?.text), 0)
    assert.equal(shown, dated.length)
    const undated = articles.length - dated.length
    if (undated > 0) assert.match(description, new RegExp(`\\b${undated}\\b`))
    const uris = new Set(articles.map(({ uri }) => uri))
    const analyses = of('enrichment').filter(({ value }) => uris.has(value.article.uri))
    for (const field of ['clickbaitScore', 'impactLevel']) {
      const mean = demo.reference.mean(analyses, field) ?? Number.NaN
      const text = new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format(mean)
      assert.ok(body.includes(`${text} of 10`), `${field}: ${text}`)
    }
  }
})

test('a record without a title has another text instead, or its kind, time and key', async () => {
  const { body } = await stress.page('/c/example.stress.empty')
  assert.match(
    body,
    /<h3><a href="[^"]*\/self"><bdi>Empty · <time datetime="[^"]*">[^<]*<\/time><\/bdi> <bdi class="uri" title="at:[^"]*">self</,
  )
  assert.match(body, /<a class="skip" href="#results">.*<h2 class="hidden" id="results"/s)
  const feed = await stress.page('/c/example.stress.empty/feed.atom')
  assert.match(feed.body, /<entry>\n<id>[^<]*<\/id>\n<title>Empty · [^<]* UTC<\/title>/)
  const page = await stress.page('/at/did:plc:stressstressstressstres2/example.stress.empty/self')
  assert.match(
    page.body,
    /<h1><bdi>Empty · <time datetime="[^"]*">[^<]*<\/time><\/bdi> <bdi class="uri"[^>]*>self<\/bdi><\/h1>/,
  )
  const home = await stress.page('/')
  assert.doesNotMatch(home.body, /<h3><a[^>]*>(<bdi>)?at:/)
})

test('a record has its AT-URI, CID, revision with its time if that is known, and JSON', async () => {
  const rev = '3mz5s6rqspk2a'
  const nodes = stress.reference.records.filter(({ collection }) => collection === 'example.stress.node')
  assert.equal(nodes.map((node) => node.rev ?? '').join(''), rev)
  for (const node of nodes)
    for (const [at, label] of ['Revision', 'Revisión', 'المراجعة'].entries()) {
      const { body } = await stress.page(`${pathOf(node)}?lang=${languages[at]?.tag}`)
      assert.ok(body.includes(`<dt>AT-URI</dt><dd><bdi class="uri">${node.uri}</bdi>`))
      assert.ok(body.includes(`<dt>CID</dt><dd><bdi class="uri">${node.cid}</bdi>`))
      const [, json = ''] = /<pre[^>]*>(.*?)<\/pre>/s.exec(body) ?? []
      assert.deepEqual(JSON.parse(json.replaceAll('&quot;', '"')), node.value)
      const revision = `<dt>${label}</dt><dd><bdi class="uri">${rev}</bdi> (<time datetime="2026-10-31T07:41:13.002672Z"`
      assert.equal(body.includes(revision), node.rev !== undefined)
    }
})

test('every record of odd lexicons has a page', async () => {
  for (const record of stress.reference.records) {
    const { body, cost } = await stress.page(pathOf(record))
    assert.ok(cost <= 50, `${record.uri} costs ${cost}`)
    assertHarmless(body)
  }
})
