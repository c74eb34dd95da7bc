/** The tools over the demo corpus: twelve questions of a journalist, and what every answer has to keep to. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parse } from 'graphql'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { closeCorpora, corpusNamed, newsLexicons } from '../../test/golden/corpora.ts'
import type { Json } from '../../test/reference/shapes.ts'
import type { PlainRecord } from '../../test/reference/world.ts'
import { createAgent, engineEndpoint, modelOf } from '../../test/support/agents.ts'
import { budgets } from './budget.ts'

after(closeCorpora)

const { service, reference } = await corpusNamed('demo', 'sqlite')
const model = modelOf(newsLexicons.documents, newsLexicons.references)
/** The last day of the corpus, in the evening. */
const evening = new Date('2026-11-15T23:30:00Z')
const news = 'tech.service.news'
const articles = of('article')
const enrichments = of('enrichment')
const articleOf = new Map(articles.map((article) => [article.uri, article]))

function of(name: string): readonly PlainRecord[] {
  return reference.records.filter(({ collection }) => collection === `${news}.${name}`)
}

function open() {
  return createAgent(model, engineEndpoint(service.engine), () => evening)
}

/** Calls of one conversation, with what they may take together. */
function conversation() {
  const agent = open()
  let [calls, tokens] = [0, 0]
  return async (name: keyof typeof budgets, args: Json): Promise<Json> => {
    const answer = await agent.call(name, args)
    const size = countTokens(JSON.stringify(answer))
    assert.ok(size <= budgets[name], `${name} has ${size} tokens`)
    calls += 1
    tokens += size
    assert.ok(calls <= 4 && tokens <= 6000, `${calls} calls, ${tokens} tokens`)
    if (typeof answer.query === 'string') parse(answer.query)
    return answer
  }
}

function outlet(article: PlainRecord | undefined): string | null {
  return (article && reference.resolve(article.value.source.uri)?.value.displayName) ?? null
}

function analysed(enrichment: PlainRecord): PlainRecord | undefined {
  return articleOf.get(enrichment.value.article.uri)
}

function weekOf(instant: string): string {
  const day = new Date(instant)
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7))
  return day.toISOString().slice(0, 10)
}

function countBy<T>(records: readonly T[], keyOf: (record: T) => unknown): Map<string, T[]> {
  return Map.groupBy(records, (record) => JSON.stringify(keyOf(record)))
}

test('the list of tools fits in 2,500 tokens', () => {
  const listed = open().tools.map((tool) => ({
    ...tool,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  }))
  const tokens = countTokens(JSON.stringify({ tools: listed }))
  assert.ok(tokens <= 2500, `${tokens} tokens`)
})

for (const collection of ['article', 'enrichment', 'source'])
  test(`a description of ${collection} fits in 1,500 tokens and names every field`, async () => {
    const answer = await open().call('describe', { collection })
    assert.ok(countTokens(JSON.stringify(answer)) <= 1500)
    const fields = model.collections.find(({ nsid }) => nsid.endsWith(collection))?.type.fields ?? []
    for (const { name } of fields) assert.ok(name in answer.fields, name)
  })

test('1. the share of negative coverage of a topic, by outlet and week', async () => {
  const call = conversation()
  const rows: Json[][] = []
  for (let offset = 0, cut = 1; cut > 0; offset = rows.length) {
    const answer = await call('aggregate', {
      collection: 'enrichment',
      by: ['article.source', 'article.publishedAt:week'],
      filters: { topics: 'climate' },
      share: { sentiment: 'negative' },
      limit: 100,
      offset,
    })
    assert.deepEqual(answer.columns.slice(2), ['count', 'matching', 'share'])
    rows.push(...answer.rows)
    cut = answer.cut ?? 0
  }
  const about = enrichments.filter(({ value }) => value.topics?.includes('climate'))
  const expected = countBy(about, (enrichment) => {
    const article = analysed(enrichment)
    const published = article?.value.publishedAt
    return [outlet(article), published === undefined ? null : weekOf(published)]
  })
  assert.equal(rows.length, expected.size)
  for (const [name, week, count, matching, share] of rows) {
    const members = expected.get(JSON.stringify([name, week])) ?? []
    const negative = members.filter(({ value }) => value.sentiment === 'negative')
    assert.deepEqual([count, matching], [members.length, negative.length])
    assert.ok(Math.abs((share as unknown as number) - negative.length / members.length) < 0.001)
  }
})

