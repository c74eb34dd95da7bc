import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newsLexicons } from '../../../test/golden/corpora.ts'
import { modelOf } from '../../../test/support/service/agents.ts'
import { createSubjects } from '../fields/subject.ts'
import { chartParameters, viewParameters } from './parameters.ts'
import { readView, writeView } from './view.ts'
import { whereOf } from './where.ts'

const news = createSubjects(modelOf(newsLexicons.documents, newsLexicons.references))
const article = news.of('tech.service.news.article')!
const read = (query: string) => readView([...new URLSearchParams(query)], article)

test('a written view reads as the same address', () => {
  const addresses = [
    'q=storm+flood&language=en&language=fr&section.not=sport&sort=-wordCount&show=table&columns=title,language',
    'publishedAt=2026-11-01&publishedAt.to=2026-11-30&tags.all=climate&tags.all=policy',
    'source_country=GB&techServiceNewsEnrichmentViaArticle.sentiment=negative&image_width.from=800',
    'isAccessibleForFree=true&description.missing=1&facets=language,tags&after=abc',
  ]
  for (const address of addresses) {
    const { view, problems } = read(address)
    assert.deepEqual([writeView(view), problems], [address, []])
  }
  // A value that an address has twice is one value.
  assert.equal(writeView(read('language=en&language=fr&language=en').view), 'language=en&language=fr')
})

test('conditions become a where', () => {
  const { view } = read(
    'language=en&language=fr&tags=climate&section.not=sport&source_country=GB&publishedAt.from=2026-11-01&publishedAt.to=2026-11-30&techServiceNewsEnrichmentViaArticle.sentiment=negative&techServiceNewsEnrichmentViaArticle.impactLevel.from=8',
  )
  assert.deepEqual(whereOf(view.conditions), {
    language: { in: ['en', 'fr'] },
    tags: { has: 'climate' },
    source: { country: { eq: 'GB' } },
    publishedAt: { gte: '2026-11-01', lt: '2026-12-01' },
    techServiceNewsEnrichmentViaArticle: { some: { sentiment: { eq: 'negative' }, impactLevel: { gte: 8 } } },
    AND: [{ NOT: { section: { eq: 'sport' } } }],
  })
})

test('an address that means nothing is refused with what it may be', () => {
  const kinds = (query: string) => read(query).problems.map(({ kind }) => kind)
  assert.deepEqual(kinds('colour=red'), ['unknownParameter'])
  assert.deepEqual(kinds('language.from=en&wordCount=many'), ['notInteger'])
  assert.deepEqual(kinds('publishedAt.contains=2026'), ['unknownOperator'])
  const wrong = kinds('publishedAt.from=2026-13-01&show=map&sort=title.x')
  assert.deepEqual(wrong, ['notTime', 'unknownChoice', 'unknownChoice'])
  assert.deepEqual(kinds('language=&q='), [])
})

test('a time must exist', () => {
  const days = ['2026-02-30', '2025-02-29', '0000-01-01']
  for (const time of [...days, '2026-02-30T00:00:00Z', '2026-11-30T12:00Z', '0001-01-01T00:00:00+01:00']) {
    const { problems } = read(`publishedAt.from=${encodeURIComponent(time)}`)
    assert.deepEqual(problems, [{ kind: 'notTime', name: 'publishedAt', value: time }])
  }
  const { view, problems } = read('publishedAt.from=0001-01-01&publishedAt.to=9999-12-31')
  assert.deepEqual(problems, [])
  assert.deepEqual(whereOf(view.conditions), {
    publishedAt: { gte: '0001-01-01', lte: '9999-12-31T23:59:59.999999Z' },
  })
})

test('a field with the name of a parameter is written with its operator', () => {
  // A record's `top` is grouped by as `record_top`.
  const names = ['lang', ...viewParameters, ...chartParameters].filter((name) => name !== 'top')
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  const record = { type: 'record', key: 'tid', record: { type: 'object', properties } }
  const model = modelOf([{ lexicon: 1, id: 'org.example.odd', defs: { main: record } }], {})
  const [odd] = createSubjects(model).all
  assert.ok(odd)
  for (const name of names) {
    const { view, problems } = readView([[`${name}.is`, 'x']], odd)
    assert.deepEqual([problems, writeView(view)], [[], `${name}.is=x`])
  }
})
