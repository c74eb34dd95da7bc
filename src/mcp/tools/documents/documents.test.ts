/** `search`, `fetch` and the versions of records that they cite, over the demo corpus and over other lexicons. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeCorpora, corpusNamed, newsLexicons, stressLexicons } from '../../../../test/golden/corpora.ts'
import type { Json } from '../../../../test/reference/shapes.ts'
import {
  type Agent,
  createAgent,
  demoDay,
  engineEndpoint,
  modelOf,
} from '../../../../test/support/service/agents.ts'
import { onOneDatabase } from '../../../../test/support/store/databases.ts'
import type { Engine } from '../../../../test/support/store/postgres.ts'
import { budgets } from '../../words/budget.ts'
import { tokensOfJson } from '../../words/tokens.ts'

after(closeCorpora)

const sets = { demo: newsLexicons, stress: stressLexicons } as const

async function open(name: keyof typeof sets, engine: Engine) {
  const { service, reference } = await corpusNamed(name, engine)
  const model = modelOf(sets[name].documents, sets[name].references)
  const agent = createAgent(model, engineEndpoint(service.engine), () => demoDay, { chatgpt: true })
  return { agent, reference }
}

async function search(agent: Agent, query: string): Promise<readonly Json[]> {
  const answer = await agent.call('search', { query })
  assert.deepEqual(Object.keys(answer), ['results'])
  for (const result of answer.results) {
    assert.deepEqual(Object.keys(result), ['id', 'title', 'url'])
    assert.match(result.id, /^at:\/\//)
    assert.notEqual(result.title.trim(), '')
    assert.match(result.url, /^(https?|at):\/\//)
  }
  assert.ok(tokensOfJson(answer) <= budgets.search)
  return answer.results
}

onOneDatabase('search finds records of all collections, and fetch gives each as a text', async (engine) => {
  const { agent, reference } = await open('demo', engine)
  const results = await search(agent, 'harbour')
  const collections = new Set(results.map(({ id }) => id.split('/')[3]))
  assert.ok(collections.size > 1, [...collections].join())
  for (const { id, title, url } of results.slice(0, 5)) {
    const { value } = reference.records.find(({ uri }) => uri === id) ?? assert.fail(id)
    const document = await agent.call('fetch', { id })
    assert.deepEqual(Object.keys(document), ['id', 'title', 'text', 'url', 'metadata'])
    assert.deepEqual([document.id, document.title, document.url], [id, title, url])
    const name = value.title ?? value.displayName ?? value.neutralHeadline
    assert.equal(title, name)
    assert.ok(document.text.includes(name))
    assert.equal(document.metadata.collection, id.split('/')[3].split('.').at(-1))
    assert.ok(document.metadata.indexedAt <= document.metadata.asOf)
    assert.ok(tokensOfJson(document) <= budgets.fetch)
  }
})

onOneDatabase(
  'a record without an address is cited by that of the record that it describes',
  async (engine) => {
    const { agent, reference } = await open('demo', engine)
    const results = await search(agent, 'harbour')
    const { id, url } = results.find((one) => one.id.includes('.enrichment/')) ?? assert.fail()
    const enrichment = reference.records.find(({ uri }) => uri === id)
    const article = reference.resolve(enrichment?.value.article.uri)
    assert.equal(url, article?.value.url)
    assert.match((await agent.call('fetch', { id })).text, /\nWhat it refers to:\n {2}article:\n/)
  },
)

onOneDatabase(
  'a search for words that no record has all of finds records with some of them',
  async (engine) => {
    const { agent } = await open('demo', engine)
    const all = await search(agent, 'harbour quokka')
    assert.ok(all.length > 0)
    assert.ok((await search(agent, 'What is reported about the harbour, and why?')).length > 0)
  },
)

onOneDatabase('a name that is spelt differently finds its record', async (engine) => {
  const { agent } = await open('demo', engine)
  const [first] = await search(agent, 'Trabouls')
  assert.equal(first?.title, 'Le Courrier des Traboules')
  assert.match(first?.url, /^https:/)
  assert.equal(first?.url, (await agent.call('fetch', { id: first?.id })).url)
  assert.deepEqual(await search(agent, '?!'), [])
})

onOneDatabase('records of other lexicons are searched and fetched', async (engine) => {
  const { agent, reference } = await open('stress', engine)
  for (const { uri, value } of reference.records.slice(0, 20)) {
    const [word = ''] =
      JSON.stringify(value)
        .match(/[a-z]{5,}/g)
        ?.slice(-1) ?? []
    await search(agent, word)
    const document = await agent.call('fetch', { id: uri })
    assert.equal(document.id, uri)
    assert.equal(typeof document.text, 'string')
  }
})

test('a search without words and a wrong id are refused with what to write', async () => {
  const { agent } = await open('demo', 'sqlite')
  assert.match(await agent.refusal('search', { query: '  ' }), /Write the words/)
  assert.match(await agent.refusal('search', { query: '-lyon' }), /only excludes words/)
  assert.match(await agent.refusal('fetch', { id: '' }), /Write an id/)
  const missing = 'at://did:web:a.example/tech.service.news.article/a'
  assert.match(await agent.refusal('fetch', { id: missing }), /is indexed/)
})

test('lines of a text stay below its own name', async () => {
  const { agent } = await open('demo', 'sqlite')
  const id = 'at://did:web:a.example/tech.service.news.article/a'
  const record = { title: 'One', description: 'first\ntitle: Another\r\nlast', authors: [{ name: 'A' }] }
  const node = { uri: id, indexedAt: '2026-01-01T00:00:00.000Z', recordJson: record }
  const model = modelOf(newsLexicons.documents, newsLexicons.references, newsLexicons.stories)
  const data = {
    techServiceNewsArticleByUri: new Proxy(node, {
      get: (target: Json, name) => target[String(name)] ?? { totalCount: 0, nodes: [] },
    }),
    indexStatus: { collections: [] },
  }
  const endpoint = { ask: async () => ({ data, errors: [], cost: null }) }
  const { text } = await createAgent(model, endpoint, () => demoDay, { chatgpt: true }).call('fetch', { id })
  assert.ok(agent.tools.length > 6)
  assert.equal(
    text.split('\n\n')[0],
    'title: One\ndescription: first\n  title: Another\n  last\nauthors:\n  -\n    name: A',
  )
})

test('search and fetch are offered only on request', () => {
  const model = modelOf(newsLexicons.documents, newsLexicons.references, newsLexicons.stories)
  const names = createAgent(model, { ask: () => assert.fail() }).tools.map(({ name }) => name)
  assert.ok(!names.includes('search') && !names.includes('fetch'))
})

test('a cited record has its CID, and its revision if that is known', async () => {
  const { agent, reference } = await open('stress', 'sqlite')
  const nodes = reference.records.filter(({ collection }) => collection === 'example.stress.node')
  assert.equal(nodes.filter(({ rev }) => rev !== undefined).length, 1)
  for (const { uri, cid, rev } of nodes) {
    const cited = await agent.call('get_record', { uri, cite: true })
    assert.deepEqual([cited.cid, cited.rev], [cid, rev])
    const plain = await agent.call('get_record', { uri })
    assert.ok(!('cid' in plain) && !('rev' in plain))
  }
})

test('records are filtered by revision, and lists show it', async () => {
  const { agent } = await open('stress', 'sqlite')
  const args = { collection: 'example.stress.node', fields: ['rev'] }
  const rev = '3mz5s6rqspk2a'
  const { total, records } = await agent.call('search_records', { ...args, filters: { rev } })
  assert.deepEqual([total, records.map((record: Json) => record['rev'])], [1, [rev]])
  const { total: others } = await agent.call('search_records', { ...args, filters: { rev: null } })
  assert.equal(others, 4)
})