test('2. the outlets that ran a story first, with their headlines', async () => {
  const call = conversation()
  const found = await call('search_records', {
    collection: 'enrichment',
    filters: { topics: 'climate' },
    fields: ['storyId', 'neutralHeadline'],
    limit: 1,
  })
  const { storyId } = found.records[0]
  const { records } = await call('search_records', {
    collection: 'article',
    filters: { 'enrichment.storyId': storyId },
    sort: 'publishedAt',
    fields: ['title', 'source', 'publishedAt'],
    limit: 5,
  })
  const told = enrichments.filter(({ value }) => value.storyId === storyId).map(analysed)
  const expected = [...new Set(told)]
    .filter((article) => article !== undefined)
    .toSorted((a, b) => Date.parse(a.value.publishedAt) - Date.parse(b.value.publishedAt))
  assert.deepEqual(
    records.map(({ title, source }: Json) => [title, source]),
    expected.slice(0, 5).map((article) => [article.value.title, outlet(article)]),
  )
})

test('3. everything of today with an impact of eight or more', async () => {
  const call = conversation()
  const { total, records } = await call('search_records', {
    collection: 'enrichment',
    filters: { impactLevel: { gte: 8 } },
    since: 'today',
    sort: '-impactLevel',
    fields: ['article', 'article.source', 'impactLevel'],
  })
  const expected = enrichments.filter(
    ({ value }) => value.impactLevel >= 8 && value.createdAt.startsWith('2026-11-15'),
  )
  assert.ok(expected.length > 0)
  assert.equal(total, expected.length)
  assert.deepEqual(new Set(records.map(({ uri }: Json) => uri)), new Set(expected.map(({ uri }) => uri)))
})

test('4. the outlets with the most clickbait, of at least twenty articles, and their worst headlines this month', async () => {
  const call = conversation()
  const { rows } = await call('aggregate', {
    collection: 'enrichment',
    by: ['article.source'],
    order: '-avg:clickbaitScore',
    min_count: 20,
    limit: 3,
  })
  const mean = (members: readonly PlainRecord[]) =>
    members.reduce((sum, { value }) => sum + value.clickbaitScore, 0) / members.length
  const groups = [...Map.groupBy(enrichments, (enrichment) => outlet(analysed(enrichment)))]
  const expected = groups
    .filter(([, members]) => members.length >= 20)
    .toSorted(([, a], [, b]) => mean(b) - mean(a))
  const shown = rows.map(([name, count, average]: Json[]) => [name, count, average])
  assert.deepEqual(
    shown,
    expected
      .slice(0, 3)
      .map(([name, members]) => [name, members.length, Math.round(mean(members) * 1000) / 1000]),
  )
  const worst = shown[0]?.[0]
  const { records } = await call('search_records', {
    collection: 'enrichment',
    filters: { 'article.source': worst, 'article.publishedAt': 'this month' },
    sort: '-clickbaitScore',
    fields: ['article', 'clickbaitScore'],
    limit: 5,
  })
  const scores = enrichments
    .filter((enrichment) => {
      const article = analysed(enrichment)
      return outlet(article) === worst && new Date(article?.value.publishedAt ?? 0) >= new Date('2026-11-01')
    })
    .map(({ value }) => value.clickbaitScore)
    .toSorted((a, b) => b - a)
  assert.deepEqual(
    records.map(({ clickbaitScore }: Json) => clickbaitScore),
    scores.slice(0, 5),
  )
})

