/** What callers get wrong at first: each is told what to write instead, or is read as it was meant. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeCorpora } from '../../test/golden/corpora.ts'
import type { Json } from '../../test/reference/shapes.ts'
import { isObject } from '../util/is-object.ts'
import { open, openOn } from '../../test/support/service/news-agent.ts'

after(closeCorpora)

/** By the tool and the collection of the call. */
type Table = Readonly<Record<string, readonly (readonly [args: Json, says: RegExp])[]>>

const filtered = (filters: Json) => ({ filters })
const refusals: Table = {
  'search_records artcle': [[{}, /no collection "artcle"\. Did you mean "article"/]],
  'search_records enrichment': [
    [filtered({ impactLevel: { '>=': 8 } }), /mean "gte"\?/],
    [filtered({ impactLevel: { min: 8 } }), /mean "gte"\?/],
    [filtered({ impactLevel: { $lte: 8 } }), /mean "lte"\?/],
  ],
  'search_records article': [
    [filtered({ language: { not: 'en' } }), /mean "ne"\?/],
    [
      filtered({ tags: { like: 'spor' } }),
      /mean "contains"\? It takes contains, has, hasAny, hasAll, isNull\./,
    ],
    [filtered({ 'enrichment.count': 'many' }), /"enrichment\.count" is an integer, and "many" is not/],
    [{ fields: ['enrichment.count'] }, /can only be filtered, sorted and measured by/],
    [filtered({ OR: [{ language: 'en' }] }), /all filters have to/],
    [filtered({ $and: [] }), /all filters have to hold/],
    [filtered({ langage: 'en' }), /Did you mean "language"/],
    [filtered({ sentiment: 'negative' }), /Write "enrichment\.sentiment"/],
    [filtered({ sentimnt: 'negative' }), /Did you mean "enrichment\.sentiment"/],
    [filtered({ 'source.contry': 'MX' }), /Did you mean "source\.country"/],
    [filtered({ wordCount: 'many' }), /an integer, and "many" is not/],
    [filtered({ wordCount: { gt: null } }), /an integer, and null is not/],
    [filtered({ title: { conains: 'x' } }), /Did you mean "contains"/],
    [filtered({ authors: 'x' }), /such as "authors\.name"/],
    [filtered({ source: { eq: 5 } }), /"source" is a reference: write a URI or/],
    [filtered({ source: 'Harbor & Hill' }), /The nearest: "Harbour & Hill"/],
    [filtered({ source: 'radio' }), /^2 source records may be meant by "radio": .*\{"all": "radio"\}/],
    [filtered({ language: { constructor: 'en' } }), /no operator "constructor"\. It takes/],
    [filtered({ [`${'source.article.'.repeat(6)}title`]: 'x' }), /too long a path: one has at most 12 parts/],
    [
      filtered({ publishedAt: { gt: '2026-11-01', gte: '2026-11-05' } }),
      /gt, gte set the same bound of "publishedAt"/,
    ],
    [
      filtered({ country: ['US', null] }),
      /and null is not one\. For records without a value write null alone, .*; for these or others ask twice\./,
    ],
    [
      { since: '2026-11-10', until: '2026-11-01' },
      /^since begins at 2026-11-10T00:00:00.000Z, after until, which ends at 2026-11-02T/,
    ],
    [{ since: 'last wek' }, /"last week" is/],
    [{ after: 'page2' }, /not a cursor/],
    [{ sort: 'zzz' }, /^(?!.*enrichmentVia).* articleViaStory\.count, enrichment\.count/],
    [{ sort: '-publishdAt' }, /Did you mean "publishedAt"/],
    [{ sort: 'source.country' }, /sorted by its own fields/],
    [{ search: '?!' }, /^search: A search needs a word.*\(character 1 of the search\)\.$/],
    [{ search: `ab ${'(a '.repeat(17)}` }, /16 deep \(character 52 of the search\)/],
    [filtered({ title: { matches: '!' } }), /`matches`: A search needs a word/],
    [filtered({ title: { search: 'x' } }), /mean "matches"\?/],
    [{ sort: 'relevance' }, /write words in search/],
    [{ search: '-storm', sort: 'relevance' }, /that are not excluded/],
    [{ search: 'storm', sort: '-relevance,publishedAt' }, /takes no other sort fields/],
    [{ search: 'storm', after: 'page2' }, /not a cursor of these results: repeat all arguments/],
  ],
  'aggregate enrichment': [
    [{ measures: ['clickbaitScore'] }, /"avg:impactLevel"/],
    [{ measures: ['constructor:impactLevel'] }, /is not a measure/],
    [{ by: ['clickbaitScore:5', 'impactLevel'] }, /ranges of one size/],
    [{ by: ['clickbaitScore:0'] }, /from 1 to 2147483647/],
    [
      { by: ['topics', 'topics'], measures: ['avg:impactLevel'] },
      /Pairs have counts alone: leave measures out, or name "topics" in by once\./,
    ],
  ],
  'aggregate article': [
    [{ by: ['enrichment.count'] }, /; aggregate enrichment by "article" counts them for each article\.$/],
    [{ by: ['enrichment.sentiment'] }, /Aggregate the collection "enrichment" instead/],
    [{ by: ['source', 'source.uri'] }, /grouped by twice/],
    [{ by: ['publishedAt:fortnight'] }, /hour, day, week, month, quarter, year/],
    [{ measures: ['mean:enrichment.impactLevel'] }, /with "avg:impactLevel"/],
    [{ measures: ['avg:title'] }, /wordCount/],
    [{ measures: ['p101:wordCount'] }, /"p101:wordCount" is not a measure\./],
    [{ order: 'cuont' }, /Did you mean "count"/],
    [{ top: { by: 'source' } }, /top, samples and percent are of groups: name their paths in by\./],
    [{ by: ['language'], top: {} }, /top takes an object such as \{"by": "language", "limit": 3\}/],
    [
      { by: ['language'], top: { by: 'languag' } },
      /article has no field "languag"\. Did you mean "language"\?/,
    ],
    [{ by: ['publishedAt:day'], time_zone: 'Europe/Berln' }, /Europe\/Berlin/],
    [{ fill: true }, /fill is for one time in by, such as \["publishedAt:day"\]/],
    [{ by: ['language'], change: true }, /change is for one time in by/],
    [{ by: ['publishedAt:weekday'], fill: true }, /fill is for one time in by/],
    [
      { by: ['publishedAt:day'], change: true, unusual: {}, filters: { language: 'fr' } },
      /exclude each other/,
    ],
    [{ by: ['publishedAt:day'], fill: true }, /fill needs a time to begin with: add since, such as/],
    [{ by: ['publishedAt:day'], fill: true, until: '2026-11' }, /fill needs a time to begin with/],
    [{ by: ['language:5'] }, /only integers have ranges/],
    [{ by: ['publishedAt:5'] }, /only integers have ranges|:hour/],
    [{ search: '"!"' }, /^search: A search needs a word/],
    [{ unusual: {}, since: 'today' }, /name their paths in by/],
    [{ unusual: {}, by: ['language'] }, /say which in search, text, filters/],
    [{ unusual: {}, by: ['tags'], search: 'a', order: 'count' }, /leave order out/],
    [{ unusual: {}, by: ['tags'], search: 'a', order: '-avg:wordCount' }, /leave order out/],
    [{ unusual: {}, by: ['tags'], search: 'a', share: { language: 'en' } }, /leave share out/],
    [{ unusual: { langage: 'en' }, by: ['tags'], search: 'a' }, /Did you mean "language"/],
  ],
  get_record: [
    [{ collection: 'source', value: 'Gather Daly' }, /The nearest: "Gather Daily"/],
    [{ uri: 'at://harbour-and-hill.example' }, /not an AT-URI/],
    [{ collection: 'article', value: 'https://nowhere.example/' }, /search_records/],
  ],
  run_graphql: [
    [{ query: 'query A { __typename } query B { __typename }' }, /send each by itself/],
    [{ query: '{ techServiceNewsArticle { nodes { titel } } }' }, /Did you mean "title"/],
  ],
}

