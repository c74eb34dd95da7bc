/**
 * Real news, when they lie beside the checkout: what the service counts is what plain loops over the lines count.
 * The loops share nothing with the program but the folding of text, which the reference evaluator has its own of.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { inspect } from 'node:util'
import { gunzipSync } from 'node:zlib'
import type { Json } from './reference/shapes.ts'
import { devFile, devFiles, type DevCorpus, importDevCorpus, skip } from './support/records/dev-corpus.ts'
import { fold, parseInstant } from './reference/values.ts'

interface Corpus extends DevCorpus {
  /** Values of the records that are no mistakes, by their URI, in the order of the file. */
  readonly articles: ReadonlyMap<string, Json>
  readonly sources: ReadonlyMap<string, Json>
  readonly enrichments: ReadonlyMap<string, Json>
}

let opened: Promise<Corpus> | undefined
function open(): Promise<Corpus> {
  opened ??= importCorpus()
  return opened
}
after(async () => (await opened)?.[Symbol.asyncDispose]())

test('the corpus imports whole but for one record, whose URL is none', { skip }, async () => {
  const { imported, articles, sources, enrichments } = await open()
  assert.deepEqual([sources.size, articles.size, enrichments.size], [3368, 17_004, 10_736])
  assert.deepEqual(imported, {
    read: 31_109,
    stored: 31_108,
    updated: 0,
    unchanged: 0,
    older: 0,
    withheld: 0,
    purged: 0,
    expired: 0,
    refused: { 'invalid-record': 1 },
  })
  const { data } = await ask(`{ source: techServiceNewsSourceAggregate { count }
    article: techServiceNewsArticleAggregate { count } enrichment: techServiceNewsEnrichmentAggregate { count } }`)
  assert.deepEqual(
    [data.source.count, data.article.count, data.enrichment.count],
    [sources.size, articles.size, enrichments.size],
  )
})

test('articles are counted by language, each as often as a loop finds it', { skip }, async () => {
  const { articles } = await open()
  const expected = tally(articles.values(), ({ language }) => language ?? null)
  const { data } = await ask(
    '{ all: techServiceNewsArticleAggregate(groupBy: [language], limit: 1000) { count groupCount groups { language count } } }',
  )
  assert.deepEqual([data.all.count, data.all.groupCount], [articles.size, expected.size])
  assert.deepEqual(new Map(data.all.groups.map(({ language, count }: Json) => [language, count])), expected)
  for (const [language, count] of expected) {
    const { data } = await ask(
      'query ($where: TechServiceNewsArticleWhereInput) { list: techServiceNewsArticle(where: $where, first: 0) { totalCount } }',
      { where: { language: language === null ? { isNull: true } : { eq: language } } },
    )
    assert.equal(data.list.totalCount, count, String(language))
  }
})

test('articles are counted by outlet, and the outlet counts its own', { skip }, async () => {
  const { articles } = await open()
  const expected = tally(articles.values(), ({ source }) => source.uri)
  const { data } = await ask(
    '{ all: techServiceNewsArticleAggregate(groupBy: [source], limit: 1000) { groupCount groups { source count sourceResolved { ... on TechServiceNewsSource { uri techServiceNewsArticleViaSource(first: 0) { totalCount } } } } } }',
  )
  assert.equal(data.all.groupCount, expected.size)
  assert.equal(data.all.groups.length, 1000)
  for (const { source, count, sourceResolved } of data.all.groups) {
    assert.equal(count, expected.get(source))
    assert.equal(sourceResolved.uri, source)
    assert.equal(sourceResolved.techServiceNewsArticleViaSource.totalCount, count)
  }
  const counts = data.all.groups.map(({ count }: Json) => count)
  assert.deepEqual(counts, [...expected.values()].toSorted((a, b) => b - a).slice(0, 1000))
})