test('5. the tone on a topic by the orientation of the outlets', async () => {
  const call = conversation()
  const answer = await call('aggregate', {
    collection: 'enrichment',
    by: ['article.source.politicalOrientation', 'emotionalTone'],
    filters: { topics: 'climate' },
    limit: 100,
  })
  const about = enrichments.filter(({ value }) => value.topics?.includes('climate'))
  const expected = countBy(about, (enrichment) => [
    reference.resolve(analysed(enrichment)?.value.source.uri ?? '')?.value.politicalOrientation ?? null,
    enrichment.value.emotionalTone ?? null,
  ])
  assert.equal(answer.groups, expected.size)
  assert.equal(answer.cut, undefined)
  for (const [orientation, tone, count] of answer.rows)
    assert.equal(count, expected.get(JSON.stringify([orientation, tone]))?.length)
})

test('6. headline, outlet and summary of the newest ten', async () => {
  const call = conversation()
  const { records } = await call('search_records', {
    collection: 'article',
    fields: ['title', 'source', 'enrichment.summary'],
  })
  const expected = articles
    .filter(({ value }) => value.publishedAt !== undefined)
    .toSorted((a, b) => Date.parse(b.value.publishedAt) - Date.parse(a.value.publishedAt))
    .slice(0, 10)
  assert.deepEqual(
    records.map(({ uri, title, source }: Json) => [uri, title, source]),
    expected.map((article) => [article.uri, article.value.title, outlet(article)]),
  )
  for (const record of records) {
    const summaries = enrichments
      .filter(({ value }) => value.article.uri === record.uri && value.summary !== undefined)
      .map(({ value }) => value.summary)
    assert.deepEqual(new Set(record['enrichment.summary'] ?? []), new Set(summaries))
  }
})

test('7. what happened in a field this week', async () => {
  const call = conversation()
  const filters = { category: 'environment' }
  const { count, rows } = await call('aggregate', {
    collection: 'enrichment',
    filters,
    since: 'this week',
    by: ['eventType'],
  })
  const expected = enrichments.filter(
    ({ value }) => value.category === 'environment' && new Date(value.createdAt) >= new Date('2026-11-09'),
  )
  assert.equal(count, expected.length)
  for (const [type, number] of rows)
    assert.equal(number, expected.filter(({ value }) => (value.eventType ?? null) === type).length)
  const { total } = await call('search_records', {
    collection: 'enrichment',
    filters,
    since: 'this week',
    sort: '-impactLevel',
    fields: ['article', 'article.source', 'summary', 'impactLevel'],
  })
  assert.equal(total, expected.length)
})

test('8. whether a claim is reported by at least three independent outlets', async () => {
  const call = conversation()
  const claim = 'Rescue teams reached every settlement'
  const { rows, columns } = await call('aggregate', {
    collection: 'enrichment',
    filters: { 'claims.text': claim, 'article.duplicateOf': null },
    measures: ['distinct:article.source'],
  })
  assert.deepEqual(columns, ['count', 'distinct:article.source'])
  const expected = enrichments.filter((enrichment) => {
    const claims = (enrichment.value.claims ?? []) as readonly Json[]
    const article = analysed(enrichment)
    return (
      claims.some(({ text }) => text.includes(claim)) && article && article.value.duplicateOf === undefined
    )
  })
  const outlets = new Set(expected.map((enrichment) => analysed(enrichment)?.value.source.uri))
  assert.ok(outlets.size >= 3)
  assert.deepEqual(rows, [[expected.length, outlets.size]])
})

test('9. the articles without any enrichment', async () => {
  const call = conversation()
  const { total } = await call('search_records', {
    collection: 'article',
    filters: { enrichment: 'none' },
    fields: ['title', 'source'],
  })
  const has = new Set(enrichments.map(({ value }) => value.article.uri))
  assert.equal(total, articles.filter(({ uri }) => !has.has(uri)).length)
})