const nothing: Table = {
  'search_records article': [
    [filtered({ language: 'english' }), /There are: en, es, fr/],
    [filtered({ language: 'EN' }), /Did you mean "en"/],
    [filtered({ 'source.country': ['GER'] }), /mean "DE"|are: FR/],
    [
      filtered({ 'enrichment.category': 'politics' }),
      /^No record has "politics" in enrichment\.category\. Did you mean "politics-government"\?/,
    ],
    [filtered({ 'enrichment.sentiment': 'negativ' }), /Did you mean "negative"/],
    [
      filtered({ 'source.country': 'us' }),
      /^No record has "us" in source\.country\. Did you mean "US"\? There are: FR, /,
    ],
    [
      filtered({ tags: 'CLIMATE' }),
      /^No record has "CLIMATE" in tags\. Did you mean "climate"\? The most frequent of 412: climate, environ/,
    ],
    [
      filtered({ tags: ['FREIZEIT'] }),
      /^No record has "FREIZEIT" in tags\. Did you mean "Freizeit"\? The most frequent of 412: (?!.*Freizeit)/,
    ],
    [
      filtered({ tags: { hasAll: ['climate', 'election'] } }),
      /^Each filter is met, but not all together: tags \{"has":"climate"\} \d+, tags \{"has":"election"\} \d+\.$/,
    ],
    [
      filtered({ tags: { has: 'health', hasAll: ['CLIMATE'] } }),
      /^No record has "CLIMATE" in tags\. Did you mean "climate"/,
    ],
    [
      filtered({ 'source.isIndexed': false }),
      /^No article has \{?.*false\}? in source\.isIndexed; 660 have source\.$/,
    ],
    [
      filtered({
        language: 'en',
        'source.country': 'US',
        tags: 'climate',
        articleType: 'report',
        section: 'zzzz',
      }),
      /^No article has "zzzz" in section; 622 have section\.$/,
    ],
    [{ text: 'climate change' }, /word after word/],
    [{ text: 'hippopotamus' }, /what other languages call it/],
  ],
  'search_records enrichment': [
    [
      filtered({ 'entities.type': 'people' }),
      /^No record has "people" in entities\.type\. There are: .*person/,
    ],
  ],
  'aggregate enrichment': [
    [filtered({ topics: { hasAny: ['wars'] } }), /^No record has "wars" in topics\. Did you mean "war"\?/],
    [{ by: ['model'], filters: { sentiment: 'bad' } }, /There are: neg/],
    [{ by: ['model'], share: { sentiment: 'bad' } }, /There are: neg/],
  ],
  'aggregate article': [[filtered({ 'authors.did': 'x' }), /^No record has authors\.did\.$/]],
}

