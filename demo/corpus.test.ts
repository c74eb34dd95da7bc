import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { cidForLex, type LexValue } from '@atproto/lex-cbor'
import { type LexiconDoc, Lexicons } from '@atproto/lexicon'
import { isValidAtUri, isValidTid } from '@atproto/syntax'
import { timeOfTid } from '../src/util/instant.ts'
import { buildDemoCorpus } from './corpus.ts'
import type { DemoRecord, StrongRef } from './record.ts'
import { stories } from './stories.ts'

type Value = Record<string, unknown>

const records = [...buildDemoCorpus()]
const byUri = new Map(records.map((record) => [record.uri, record]))
const sources = valuesOf('tech.service.news.source')
const articles = valuesOf('tech.service.news.article')
const enrichments = valuesOf('tech.service.news.enrichment')

function recordsOf(collection: string): DemoRecord[] {
  return records.filter(({ uri }) => uri.split('/')[3] === collection)
}

function valuesOf(collection: string): Value[] {
  return recordsOf(collection).map(({ value }) => value as Value)
}

function distinct(values: readonly Value[], property: string): Set<unknown> {
  return new Set(values.map((value) => value[property]).filter((value) => value !== undefined))
}

function readLexicon(name: string): LexiconDoc {
  return JSON.parse(
    readFileSync(new URL(`../lexicons/tech/service/news/${name}.json`, import.meta.url), 'utf8'),
  )
}

const strongRef: LexiconDoc = {
  lexicon: 1,
  id: 'com.atproto.repo.strongRef',
  defs: {
    main: {
      type: 'object',
      required: ['uri', 'cid'],
      properties: { uri: { type: 'string', format: 'at-uri' }, cid: { type: 'string', format: 'cid' } },
    },
  },
}

test('the corpus is as large and as varied as it says', () => {
  assert.ok(sources.length >= 40)
  assert.ok(distinct(sources, 'country').size >= 12)
  assert.ok(distinct(articles, 'title').size >= 600)
  assert.equal([...distinct(articles, 'language')].toSorted().join(), 'ar,de,en,es,fr,hi,ja,pt,ru,zh')
  assert.ok(enrichments.length >= 700)
  assert.equal(new Set(records.map(({ uri }) => uri.split('/')[2])).size, 3)
  const publishers = new Set(articles.map(({ source }) => (source as StrongRef).uri))
  assert.equal(publishers.size, sources.length)
})

test('some articles are undated, repeat another, or have several enrichments or none', () => {
  const analyses = Map.groupBy(enrichments, ({ article }) => (article as StrongRef).uri)
  const models = [...analyses.values()].map((values) => distinct(values, 'model').size)
  assert.ok(articles.filter(({ publishedAt }) => publishedAt === undefined).length >= 20)
  assert.ok(articles.filter(({ duplicateOf }) => byUri.has(String(duplicateOf))).length >= 5)
  assert.ok(articles.every(({ duplicateOf }) => duplicateOf === undefined || byUri.has(String(duplicateOf))))
  assert.ok(models.filter((count) => count === 2).length >= 100)
  assert.ok(recordsOf('tech.service.news.article').filter(({ uri }) => !analyses.has(uri)).length >= 20)
})

test('every record fits its lexicon', () => {
  const lexicons = new Lexicons([strongRef, ...['article', 'source', 'enrichment'].map(readLexicon)])
  for (const { value } of records) lexicons.assertValidRecord((value as { $type: string }).$type, value)
})

test('every known value of the lexicons occurs, and every property of enrichments', () => {
  assertKnownValues(readLexicon('source'), 'main', sources)
  assertKnownValues(readLexicon('article'), 'main', articles)
  const lexicon = readLexicon('enrichment')
  assertKnownValues(lexicon, 'main', enrichments)
  for (const name of Object.keys(propertiesOf(lexicon, 'main')))
    assert.ok(distinct(enrichments, name).size > 0, `${name} never occurs.`)
})