for (const needle of [
  'a',
  '%',
  'the',
  'THE',
  'élection',
  'Trump',
  'zzzz',
  '中',
  '中国',
  '国新',
  'ー',
  'москв',
  'ß',
  'ان',
  '"',
  'new york',
]) {
  test(`titles that contain ${needle} are as many as a loop finds`, { skip }, async () => {
    const texts = await foldedTexts()
    const folded = fold(needle)
    const { data } = await ask(
      `query ($x: String) {
        title: techServiceNewsArticle(where: {title: {contains: $x}}, first: 0) { totalCount }
        starts: techServiceNewsArticle(where: {title: {startsWith: $x}}, first: 0) { totalCount }
        either: techServiceNewsArticle(where: {OR: [{title: {contains: $x}}, {description: {contains: $x}}]}, first: 0) { totalCount } }`,
      { x: needle },
    )
    assert.deepEqual(
      [data.title.totalCount, data.starts.totalCount, data.either.totalCount],
      [
        count(texts, ({ title }) => title.includes(folded)),
        count(texts, ({ title }) => title.startsWith(folded)),
        count(texts, ({ title, description }) => title.includes(folded) || description.includes(folded)),
      ],
    )
  })
}

for (const direction of ['ASC', 'DESC'] as const) {
  for (const backwards of [false, true]) {
    const way = backwards ? 'backwards' : 'forwards'
    test(`paging ${way} by publishedAt ${direction} gives every article once, in order`, {
      skip,
    }, async () => {
      const { articles } = await open()
      const seen: { uri: string; publishedAt: string | null }[] = []
      const sortBy = `sortBy: [{field: publishedAt, direction: ${direction}}]`
      for await (const node of allArticles(sortBy, 'uri publishedAt', backwards)) seen.push(node)
      assert.equal(seen.length, articles.size)
      assert.deepEqual(new Set(seen.map(({ uri }) => uri)), new Set(articles.keys()))
      const instants = seen.map(({ publishedAt }) =>
        publishedAt === null ? null : parseInstant(publishedAt),
      )
      const isRising = (direction === 'ASC') !== backwards
      for (const [at, next] of instants.slice(1).entries())
        assert.ok(isRising ? !isBefore(next, instants[at]!) : !isBefore(instants[at]!, next))
    })
  }
}

let folding: Promise<readonly Json[]> | undefined
/** Folded once, because the plain way is slow. */
function foldedTexts(): Promise<readonly Json[]> {
  folding ??= open().then(({ articles }) =>
    [...articles.values()].map(({ title, description = '' }) => ({
      title: fold(title),
      description: fold(description),
    })),
  )
  return folding
}

/** A missing date is smaller than any. */
function isBefore(a: bigint | null, b: bigint | null): boolean {
  if (a === null || b === null) return a === null && b !== null
  return a < b
}

async function* allArticles(sortBy: string, selection: string, backwards = false): AsyncGenerator<Json> {
  const [size, from] = backwards ? ['last', 'before'] : ['first', 'after']
  for (let cursor: string | null = null, more = true; more; ) {
    const { data } = await ask(
      `query ($cursor: String) { page: techServiceNewsArticle(${size}: 100, ${from}: $cursor, ${sortBy}) {
        nodes { ${selection} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
      { cursor },
    )
    const { nodes, pageInfo } = data.page
    yield* backwards ? nodes.toReversed() : nodes
    more = backwards ? pageInfo.hasPreviousPage : pageInfo.hasNextPage
    cursor = backwards ? pageInfo.startCursor : pageInfo.endCursor
  }
}

async function ask(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<Json> {
  const answer = await (await open()).engine.execute({ query, variables })
  assert.ok(answer.kind === 'data', answer.kind === 'data' ? '' : inspect(answer.errors))
  return JSON.parse(new TextDecoder().decode(answer.body))
}

async function importCorpus(): Promise<Corpus> {
  return {
    ...(await importDevCorpus()),
    sources: readValues('sources'),
    articles: new Map([...readValues('articles')].filter(([, { url }]) => /^\w+:\/\/\S+$/.test(url))),
    enrichments: readValues('enrichments'),
  }
}

function readValues(name: (typeof devFiles)[number]): Map<string, Json> {
  const lines = gunzipSync(readFileSync(devFile(name)))
    .toString('utf8')
    .trim()
    .split('\n')
  return new Map(lines.map((line) => JSON.parse(line)).map(({ uri, value }) => [uri, value]))
}

function count(values: Iterable<Json>, holds: (value: Json) => boolean): number {
  return [...values].filter(holds).length
}

function tally<Key>(values: Iterable<Json>, keyOf: (value: Json) => Key): Map<Key, number> {
  const found = new Map<Key, number>()
  for (const value of values) found.set(keyOf(value), (found.get(keyOf(value)) ?? 0) + 1)
  return found
}