test('10. the outlets that stopped publishing', async () => {
  const call = conversation()
  const { rows } = await call('aggregate', {
    collection: 'article',
    by: ['source'],
    order: 'max:publishedAt',
    limit: 5,
  })
  const newest = [...Map.groupBy(articles, outlet)]
    .map(([name, members]) => [
      name,
      Math.max(
        ...members.map(({ value }) => Date.parse(value.publishedAt)).filter((time) => !Number.isNaN(time)),
      ),
    ])
    .toSorted(([, a], [, b]) => Number(a) - Number(b))
  assert.deepEqual(
    rows.map(([name, , time]: Json[]) => [name, Date.parse(String(time))]),
    newest.slice(0, 5),
  )
})

test('11. the enrichments of an outdated version', async () => {
  const call = conversation()
  const { total, records } = await call('search_records', {
    collection: 'enrichment',
    filters: { 'article.isCurrent': false },
    fields: ['article'],
  })
  const expected = enrichments.filter((enrichment) => {
    const article = analysed(enrichment)
    return article !== undefined && article.cid !== enrichment.value.article.cid
  })
  assert.equal(total, expected.length)
  assert.deepEqual(new Set(records.map(({ uri }: Json) => uri)), new Set(expected.map(({ uri }) => uri)))
})

test('12. the articles by language, with a filter', async () => {
  const call = conversation()
  const { count, rows } = await call('aggregate', {
    collection: 'article',
    by: ['language'],
    filters: { 'source.mediaType': ['print-native', 'news-agency'], isAccessibleForFree: true },
  })
  const expected = articles.filter((article) => {
    const type = reference.resolve(article.value.source.uri)?.value.mediaType
    return ['print-native', 'news-agency'].includes(type) && article.value.isAccessibleForFree === true
  })
  assert.equal(count, expected.length)
  const groups = countBy(expected, ({ value }) => value.language ?? null)
  assert.deepEqual(
    new Map(rows.map(([language, number]: Json[]) => [JSON.stringify(language), number])),
    new Map([...groups].map(([language, members]) => [language, members.length])),
  )
})

test('a text is looked for in titles and other texts', async () => {
  const { total } = await open().call('search_records', { collection: 'article', text: 'ELECTION', limit: 1 })
  const where = {
    OR: ['title', 'description', 'section'].map((name) => ({ [name]: { contains: 'election' } })),
  }
  assert.equal(total, reference.count(`${news}.article`, where))
  assert.ok(total > 0)
})

