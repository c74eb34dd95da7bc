/** The tools over the demo corpus: what every answer has to keep to. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeCorpora, newsLexicons } from '../../../test/golden/corpora.ts'
import type { Json } from '../../../test/reference/shapes.ts'
import type { PlainRecord } from '../../../test/reference/dataset.ts'
import { createAgent, engineEndpoint, modelOf } from '../../../test/support/service/agents.ts'
import {
  articleOf,
  articles,
  enrichments,
  model,
  news,
  open,
  openWithTexts,
  reference,
  service,
} from '../../../test/support/service/news-agent.ts'

after(closeCorpora)

function outlet(article: PlainRecord | undefined): string | null {
  return (article && reference.resolve(article.value.source.uri)?.value.displayName) ?? null
}

test('a text is looked for in titles and other texts', async () => {
  const { total } = await open().call('search_records', { collection: 'article', text: 'ELECTION', limit: 1 })
  const where = {
    OR: ['title', 'description', 'section'].map((name) => ({ [name]: { contains: 'election' } })),
  }
  assert.equal(total, reference.count(`${news}.article`, where))
  assert.ok(total > 0)
})

test('of several texts for a field, any may be in it', async () => {
  const words = ['climate', 'Klima', 'clima']
  const filters = { 'article.title': words, sentiment: 'negative' }
  const { count } = await open().call('aggregate', { collection: 'enrichment', filters, text: 'a' })
  const any = (names: readonly string[], needles: readonly string[]) => ({
    OR: names.flatMap((name) => needles.map((contains) => ({ [name]: { contains } }))),
  })
  const where = {
    article: any(['title'], words),
    sentiment: { eq: 'negative' },
    AND: [any(['neutralHeadline', 'summary', 'impactReasoning'], ['a'])],
  }
  assert.equal(count, reference.count(`${news}.enrichment`, where))
  assert.ok(count > 0)
})

test('a record comes with what it refers to and what refers to it', async () => {
  const agent = open()
  const [article] = articles.filter(({ value }) => value.duplicateOf !== undefined)
  const { uri, value } = article as PlainRecord
  const answer = await agent.call('get_record', { collection: 'article', value: value.url })
  assert.equal(answer.uri, uri)
  assert.equal(answer.references.source.displayName, outlet(article))
  assert.equal(answer.references.duplicateOf.title, articleOf.get(value.duplicateOf)?.value.title)
  const about = enrichments.filter((enrichment) => enrichment.value.article.uri === uri)
  assert.equal(answer.referredToBy?.enrichment?.total ?? 0, about.length)
  assert.deepEqual(await agent.call('get_record', { uri }).then(({ record }) => record), answer.record)
})

test('a web address finds its record however it was copied, unless `eq` asks for exactly that text', async () => {
  const [first, second] = articles.map(({ value }) => String(value.url))
  const copied = `${first?.replace('https://www.', 'http://')}/?utm_source=rss&fbclid=1#top`
  const count = async (url: Json) =>
    (await open().call('aggregate', { collection: 'article', filters: { url } })).count
  assert.notEqual(copied, first)
  assert.equal(await count(copied), 1)
  assert.equal(await count(copied.replace('http://', '')), 1)
  assert.equal(await count([copied, `${second}#x`, 'mailto:nobody@x.example']), 2)
  assert.equal(await count({ sameUrl: copied }), 1)
  assert.equal(await count({ eq: copied }), 0)
  assert.equal(await count({ ne: copied }), articles.length)
  const filters = { 'article.url': copied }
  const { total } = await open().call('search_records', { collection: 'enrichment', filters })
  assert.equal(total, reference.count(`${news}.enrichment`, { article: { url: { eq: first } } }))
  for (const given of [{ value: copied }, { collection: 'article', field: 'url', value: copied }])
    assert.equal((await open().call('get_record', given)).record.url, first)
  const { matches } = await open().call('describe', { name: copied })
  assert.equal(matches[0].uri, articles[0]?.uri)
})

test('the address of a page gives its article or nothing, never the outlet that has it', async () => {
  const { documents, references } = newsLexicons
  const unreferred = modelOf(
    documents.filter(({ id }) => id !== `${news}.enrichment`),
    Object.fromEntries(Object.entries(references).filter(([name]) => !name.includes('enrichment'))),
  )
  for (const agent of [open(), createAgent(unreferred, engineEndpoint(service.engine))])
    for (const article of articles.slice(0, 3)) {
      const { url } = article.value
      const given = { value: `${url}/#top` }
      assert.equal((await agent.call('get_record', given)).uri, article.uri)
      assert.equal((await agent.call('describe', { name: url })).matches[0].uri, article.uri)
      const refused = await agent.refusal('get_record', { value: `${url}/amp` })
      assert.match(refused, /^There is no article or source "https.*The nearest: /)
      assert.ok(refused.includes(outlet(article) ?? ''), refused)
      const { record } = await agent.call('get_record', { ...given, collection: 'source' })
      assert.equal(record.displayName, outlet(article))
      assert.equal((await agent.call('get_record', { value: new URL(url).origin })).collection, 'source')
    }
})

test('names are found however they are spelt', async () => {
  const agent = open()
  for (const [given, name, match] of [
    ['Harbour & Hill', 'Harbour & Hill', 'exact'],
    ['harbour', 'Harbour & Hill', 'words'],
    ['traboules', 'Le Courrier des Traboules', 'words'],
    ['Courier des Trabules', 'Le Courrier des Traboules', 'similar'],
    ['telar de merida', 'El Telar de Mérida', 'exact'],
    ['みなと夕', 'みなと夕刊', 'exact'],
  ] as const) {
    const { matches } = await agent.call('describe', { name: given, collection: 'source' })
    assert.deepEqual([matches[0]?.name, matches[0]?.match], [name, match], given)
  }
  const { matches } = await agent.call('describe', { name: 'qqqq xxxx', collection: 'source' })
  assert.deepEqual(matches, [])
})

test('names are found where the tier permits the smallest pages only', async () => {
  const agent = createAgent(model, engineEndpoint(service.engine, 20))
  const { matches } = await agent.call('describe', { name: 'Harbor & Hill', collection: 'source' })
  assert.equal(matches[0]?.name, 'Harbour & Hill')
  const filters = { source: 'harbour & hill' }
  const { count } = await agent.call('aggregate', { collection: 'article', filters })
  assert.equal(count, articles.filter((article) => outlet(article) === 'Harbour & Hill').length)
  const common = await agent.call('describe', { name: 'a', collection: 'article' })
  assert.match(common.hint, /write more of it/)
  // Of a part of the candidates, the number of all is not known.
  assert.deepEqual([common.total, common.matches.length > 0], [undefined, true])
})

const hidden = `\u202e\u200b\u0007${String.fromCodePoint(0xe0041)}`

test('every tool answers with invisible characters as escapes', async () => {
  const agent = openWithTexts((text) => `${text}${hidden}`, /^(?!at:|\d{4}-)/)
  for (const [name, args] of [
    ['describe', { collection: 'source' }],
    ['describe', { collection: 'article', field: 'source' }],
    [
      'search_records',
      { collection: 'article', fields: ['title', 'source', 'enrichment.summary', 'authors'] },
    ],
    ['search_records', { collection: 'article', detail: 'full' }],
    ['search_records', { collection: 'article', search: 'storm OR flood', fields: ['language'] }],
    ['get_record', { uri: articles[0]?.uri }],
    ['aggregate', { collection: 'article', by: ['source', 'section'] }],
    ['aggregate', { collection: 'article', by: ['source'], search: 'elec*', unusual: {}, min_count: 1 }],
    ['describe', { name: 'radio' }],
    ['run_graphql', { query: '{ techServiceNewsArticle(first: 5) { nodes { title recordJson } } }' }],
  ] as const) {
    const text = await agent.text(name, args)
    assert.doesNotMatch(text, /[\u202e\u200b\u{e0041}]/u, name)
    assert.ok(
      textsIn(JSON.parse(text)).some((one) => one.endsWith(hidden)),
      name,
    )
  }
})

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inside]) => [name, ...textsIn(inside)])
    : []
}

test('records are sorted by fields inside objects', async () => {
  const args = { collection: 'article', sort: '-image.width', cite: true }
  const { query } = await open().call('search_records', args)
  assert.match(query, /field: image_width, direction: DESC/)
})
