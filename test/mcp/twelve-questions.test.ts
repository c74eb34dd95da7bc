/** Twelve questions by the official client: what agents can find out, and how much of a context it takes. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newsLexicons } from '../golden/corpora.ts'
import { openTestService, type TestService } from '../support/service/service.ts'
import type { HttpServer } from '../support/server/http-server.ts'
import { buildCorpus } from './added-records.ts'
import { startAgentServer } from './agent-server.ts'
import { checkedCalls } from './checked-calls.ts'
import { connect, overHttp } from './connect.ts'
import { connectAgent, tokensOf } from './conversation.ts'
import { readNews } from './news.ts'
import { twelve } from './questions/twelve.ts'

/** What one question may take. */
const mostCalls = 4
const mostTokens = 6_000
/** Of the list of tools and the description of articles: what is read before the first answer. */
const mostTokensBefore = 1_937
const mostTokensOfADescription = 930

const now = new Date()
const corpus = buildCorpus(now.getTime())
const news = readNews(corpus, now)
let service: TestService
let server: HttpServer
before(async () => {
  const { documents: lexicons, references, stories } = newsLexicons
  service = await openTestService({ lexicons, references, stories, records: news.reference.records })
  server = await startAgentServer({ app: { engine: service.engine }, now: () => now })
})
after(async () => {
  await server.close()
  await service[Symbol.asyncDispose]()
})

for (const { asks, plan } of twelve)
  test(asks, async (t) => {
    await using agent = await connectAgent(server.url)
    const conversation = agent.begin()
    await plan(checkedCalls(conversation.call, news.reference, now), news)
    const [calls, tokens] = [conversation.calls(), conversation.tokens()]
    t.diagnostic(`${calls} calls, ${tokens} tokens`)
    assert.ok(calls <= mostCalls, `${calls} calls`)
    assert.ok(tokens <= mostTokens, `${tokens} tokens`)
    // Others can repeat what was asked.
    const queries = await conversation.queries()
    assert.ok(queries.length > 0)
    for (const query of queries) await service.data(query)
  })

test('the list of tools and each description are small', async (t) => {
  await using agent = await connectAgent(server.url)
  const list = tokensOf(JSON.stringify(await agent.tools()))
  t.diagnostic(`tools/list: ${list} tokens`)
  const { collections } = await agent.begin().call('describe')
  for (const { collection } of collections) {
    const conversation = agent.begin()
    const { fields } = await conversation.call('describe', { collection })
    t.diagnostic(`describe ${collection}: ${conversation.tokens()} tokens`)
    assert.ok(conversation.tokens() <= mostTokensOfADescription, collection)
    const before = list + conversation.tokens()
    if (collection === 'article') assert.ok(before <= mostTokensBefore, `${before} tokens`)
    assert.ok(Object.keys(fields).length > 10)
  }
})

test('an answer of many rows links to the file of all of them', async () => {
  await using client = await connect(overHttp(server.url), '2026-07-28')
  const analyses = { collection: 'enrichment', filters: { sentiment: 'negative' }, max_tokens: 8_000 }
  for (const [name, args, all, columns] of [
    ['search_records', { fields: ['summary', 'article.source'], limit: 20 }, 'total', 'uri,summary,'],
    ['aggregate', { by: ['topics'], measures: ['avg:impactLevel'], limit: 20 }, 'groups', 'topics,count'],
  ] as const) {
    const { content } = await client.callTool({ name, arguments: { ...analyses, ...args } })
    const [text, link] = content as unknown as readonly {
      type: string
      text: string
      uri: string
      mimeType: string
    }[]
    assert.deepEqual([link?.type, link?.mimeType], ['resource_link', 'text/csv'])
    const file = await fetch(link?.uri.replace('https://news.example', server.url) ?? '')
    const [header, ...rows] = (await file.text()).trimEnd().split(/\r?\n/)
    assert.ok(header?.startsWith(columns), header)
    assert.equal(rows.length, JSON.parse(text?.text ?? '')[all])
  }
  const few = await client.callTool({ name: 'search_records', arguments: { ...analyses, limit: 5 } })
  assert.equal((few.content as readonly unknown[]).length, 1)
})