test('pages go on where the last ended, cut or not, and meet every record once', async () => {
  const agent = open()
  const seen: string[] = []
  let after: string | undefined
  do {
    const args = {
      collection: 'source',
      detail: 'full',
      limit: 20,
      ...(after === undefined ? {} : { after }),
    }
    const answer = await agent.call('search_records', args)
    assert.ok(answer.returned > 0)
    seen.push(...answer.records.map(({ uri }: Json) => uri))
    after = answer.after
  } while (after !== undefined)
  assert.equal(seen.length, of('source').length)
  assert.equal(new Set(seen).size, seen.length)
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

test('names are found however they are spelt', async () => {
  const agent = open()
  for (const [given, name, match] of [
    ['Harbour & Hill', 'Harbour & Hill', 'exact'],
    ['harbour', 'Harbour & Hill', 'starts'],
    ['traboules', 'Le Courrier des Traboules', 'contains'],
    ['Courier des Trabules', 'Le Courrier des Traboules', 'similar'],
    ['telar de merida', 'El Telar de Mérida', 'contains'],
    ['みなと夕', 'みなと夕刊', 'starts'],
  ] as const) {
    const { matches } = await agent.call('resolve_name', { name: given, collection: 'source' })
    assert.deepEqual([matches[0]?.name, matches[0]?.match], [name, match], given)
  }
  const { matches } = await agent.call('resolve_name', { name: 'qqqq xxxx', collection: 'source' })
  assert.deepEqual(matches, [])
})

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
    /an integer, and "many" is none/,
  ],
  [
    'search_records',
    { collection: 'article', filters: { title: { conains: 'x' } } },
    /did you mean "contains"/,
  ],
  ['search_records', { collection: 'article', filters: { authors: 'x' } }, /such as "authors\.name"/],
  [
    'search_records',
    { collection: 'article', filters: { source: 'Harbor & Hill' } },
    /The nearest: "Harbour & Hill"/,
  ],
  ['search_records', { collection: 'article', filters: { source: 'radio' } }, /more than one source "radio"/],
  ['search_records', { collection: 'article', sort: '-publishdAt' }, /Did you mean "publishedAt"/],
  ['search_records', { collection: 'article', sort: 'source.country' }, /sorted by its own fields/],
  ['search_records', { collection: 'article', since: 'last wek' }, /"last week" is/],
  ['search_records', { collection: 'article', after: 'page2' }, /no cursor/],
  [
    'aggregate',
    { collection: 'article', by: ['enrichment.sentiment'] },
    /Aggregate the collection "enrichment" instead/,
  ],
  ['aggregate', { collection: 'article', by: ['publishedAt:fortnight'] }, /hour, day, week, month, year/],
  [
    'aggregate',
    { collection: 'article', measures: ['mean:enrichment.impactLevel'] },
    /with "avg:impactLevel"/,
  ],
  ['aggregate', { collection: 'article', measures: ['avg:title'] }, /wordCount/],
  ['aggregate', { collection: 'article', order: 'cuont' }, /Did you mean "count"/],
  ['get_record', { uri: 'https://harbour-and-hill.example' }, /no AT-URI/],
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

test('data of any query is cut to the tokens that are asked for', async () => {
  const agent = open()
  const query = '{ techServiceNewsArticle(first: 100) { nodes { title description recordJson } } }'
  for (const most of [200, 1000, 4000, 20000]) {
    const answer = await agent.call('run_graphql', { query, max_tokens: most })
    const tokens = countTokens(JSON.stringify(answer))
    assert.ok(tokens <= most, `${tokens} of ${most}`)
    assert.equal(answer.cut[0].of, 100)
  }
})

test('every answer keeps to its budget when records hold the longest texts', async () => {
  const long = { ...engineEndpoint(service.engine) }
  const endless = (value: unknown): unknown => {
    if (typeof value === 'string' && /\S \S/.test(value)) return `${value} `.repeat(300)
    if (Array.isArray(value)) return value.map(endless)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, endless(inside)]))
  }
  const agent = createAgent(model, {
    async ask(question, signal) {
      const { data, ...rest } = await long.ask(question, signal)
      return { ...rest, data: endless(data) as Json }
    },
  })
  const calls: readonly (readonly [keyof typeof budgets, Json])[] = [
    ['describe', {}],
    ['describe', { collection: 'enrichment' }],
    ['describe', { collection: 'article', field: 'source' }],
    ['search_records', { collection: 'article', limit: 50 }],
    ['search_records', { collection: 'enrichment', limit: 50, detail: 'full' }],
    ['get_record', { uri: articles[0]?.uri }],
    ['aggregate', { collection: 'enrichment', by: ['article.source', 'topics'], limit: 500 }],
    ['resolve_name', { name: 'a', limit: 10 }],
    ['run_graphql', { query: '{ techServiceNewsSource(first: 50) { nodes { displayName description } } }' }],
  ]
  for (const [name, args] of calls) {
    const tokens = countTokens(JSON.stringify(await agent.call(name, args)))
    assert.ok(tokens <= budgets[name], `${name} ${JSON.stringify(args)} has ${tokens} tokens`)
  }
})
