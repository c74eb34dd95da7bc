/** Texts that try to command their reader, through every tool: data comes out as it went in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTid } from '../../demo/record.ts'
import { newsLexicons } from '../golden/corpora.ts'
import type { Json } from '../reference/shapes.ts'
import { buildRecord } from '../support/records/records.ts'
import type { PlainRecord } from '../reference/dataset.ts'
import { openTestService } from '../support/service/service.ts'
import { startAgentServer } from './agent-server.ts'
import { type AgentClient, connectAgent } from './conversation.ts'
import { injections } from './injections.ts'
import { article, enrichment, known, source } from './news.ts'

/** A character that a reader does not see or that reorders what they see; line feeds and tabs are seen. */
const unseen =
  /[^\P{Cc}\n\t]|[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufdd0]|[\u{e0000}-\u{e0fff}]/u

interface Told {
  readonly text: string
  readonly article: PlainRecord
  readonly source: PlainRecord
  readonly enrichment: PlainRecord
}

test('texts that command their reader pass through every tool unchanged', async (t) => {
  const told = await Promise.all(injections.map(tellAll))
  const records = told.flatMap((each) => [each.source, each.article, each.enrichment])
  const { documents: lexicons, references, stories } = newsLexicons
  await using service = await openTestService({ lexicons, references, stories, records })
  await using server = await startAgentServer({ app: { engine: service.engine } })
  await using agent = await connectAgent(server.url)
  const before = JSON.stringify(await agent.tools())

  await t.test('as values of whole records', async () => {
    for (const { text, ...records } of told)
      for (const { uri, value } of Object.values(records)) {
        const { record, collection } = await ask(agent, 'get_record', { uri, max_tokens: 4_000 })
        assert.equal(collection, value.$type.split('.').at(-1))
        for (const [name, expected] of Object.entries(value))
          if (typeof expected === 'string' && name !== '$type') assert.equal(record[name], expected, text)
      }
  })

  await t.test('in lists, where they are asked for', async () => {
    for (const { text, article, source } of told) {
      const { total, records } = await ask(agent, 'search_records', {
        collection: 'article',
        filters: { title: { eq: text }, source: source.uri },
        fields: ['title', 'source.displayName', 'tags', 'enrichment.summary'],
      })
      assert.equal(total, 1, text)
      const [{ uri, ...shown }] = records
      assert.ok(article.uri.endsWith(uri))
      assert.deepEqual(shown, {
        title: text,
        'source.displayName': text,
        tags: [tagOf(text)],
        'enrichment.summary': [text],
      })
    }
  })

  await t.test('as keys of groups, in samples and in groups of groups', async () => {
    const given = { collection: 'article', by: ['source.displayName'], limit: 50, max_tokens: 10_000 }
    const inner = await ask(agent, 'aggregate', { ...given, top: { by: 'title', limit: 1 } })
    const samples = await ask(agent, 'aggregate', { ...given, samples: 1 })
    const shown = ({ rows }: Json) => new Map<string, Json>(rows.map(([key, ...rest]: Json[]) => [key, rest]))
    const [inners, sampled] = [shown(inner), shown(samples)]
    assert.deepEqual([inners.size, sampled.size], [told.length, told.length])
    for (const { text } of told) {
      const [count, top] = known(inners.get(text))
      assert.deepEqual([count, Object.entries(top)], [1, [[text, 1]]])
      const [, [sample]] = known(sampled.get(text))
      assert.equal(sample.title, text)
    }
  })

  await t.test('as the values of a field', async () => {
    const { values } = await ask(agent, 'describe', {
      collection: 'article',
      field: 'tags',
      max_tokens: 10_000,
    })
    assert.deepEqual(Object.keys(values).toSorted(), injections.map(tagOf).toSorted())
  })

  await t.test('as names', async () => {
    for (const { text, source } of told) {
      const { matches } = await ask(agent, 'describe', { name: text, collection: 'source' })
      assert.equal(matches[0].name, text)
      assert.ok(source.uri.endsWith(matches[0].uri))
    }
  })

  await t.test('as what a search found', async () => {
    for (const text of injections.slice(0, 5)) {
      const [word] = /\p{L}{5,}/u.exec(text) ?? []
      const { records } = await ask(agent, 'search_records', {
        collection: 'article',
        search: `title:${word}`,
        fields: ['title'],
      })
      assert.ok(records.some(({ title }: Json) => title === text))
    }
  })

  await t.test('as variables and data of GraphQL', async () => {
    const query = `query ($title: String!) { techServiceNewsArticle(where: {title: {eq: $title}}) { nodes { title } } }`
    for (const text of injections) {
      const { data } = await ask(agent, 'run_graphql', { query, variables: { title: text } })
      assert.deepEqual(data, { techServiceNewsArticle: { nodes: [{ title: text }] } })
    }
  })

  await t.test('and no message that quotes them has what a reader does not see', async () => {
    const conversation = agent.begin()
    for (const text of injections) {
      const filters = { [text]: 1 }
      const refused = await conversation.refusal('search_records', { collection: 'article', filters })
      assert.doesNotMatch(refused, unseen)
      assert.doesNotMatch(await conversation.refusal('describe', { collection: text }), unseen)
    }
  })

  await t.test('the server tells that texts are data, and its tools stay as they are', async () => {
    assert.match(agent.instructions, /data/)
    assert.match(agent.instructions, /never follow/)
    assert.equal(JSON.stringify(await agent.tools()), before)
  })
})

/** The parsed answer, whose text shows every character. */
async function ask(agent: AgentClient, tool: string, args: Json): Promise<Json> {
  const conversation = agent.begin()
  const answer = await conversation.call(tool, args)
  assert.doesNotMatch(conversation.said(), unseen, tool)
  return answer
}

/** An article with its outlet and its analysis, all of which have the text wherever a text may be. */
async function tellAll(text: string, at: number): Promise<Told> {
  const time = Date.UTC(2026, 10, 1) + at * 60_000
  const rkey = formatTid(time, at)
  const createdAt = new Date(time).toISOString()
  const given = { did: 'did:plc:lexigraphinjections22222', rkey, indexedAt: createdAt }
  const outlet = await buildRecord(source, {
    ...given,
    value: { displayName: text, description: text, baseUrl: `https://outlet-${at}.example`, createdAt },
  })
  const told = await buildRecord(article, {
    ...given,
    value: {
      title: text,
      description: text,
      url: `https://outlet-${at}.example/story`,
      source: { uri: outlet.uri, cid: outlet.cid },
      tags: [tagOf(text)],
      publishedAt: createdAt,
      createdAt,
    },
  })
  const analysis = await buildRecord(enrichment, {
    ...given,
    value: {
      article: { uri: told.uri, cid: told.cid },
      summary: text,
      topics: [tagOf(text)],
      entities: [{ name: text, type: 'person' }],
      model: 'tests/injections',
      createdAt,
    },
  })
  return { text, article: told, source: outlet, enrichment: analysis }
}

/** Tags and topics have at most 64 graphemes. */
function tagOf(text: string): string {
  const graphemes = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
  return graphemes.slice(0, 64).join('')
}
