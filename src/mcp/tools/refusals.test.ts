/** The tools over the demo corpus: what a caller is told whose call is refused, finds nothing or fails. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeCorpora } from '../../../test/golden/corpora.ts'
import type { Json } from '../../../test/reference/shapes.ts'
import { libraryLexicons, libraryReferences } from '../../../test/support/records/lexicons.ts'
import { createAgent, engineEndpoint, modelOf } from '../../../test/support/service/agents.ts'
import { model, open, service } from '../../../test/support/service/news-agent.ts'
import { EndpointError } from '../../endpoint/endpoint.ts'

after(closeCorpora)

const refusals: readonly (readonly [tool: string, args: Json, says: RegExp])[] = [
  ['search_records', { collection: 'artcle' }, /no collection "artcle"\. Did you mean "article"/],
  ['search_records', { collection: 'article', filters: { langage: 'en' } }, /Did you mean "language"/],
  [
    'search_records',
    { collection: 'article', filters: { sentiment: 'negative' } },
    /Write "enrichment\.sentiment"/,
  ],
  [
    'search_records',
    { collection: 'article', filters: { sentimnt: 'negative' } },
    /Did you mean "enrichment\.sentiment"/,
  ],
  [
    'search_records',
    { collection: 'article', filters: { 'source.contry': 'MX' } },
    /Did you mean "source\.country"/,
  ],
  [
    'search_records',
    { collection: 'article', filters: { wordCount: 'many' } },
    /an integer, and "many" is not/,
  ],
  [
    'search_records',
    { collection: 'article', filters: { title: { conains: 'x' } } },
    /Did you mean "contains"/,
  ],
  ['search_records', { collection: 'article', filters: { authors: 'x' } }, /such as "authors\.name"/],
  [
    'search_records',
    { collection: 'article', filters: { source: 'Harbor & Hill' } },
    /The nearest: "Harbour & Hill"/,
  ],
  [
    'search_records',
    { collection: 'article', filters: { source: 'radio' } },
    /^2 source records have the name "radio": .*\{"all": "radio"\}/,
  ],
  ['search_records', { collection: 'article', sort: '-publishdAt' }, /Did you mean "publishedAt"/],
  ['search_records', { collection: 'article', sort: 'source.country' }, /sorted by its own fields/],
  ['search_records', { collection: 'article', since: 'last wek' }, /"last week" is/],
  ['search_records', { collection: 'article', after: 'page2' }, /not a cursor/],
  [
    'search_records',
    { collection: 'article', filters: { publishedAt: { gt: '2026-11-01', gte: '2026-11-05' } } },
    /gt, gte set the same bound of "publishedAt"/,
  ],
  [
    'search_records',
    { collection: 'article', filters: { wordCount: { gt: null } } },
    /an integer, and null is not/,
  ],
  [
    'search_records',
    { collection: 'article', filters: { language: { constructor: 'en' } } },
    /no operator "constructor"\. It takes/,
  ],
  [
    'search_records',
    { collection: 'article', filters: { [`${'source.article.'.repeat(6)}title`]: 'x' } },
    /too long a path: one has at most 12 parts/,
  ],
  ['aggregate', { collection: 'enrichment', measures: ['constructor:impactLevel'] }, /is not a measure/],
  [
    'aggregate',
    { collection: 'article', by: ['enrichment.sentiment'] },
    /Aggregate the collection "enrichment" instead/,
  ],
  ['aggregate', { collection: 'article', by: ['source', 'source.uri'] }, /grouped by twice/],
  [
    'aggregate',
    { collection: 'article', by: ['publishedAt:fortnight'] },
    /hour, day, week, month, quarter, year/,
  ],
  [
    'aggregate',
    { collection: 'article', measures: ['mean:enrichment.impactLevel'] },
    /with "avg:impactLevel"/,
  ],
  ['aggregate', { collection: 'article', measures: ['avg:title'] }, /wordCount/],
  ['aggregate', { collection: 'article', order: 'cuont' }, /Did you mean "count"/],
  ['get_record', { uri: 'at://harbour-and-hill.example' }, /not an AT-URI/],
  ['get_record', { collection: 'article', value: 'https://nowhere.example/' }, /search_records/],
  ['run_graphql', { query: '{ techServiceNewsArticle { nodes { titel } } }' }, /Did you mean "title"/],
]
for (const [tool, args, says] of refusals)
  test(`${tool} ${JSON.stringify(args)} is told what to write instead`, async () => {
    assert.match(await open().refusal(tool, args), says)
  })

test('nothing found with a value that is not known is told the known ones', async () => {
  const filters = { 'enrichment.sentiment': 'negativ' }
  const { total, hint } = await open().call('search_records', { collection: 'article', filters })
  assert.equal(total, 0)
  assert.match(hint, /Did you mean "negative"/)
})

test('a query is judged with the nearest names and the values of its variables', async () => {
  const agent = open()
  const query = 'query ($n: Int!) { techServiceNewsArticle(first: $n) { totalCount } }'
  assert.deepEqual(await agent.call('validate_graphql', { query }), {
    valid: true,
    reads: ['techServiceNewsArticle'],
  })
  const { valid, errors } = await agent.call('validate_graphql', { query, variables: { n: 'x' } })
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