test('every kind of story is told', () => {
  const told = new Set(enrichments.map(({ storyId }) => String(storyId).split('-')[0]))
  assert.deepEqual([...told].toSorted(), stories.map(({ kind }) => kind).toSorted())
})

test('two runs are equal', () => {
  assert.deepEqual([...buildDemoCorpus()], records)
})

test('every record has a valid address of its own, and its true CID', async () => {
  assert.equal(byUri.size, records.length)
  for (const { uri, cid, value } of records) {
    assert.ok(isValidAtUri(uri), uri)
    assert.equal((await cidForLex(value as LexValue)).toString(), cid)
  }
})

test('references are true, but for one to an outdated version and one to nothing', () => {
  const references = [
    ...articles.map(({ source }) => source),
    ...enrichments.map(({ article }) => article),
  ] as StrongRef[]
  const wrong = references.filter(({ uri, cid }) => byUri.get(uri)?.cid !== cid)
  assert.deepEqual(wrong.map(({ uri }) => byUri.has(uri)).toSorted(), [false, true])
})

test('record keys of articles and enrichments are TIDs that grow with time', () => {
  for (const collection of ['tech.service.news.article', 'tech.service.news.enrichment']) {
    const keys = recordsOf(collection).map(({ uri }) => uri.split('/')[4] ?? '')
    const times = valuesOf(collection).map(({ createdAt }) => String(createdAt))
    assert.ok(keys.every(isValidTid))
    assert.deepEqual(keys, [...new Set(keys)].toSorted())
    assert.deepEqual(times, times.toSorted())
  }
})

test('every record has the revision of a commit just before it was indexed', () => {
  for (const { rev, indexedAt } of records) {
    assert.ok(isValidTid(rev))
    assert.equal(Number(timeOfTid(rev)) / 1_000, Date.parse(indexedAt) - 1_000)
  }
})

test('the articles fill the 60 days up to 15 November 2026', () => {
  const days = new Set(articles.map(({ createdAt }) => String(createdAt).slice(0, 10)))
  assert.ok(days.size >= 60)
  assert.equal([...days].at(-1), '2026-11-15')
})

test('some words are common and some are rare', () => {
  const titles = articles.flatMap(({ language, title }) => (language === 'en' ? [String(title)] : []))
  const count = (word: string) => titles.filter((title) => title.toLowerCase().includes(word)).length
  assert.ok(count('election') >= 8)
  assert.ok(count('climate') >= 6)
  assert.equal(count('quokka'), 1)
})

test('the page about the corpus gives its true counts', () => {
  const page = readFileSync(new URL('../docs/demo-corpus.md', import.meta.url), 'utf8')
  const having = (name: string) => articles.filter((article) => name in article).length
  for (const said of [
    `| ${sources.length} | in ${distinct(sources, 'country').size} countries`,
    `| ${articles.length} | in 10 languages`,
    `| ${enrichments.length} | by two invented models`,
    `- ${articles.length - having('publishedAt')} articles without`,
    `- ${having('duplicateOf')} articles that repeat`,
  ])
    assert.ok(page.includes(said), said)
})

interface Property {
  readonly type: string
  readonly knownValues?: readonly string[]
  readonly ref?: string
  readonly items?: Property
}

function propertiesOf(document: LexiconDoc, definition: string): Record<string, Property> {
  const found = document.defs[definition] as
    | { record?: { properties: object }; properties?: object }
    | undefined
  return (found?.record?.properties ?? found?.properties ?? {}) as Record<string, Property>
}

/** Known values occur, also those of the objects in arrays and references. */
function assertKnownValues(document: LexiconDoc, definition: string, values: readonly Value[]): void {
  for (const [name, property] of Object.entries(propertiesOf(document, definition))) {
    const present = values.map((value) => value[name]).filter((value) => value !== undefined)
    for (const known of property.knownValues ?? []) {
      assert.ok(present.includes(known), `${definition}.${name} never is "${known}".`)
    }
    const ref = property.items?.ref ?? property.ref
    if (ref?.startsWith('#')) assertKnownValues(document, ref.slice(1), present.flat() as Value[])
  }
}