for (const [of, answer, table] of [
  ['is refused with what to write', (tool: string, args: Json) => open().refusal(tool, args), refusals],
  [
    'finds nothing and tells why',
    async (tool: string, args: Json) => (await open().call(tool, args)).hint,
    nothing,
  ],
] as const)
  for (const [call, rows] of Object.entries(table))
    for (const [given, says] of rows)
      test(`${call} ${JSON.stringify(given)} ${of}`, async () => {
        const [tool = '', collection] = call.split(' ')
        assert.match(await answer(tool, { ...(collection && { collection }), ...given }), says)
      })

for (const tags of ['Freizeit', ['FREIZEIT', 'Freizeit']])
  test(`of many values ${JSON.stringify(tags)} is known to be there`, async () => {
    const filters = { tags, 'source.country': 'JP' }
    const { total, hint } = await open().call('search_records', { collection: 'article', filters })
    assert.deepEqual(
      [total, hint],
      [0, 'Each filter is met, but not all together: tags 1, source.country 43.'],
    )
  })

test('a value that is there is no reason why nothing was found', async () => {
  const filters = { language: ['en', 'xx'], 'source.country': 'JP' }
  const { total, hint } = await open().call('search_records', { collection: 'article', filters })
  assert.equal(total, 0)
  assert.match(hint, /^Each filter is met, but not all together: language \d+, source\.country 43\.$/)
})

for (const field of ['duplicateOf', 'source', 'tags', 'language', 'publishedAt', 'image', 'enrichment'])
  test(`"${field}" may be missing or not`, async () => {
    const counts: number[] = []
    for (const value of [null, { ne: null }, { isNull: false }]) {
      const { count } = await open().call('aggregate', { collection: 'article', filters: { [field]: value } })
      counts.push(count)
    }
    const [missing = 0, present, same] = counts
    // As many lists are there without any value.
    const empty = field === 'tags' ? 20 : 0
    assert.deepEqual([missing + (present ?? 0) - empty, same], [660, present])
  })

test('a record is found by a name in other letters', async () => {
  const { record } = await open().call('get_record', { collection: 'source', value: 'gather daily' })
  assert.equal(record.displayName, 'Gather Daily')
})

test('the count may be asked for as a measure', async () => {
  const { count, columns } = await open().call('aggregate', { collection: 'article', measures: ['count'] })
  assert.deepEqual([count, columns], [660, undefined])
})

test('a description tells how many records have the time of a collection', async () => {
  const { time } = await open().call('describe', { collection: 'article' })
  assert.match(time, /^publishedAt 2026-09-16 to 2026-11-15, 94%$/)
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

test('the number of records that refer is filtered by, and measured', async () => {
  const { reference } = await openOn('sqlite')
  const field = 'techServiceNewsEnrichmentViaArticle'
  for (const [name, condition] of [
    ['enrichment.count', 2],
    ['enrichment.count', { gte: 2 }],
    [`${field}.count`, { lt: 1 }],
    ['enrichment.count', [0, 2]],
    ['enrichment.count', { ne: 1 }],
    ['enrichment.count', null],
  ] as const) {
    const { count } = await open().call('aggregate', {
      collection: 'article',
      filters: { [name]: condition },
    })
    const where = Array.isArray(condition)
      ? { in: condition }
      : isObject(condition)
        ? condition
        : { eq: condition ?? 0 }
    assert.equal(count, reference.count('tech.service.news.article', { [field]: { count: where } }))
    assert.ok(count > 0 && count < 660)
  }
  const { hint } = await open().call('aggregate', {
    collection: 'article',
    filters: { 'enrichment.count': 9 },
  })
  assert.match(hint, /^No article has 9 in enrichment\.count; \d+ have enrichment\.$/)
  const by = (measure: string) => open().call('aggregate', { collection: 'article', measures: [measure] })
  const [byName, byCount] = [await by('max:enrichment'), await by('max:enrichment.count')]
  assert.equal(byName['max:enrichment'], byCount['max:enrichment.count'])
})

test('a part of a text in a list is found', async () => {
  const { reference } = await openOn('sqlite')
  const where = { tags: { contains: 'SPOR' } }
  const { count } = await open().call('aggregate', { collection: 'article', filters: where })
  assert.equal(count, reference.count('tech.service.news.article', where))
  assert.ok(count > 0)
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
