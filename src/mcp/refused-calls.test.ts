/** The tools where conditions meet, where there is too much, and where answers are broken or forged. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeCorpora } from '../../test/golden/corpora.ts'
import type { Json } from '../../test/reference/shapes.ts'
import { libraryLexicons, libraryReferences } from '../../test/support/records/lexicons.ts'
import { createAgent, engineEndpoint, modelOf } from '../../test/support/service/agents.ts'
import { articles, model, news, open, reference, service } from '../../test/support/service/news-agent.ts'
import { EndpointError } from '../endpoint/endpoint.ts'
import type { RequestLimits } from '../query/execute/execute.ts'
import { rateLimited, tooManyAtOnce } from '../server/admission/limits/limiter.ts'
import type { Tier } from '../server/admission/tiers.ts'

after(closeCorpora)

function nouns(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `noun ${index}`)
}

test('what no record may have is never one condition with what another may not be', async () => {
  const agent = open()
  const none = (conditions: object) => ({ enrichment: { none: conditions } })
  const count = (where: object) => reference.count(`${news}.article`, where as never)
  const via = (conditions: object) => ({ techServiceNewsEnrichmentViaArticle: { none: conditions } })
  const without = count(via({}))
  const both = count({
    AND: ['positive', 'negative'].map((sentiment) => via({ sentiment: { eq: sentiment } })),
  })
  assert.ok(without > 0 && both > without)
  const sharing = { collection: 'article', filters: { enrichment: 'none' } }
  const all = await agent.call('aggregate', { ...sharing, share: none({ sentiment: 'negative' }) })
  assert.deepEqual(all.rows, [[without, without, 1]])
  const { rows } = await agent.call('aggregate', {
    collection: 'article',
    filters: none({ sentiment: 'positive' }),
    share: none({ sentiment: 'negative' }),
  })
  assert.equal(rows[0][1], both)
})

test('several texts for two fields of what refers to a record are looked for in the same one', async () => {
  const agent = open()
  const texts = ['a', 'e']
  const { total } = await agent.call('search_records', {
    collection: 'source',
    filters: { 'article.title': texts, 'article.section': texts, 'article.language': 'en' },
    limit: 1,
  })
  const either = (field: string) => ({ OR: texts.map((text) => ({ [field]: { contains: text } })) })
  const some = { AND: [either('title'), either('section')], language: { eq: 'en' } }
  assert.equal(
    total,
    reference.count(`${news}.source`, { techServiceNewsArticleViaSource: { some } } as never),
  )
})

test('null inside the elements of a list is asked of one element, and holds where there are none', async () => {
  const lacking = { authors: { some: { did: { isNull: true } } } }
  const none = { NOT: { authors: { some: {} } } }
  const named = { authors: { some: { did: { isNull: true }, name: { contains: 'a' } } } }
  for (const [more, where] of [
    [{}, { OR: [none, lacking] }],
    [{ 'authors.name': { contains: 'a' } }, named],
    [
      { 'authors.name': null },
      { OR: [none, { authors: { some: { did: { isNull: true }, name: { isNull: true } } } }] },
    ],
  ] as const) {
    const filters = { 'authors.did': null, language: 'en', ...more }
    const { count } = await open().call('aggregate', { collection: 'article', filters })
    assert.equal(count, reference.count(`${news}.article`, { ...where, language: { eq: 'en' } } as never))
    assert.ok(count > 0)
  }
})

test('null two steps away is asked of the same record as other filters', async () => {
  for (const [field, more] of [
    ['summary', { impactLevel: { gte: 9 } }],
    ['impactReasoning', { impactLevel: { gte: 9 } }],
    ['summary', { model: 'quill/annotator-small' }],
  ] as const) {
    const inside = { [field]: null, ...more }
    const filters = Object.fromEntries(
      Object.entries(inside).map(([name, value]) => [`article.enrichment.${name}`, value]),
    )
    const [apart, together] = await Promise.all(
      [filters, { 'article.enrichment': { some: inside } }].map((each) =>
        open().call('aggregate', { collection: 'source', filters: each }),
      ),
    )
    assert.ok(apart.count > 0)
    assert.equal(apart.count, together.count)
  }
})

test('values that begin alike are told apart, and numbers keep the order of their counts', async () => {
  const agent = open()
  const { values } = await agent.call('describe', { collection: 'article', field: 'url' })
  for (const url of Object.keys(values).slice(0, -1))
    assert.ok(
      articles.some(({ value }) => value.url === url),
      url,
    )
  const scores = await agent.call('describe', { collection: 'article', field: 'wordCount' })
  const counts = Map.groupBy(articles, ({ value }) => value.wordCount)
  const shown = Object.entries<number>(scores.values).filter(([score]) => counts.has(Number(score)))
  assert.ok(shown.length > 0 && shown.length < counts.size)
  const least = Math.min(...shown.map(([, count]) => count))
  for (const [score, records] of counts)
    assert.ok(records.length <= least || score === undefined || String(score) in scores.values, String(score))
  for (const [score, count] of shown) assert.equal(counts.get(Number(score))?.length, count)
})

test('limits of the service are told with their numbers, and with what to change about the call', async () => {
  const calls = {
    search: ['search_records', { collection: 'article', search: 'storm' }],
    aggregate: [
      'aggregate',
      { collection: 'article', by: ['language'], filters: { source: 'Gather Daily' } },
    ],
    conditions: ['search_records', { collection: 'article', filters: { title: nouns(1_001) } }],
    values: ['search_records', { collection: 'article', filters: { language: nouns(1_001) } }],
    zone: ['aggregate', { collection: 'article', by: ['publishedAt:day'], time_zone: 'Europe/Berln' }],
  } as const
  const refusals = async ([name, args]: (typeof calls)[keyof typeof calls], more: Partial<RequestLimits>) =>
    createAgent(model, engineEndpoint(service.engine, undefined, more)).refusal(name, args)
  const caller = { tier: { name: 'public', pointsPerMinute: 3_000, concurrent: 4 } as Tier }
  const spent = { granted: false, remaining: 7, resetSeconds: 42 }
  const refuse = (error: Error) => () => {
    throw error
  }
  for (const call of [calls.search, calls.aggregate]) {
    assert.match(
      await refusals(call, { points: 1 }),
      /^The call costs \d+ points, and the limit is 1\. Leave out parts, .* or ask in several calls\.$/,
    )
    assert.equal(
      await refusals(call, { charge: refuse(rateLimited(caller, spent, 90)) }),
      'The call needs 90 points, but 7 of the 3000 that the tier "public" has for a minute are left. Try again in 42 seconds.',
    )
  }
  assert.match(
    await refusals(calls.values, {}),
    /: 1001, and the limit is 1000\. Write less in one call, or ask in several\.$/,
  )
  assert.match(
    await refusals(calls.zone, {}),
    /^`time_zone` names no time zone: "Europe\/Berln"\. .*Europe\/Berlin/,
  )
  const long = { charge: refuse(tooManyAtOnce(caller)) }
  assert.match(
    await refusals(calls.search, long),
    /^The tier "public" has 4 requests .* Try again in 1 second\.$/,
  )
})

test('an answer that failed in part is told as the failure it is', async () => {
  const agent = createAgent(model, {
    ask: async () => ({
      data: { techServiceNewsArticle: null, techServiceNewsArticleByUri: null },
      errors: [{ message: `Took too long.${'x'.repeat(9_000)}`, code: 'TIMEOUT', retryAfter: null }],
      cost: null,
    }),
  })
  const uri = `at://did:plc:x/${news}.article/1`
  for (const [name, args] of [
    ['search_records', { collection: 'article' }],
    ['get_record', { uri }],
  ] as const)
    assert.match(await agent.refusal(name, args), /^Took too long/)
})

test('a record that calls itself by the URI of another is told by its own', async () => {
  const uri = `at://did:plc:forger/${news}.article/1`
  const recordJson = {
    $type: `${news}.article`,
    title: 'Truth',
    uri: `at://did:plc:trusted/${news}.article/1`,
  }
  const page = { totalCount: 1, edges: [{ cursor: 'c', node: { uri, recordJson } }], pageInfo: {} }
  const agent = createAgent(model, {
    ask: async () => {
      const data = { techServiceNewsArticle: page, indexStatus: { collections: [] } }
      return { data, errors: [], cost: 1 }
    },
  })
  const { records } = await agent.call('search_records', { collection: 'article', detail: 'full' })
  assert.deepEqual(records, [{ uri, title: 'Truth' }])
})

test('a query is judged with the nearest names and the values of its variables', async () => {
  const agent = open()
  const query = 'query ($n: Int!) { techServiceNewsArticle(first: $n) { totalCount } }'
  assert.deepEqual(await agent.call('run_graphql', { query, validate: true }), {
    valid: true,
    reads: ['techServiceNewsArticle'],
  })
  const { valid, errors } = await agent.call('run_graphql', {
    query,
    variables: { n: 'x' },
    validate: true,
  })
  assert.equal(valid, false)
  assert.match(errors[0].message, /\$n/)
  assert.equal(agent.asked.length, 0)
})

test('a service with other lexicons, and one that is not there, are told in a sentence', async () => {
  const library = modelOf(libraryLexicons as readonly Json[], libraryReferences)
  const elsewhere = createAgent(library, engineEndpoint(service.engine))
  assert.match(
    await elsewhere.refusal('search_records', { collection: 'book' }),
    /other lexicons.*--lexicons/,
  )
  const gone = createAgent(model, {
    ask: () => Promise.reject(new EndpointError('The service at http://x is not reachable.')),
  })
  for (const [name, args] of [
    ['describe', {}],
    ['search_records', { collection: 'article' }],
    ['run_graphql', { query: '{ __typename }' }],
  ] as const)
    assert.match(await gone.refusal(name, args), /not reachable/)
})

test('a call that nobody waits for any more ends with the reason', async () => {
  const reason = new Error('gone')
  const agent = createAgent(model, {
    ask: (_, signal) =>
      Promise.reject(signal.aborted ? signal.reason : new Error('It was asked all the same.')),
  })
  const tool = agent.tools.find(({ name }) => name === 'describe')
  await assert.rejects(async () => await tool?.run({}, AbortSignal.abort(reason)), reason)
})
