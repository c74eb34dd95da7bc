/** What callers get wrong at first: each is told what to write instead, or is read as it was meant. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeCorpora, corpusNamed, newsLexicons } from '../../test/golden/corpora.ts'
import type { Json } from '../../test/reference/shapes.ts'
import { createAgent, engineEndpoint, modelOf } from '../../test/support/service/agents.ts'

after(closeCorpora)

const { service } = await corpusNamed('demo', 'sqlite')
const model = modelOf(newsLexicons.documents, newsLexicons.references)

function open() {
  return createAgent(model, engineEndpoint(service.engine))
}

type Row = readonly [tool: string, args: Json, says: RegExp]

const refusals: readonly Row[] = [
  ['search_records', { collection: 'enrichment', filters: { impactLevel: { '>=': 8 } } }, /mean "gte"\?/],
  ['search_records', { collection: 'enrichment', filters: { impactLevel: { min: 8 } } }, /mean "gte"\?/],
  ['search_records', { collection: 'enrichment', filters: { impactLevel: { $lte: 8 } } }, /mean "lte"\?/],
  ['search_records', { collection: 'article', filters: { language: { not: 'en' } } }, /mean "ne"\?/],
  ['search_records', { collection: 'article', filters: { OR: [{ language: 'en' }] } }, /all filters have to/],
  ['search_records', { collection: 'article', filters: { $and: [] } }, /all filters have to hold/],
  [
    'search_records',
    { collection: 'article', since: '2026-11-10', until: '2026-11-01' },
    /^since begins at 2026-11-10T00:00:00.000Z, after until, which ends at 2026-11-02T/,
  ],
  ['aggregate', { collection: 'enrichment', measures: ['clickbaitScore'] }, /"avg:impactLevel"/],
  ['aggregate', { collection: 'article', by: ['publishedAt_week'] }, /write "publishedAt:week"\.$/],
  [
    'aggregate',
    { collection: 'enrichment', by: ['article_source_country'] },
    /write "article\.source\.country"\.$/,
  ],
  ['get_record', { collection: 'source', value: 'Gather Daly' }, /The nearest: "Gather Daily"/],
  ['run_graphql', { query: 'query A { __typename } query B { __typename }' }, /send each by itself/],
  [
    'search_records',
    { collection: 'article', filters: { country: ['US', null] } },
    /and null is not one\. For records without a value write null alone, .*; for these or others ask twice\./,
  ],
  ['search_records', { collection: 'article', sort: 'zzz' }, /^(?!.*Via).* enrichment\.count/],
]
for (const [tool, args, says] of refusals)
  test(`${tool} ${JSON.stringify(args)} is refused with what to write`, async () => {
    assert.match(await open().refusal(tool, args), says)
  })

const nothing: readonly Row[] = [
  ['search_records', { collection: 'article', filters: { language: 'english' } }, /There are: en, es, fr/],
  ['search_records', { collection: 'article', filters: { language: 'EN' } }, /Did you mean "en"/],
  ['search_records', { collection: 'article', filters: { 'source.country': ['GER'] } }, /mean "DE"|are: FR/],
  [
    'search_records',
    { collection: 'article', filters: { 'enrichment.category': 'politics' } },
    /^No record has "politics" in enrichment\.category\. Did you mean "politics-government"\?/,
  ],
  [
    'search_records',
    { collection: 'enrichment', filters: { 'entities.type': 'people' } },
    /^No record has "people" in entities\.type\. There are: .*person/,
  ],
  [
    'search_records',
    { collection: 'article', filters: { 'source.country': 'us' } },
    /^No record has "us" in source\.country\. Did you mean "US"\? There are: FR, /,
  ],
  [
    'search_records',
    { collection: 'article', filters: { tags: 'CLIMATE' } },
    /^No record has "CLIMATE" in tags\. Did you mean "climate"\? The most frequent of 412: climate, environ/,
  ],
  [
    'search_records',
    { collection: 'article', filters: { tags: ['FREIZEIT'] } },
    /^No record has "FREIZEIT" in tags\. Did you mean "Freizeit"\? The most frequent of 412: (?!.*Freizeit)/,
  ],
  [
    'aggregate',
    { collection: 'enrichment', filters: { topics: { hasAny: ['wars'] } } },
    /^No record has "wars" in topics\. Did you mean "war"\?/,
  ],
  ['aggregate', { collection: 'article', filters: { 'authors.did': 'x' } }, /^No record has authors\.did\.$/],
  ['search_records', { collection: 'article', text: 'climate change' }, /word after word/],
  ['search_records', { collection: 'article', text: 'hippopotamus' }, /what other languages call it/],
  ['aggregate', { collection: 'enrichment', by: ['model'], filters: { sentiment: 'bad' } }, /There are: neg/],
  ['aggregate', { collection: 'enrichment', by: ['model'], share: { sentiment: 'bad' } }, /There are: neg/],
  ['resolve_name', { name: 'qqqq xxxx' }, /their own script/],
]
for (const [tool, args, says] of nothing)
  test(`${tool} ${JSON.stringify(args)} finds nothing and tells why`, async () => {
    assert.match((await open().call(tool, args)).hint, says)
  })

for (const tags of ['Freizeit', ['FREIZEIT', 'Freizeit']])
  test(`of many values ${JSON.stringify(tags)} is known to be there`, async () => {
    const filters = { tags, 'source.country': 'JP' }
    const { total, hint } = await open().call('search_records', { collection: 'article', filters })
    assert.deepEqual([total, hint], [0, undefined])
  })

test('a value that is there is no reason why nothing was found', async () => {
  const filters = { language: ['en', 'xx'], 'source.country': 'JP' }
  const { total, hint } = await open().call('search_records', { collection: 'article', filters })
  assert.deepEqual([total, hint], [0, undefined])
})

for (const field of ['duplicateOf', 'source', 'tags', 'language', 'publishedAt', 'image', 'enrichment'])
  test(`"${field}" may be missing or not`, async () => {
    const counts: number[] = []
    for (const value of [null, { ne: null }, { isNull: false }]) {
      const { count } = await open().call('aggregate', { collection: 'article', filters: { [field]: value } })
      counts.push(count)
    }
    const [missing = 0, present, same] = counts
    assert.deepEqual([missing + (present ?? 0), same], [660, present])
  })

test('a record is found by a name in other letters', async () => {
  const { record } = await open().call('get_record', { collection: 'source', value: 'gather daily' })
  assert.equal(record.displayName, 'Gather Daily')
})

test('the count may be asked for as a measure', async () => {
  const { columns } = await open().call('aggregate', { collection: 'article', measures: ['count'] })
  assert.deepEqual(columns, ['count'])
})

test('a description tells what the time of a collection leaves out', async () => {
  const { time } = await open().call('describe', { collection: 'article' })
  assert.match(time, /; 94\.2 % have one; since and until leave out the other 38$/)
})

const described: readonly (readonly [field: string, tells: Json])[] = [
  ['enrichment', { filter: '"some", "none", or a field of theirs, such as "enrichment.neutralHeadline".' }],
  ['publishedAt', { values: { '2026-11-01': 154, '2026-10-01': 324, '2026-09-01': 144, '(missing)': 38 } }],
  ['source.mediaType', { type: 'category', distinct: 7 }],
]
for (const [field, tells] of described)
  test(`the description of ${field} helps to ask by it`, async () => {
    assert.partialDeepStrictEqual(await open().call('describe', { collection: 'article', field }), tells)
  })

test('of texts that hardly repeat a few are shown', async () => {
  const { values } = await open().call('describe', { collection: 'article', field: 'title' })
  assert.equal(Object.keys(values).length, 5)
})

test('records are sorted by the number of records that refer to them', async () => {
  const answers = await Promise.all(
    ['-enrichment.count', '-techServiceNewsEnrichmentViaArticle_count'].map((sort) =>
      open().call('search_records', { collection: 'article', sort, limit: 5 }),
    ),
  )
  assert.equal(answers[0]?.records.length, 5)
  assert.deepEqual(answers[0], answers[1])
})
