/** Every tool keeps to the tokens that a caller asks for, with ordinary and with hostile records. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { closeCorpora } from '../../test/golden/corpora.ts'
import type { Json } from '../../test/reference/shapes.ts'
import { createAgent, demoDay, engineEndpoint } from '../../test/support/service/agents.ts'
import {
  articles,
  model,
  open,
  openWithTexts,
  reference,
  service,
} from '../../test/support/service/news-agent.ts'
import { seed } from '../../test/support/rounds.ts'
import { budgets } from './words/budget.ts'

after(closeCorpora)

const calls: readonly (readonly [tool: keyof typeof budgets, args: Json])[] = [
  ['describe', {}],
  ['describe', { collection: 'enrichment' }],
  ['describe', { collection: 'article', field: 'source' }],
  ['search_records', { collection: 'article', limit: 50 }],
  ['search_records', { collection: 'article', limit: 50, detail: 'full' }],
  ['search_records', { collection: 'enrichment', search: 'near OR the', limit: 50 }],
  ['get_record', { uri: articles[0]?.uri }],
  ['aggregate', { collection: 'enrichment', by: ['article.source', 'topics'], limit: 500 }],
  ['aggregate', { collection: 'article', by: ['title'], samples: 3, limit: 50 }],
  ['aggregate', { collection: 'enrichment', by: ['topics', 'topics'], limit: 500 }],
  ['describe', { name: 'radio' }],
  ['run_graphql', { query: `{ ${'nothing '.repeat(50)} }`, validate: true }],
  ['run_graphql', { query: '{ techServiceNewsArticle(first: 50) { nodes { uri title description } } }' }],
  ['search', { query: 'near OR the' }],
  ['fetch', { id: articles[0]?.uri }],
]

const sentence = /\S \S/
const records = [
  ['as they are', openWithTexts((text) => text, /^$/)],
  ['of endless sentences', openWithTexts((text) => `${text} `.repeat(100), sentence)],
  ['of invisible characters', openWithTexts((text) => `${text}\u202e\u200b\u2066`.repeat(60), sentence)],
  ['without spaces', openWithTexts((text) => text.replaceAll(/\s/g, '').repeat(150), sentence)],
] as const
/** The tokens of a tool, and of those that callers may ask for one in each run. */
const sizes = [undefined, [300, 1_000, 10_000][seed % 3]]
for (const [what, agent] of records)
  test(`answers keep to max_tokens with records ${what}`, async () => {
    for (const max of sizes)
      for (const [tool, args] of calls) {
        const text = await agent.text(tool, { ...args, ...(max !== undefined && { max_tokens: max }) })
        const [tokens, most] = [countTokens(text), max ?? budgets[tool]]
        assert.ok(tokens <= most, `${tool} ${JSON.stringify(args)}: ${tokens} of ${most}: ${text}`)
      }
  })

test('an answer of 200 tokens has at least one row', async () => {
  for (const [tool, args] of calls) {
    const text = await openWithTexts((text) => text, /^$/).text(tool, { ...args, max_tokens: 200 })
    assert.ok(countTokens(text) <= 200, `${countTokens(text)} ${text}`)
    const { records = null, rows = null, results = null } = JSON.parse(text)
    for (const list of [records, rows, results]) assert.ok(!Array.isArray(list) || list.length > 0, text)
  }
})

test('a short document has its text and its id, whatever title and address the record has', async () => {
  const id = articles[0]?.uri
  const long = openWithTexts((text) => `${text}?${'x7Q'.repeat(100)}`, /^https?:|\S \S/)
  const text = await long.text('fetch', { id, max_tokens: 300 })
  const document = JSON.parse(text)
  assert.ok(countTokens(text) <= 300, text)
  assert.deepEqual([document.id, document.url], [id, id])
  assert.ok(document.text.length > 100, text)
  assert.equal(document.metadata.note, 'The text was cut to max_tokens.')
  const { url } = await long.call('fetch', { id, max_tokens: 2_000 })
  assert.match(url, /^https:.*x7Q$/)
})

test('an address that is cut in a long record is passed over for that of its outlet', async () => {
  const endpoint = engineEndpoint(service.engine)
  const [id, root] = [articles[0]?.uri, 'techServiceNewsArticleByUri']
  const url = `https://www.example.com/${'aB3'.repeat(100)}`
  const crowded = createAgent(
    model,
    {
      async ask(question, signal) {
        const { data, ...rest } = await endpoint.ask(question, signal)
        const node = data?.[root] as Json
        if (node === undefined) return { data, ...rest }
        const others = Array.from({ length: 300 }, (_, at) => [`m${at}`, `word${at} `.repeat(80)])
        const recordJson = { ...node.recordJson, url, ...Object.fromEntries(others) }
        return { ...rest, data: { ...data, [root]: { ...node, recordJson } } }
      },
    },
    () => demoDay,
    { chatgpt: true },
  )
  const { record } = await crowded.call('get_record', { uri: id, max_tokens: 10_000 })
  assert.match(record.url, /…$/)
  const document = await crowded.call('fetch', { id })
  assert.equal(document.url, reference.resolve(articles[0]?.value.source.uri)?.value.baseUrl)
})

test('a short description names every field of the collection', async () => {
  for (const collection of ['article', 'enrichment', 'source'])
    for (const max of [200, 300, 450, 600]) {
      const answer = await open().call('describe', { collection, max_tokens: max })
      const own = model.collections.find(({ nsid }) => nsid.endsWith(`.${collection}`))
      const shown = Array.isArray(answer.fields) ? answer.fields : Object.keys(answer.fields)
      const named = [...shown, ...(answer.unfilled ?? '').split(' ')]
      for (const { name } of own?.type.fields ?? assert.fail())
        assert.ok(named.includes(name), `${max} ${name}`)
      assert.ok('values' in answer || /give more max_tokens/.test(answer.hint), JSON.stringify(answer))
    }
})

test('a citation that does not fit is refused with the tokens that it takes', async () => {
  const filters = { title: Array.from({ length: 4 }, (_, at) => `word${at} `.repeat(20)) }
  const args = { collection: 'article', filters, cite: true }
  const said = await open().refusal('search_records', { ...args, max_tokens: 300 })
  assert.match(said, /^cite takes more than half of 300 tokens: give max_tokens, \d+ or more\.$/)
  const needed = Number(/(\d+) or/.exec(said)?.[1])
  const { query } = await open().call('search_records', { ...args, max_tokens: needed })
  assert.match(query, /word3 word3/)
})
