/** Addresses and the views that they mean, and every operator of every field, of lexicons with every kind of field. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GraphQLInputType, validateInputValue } from 'graphql'
import { recordDoc } from '../../../test/support/lexicons/documents.ts'
import { newsLexicons } from '../../../test/golden/corpora.ts'
import { modelOf } from '../../../test/support/service/agents.ts'
import { libraryLexicons, libraryReferences } from '../../../test/support/records/lexicons.ts'
import { collectionAddress } from '../addresses.ts'
import { buildGraphQLSchema } from '../../schema/graphql/graphql.ts'
import type { ShownField } from '../fields/shown-field.ts'
import { createSubjects, type PageSubject } from '../fields/subject.ts'
import { type Operator, operatorsOf } from '../../ask/fields.ts'
import { chartParameters, viewParameters } from './parameters.ts'
import { readView, type View, writeView } from './view.ts'
import { type Where, whereOf } from '../../ask/where.ts'

const newsModel = modelOf(newsLexicons.documents, newsLexicons.references, newsLexicons.stories)
const article = createSubjects(newsModel).of('tech.service.news.article')!
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
    NOT: { section: { eq: 'sport' } },
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

test('the address of a view is one that reads as the view, or there is none', () => {
  const { view: all } = read('')
  const { nsid } = article.collection
  const many = (size: number) => Array.from({ length: size }, (_, at) => `v${at}`)
  const cases: readonly (readonly [has: boolean, field: string, operator: Operator, ...values: string[]])[] =
    [
      [true, 'language', 'is', 'x'.repeat(1_000)],
      [false, 'language', 'is', 'x'.repeat(1_001)],
      // As browsers count the characters of an input.
      [true, 'language', 'not', '𝒳'.repeat(500)],
      [false, 'language', 'not', '𝒳'.repeat(501)],
      [false, 'tags', 'is', ' '],
      [false, 'tags', 'from', 'a'],
      [true, 'tags', 'all', ...many(100)],
      [false, 'tags', 'all', ...many(101)],
      [true, 'wordCount', 'is', `${2 ** 31 - 1}`],
      [true, 'wordCount', 'from', `-${2 ** 31 - 1}`],
      [false, 'wordCount', 'is', `${2 ** 31}`],
      // Each is short enough; the address would be longer than the service reads.
      [false, 'tags', 'is', 'é'.repeat(1_000), 'ö'.repeat(1_000), 'ü'.repeat(1_000)],
    ]
  for (const [has, name, operator, ...values] of cases) {
    const view: View = { ...all, conditions: [{ field: article.fields.get(name)!, operator, values }] }
    const address = collectionAddress(nsid, view)
    assert.equal(address !== null, has, `${name}.${operator}=${values.join(' ')}`)
    if (address !== null) assert.deepEqual(read(address.split('?')[1] ?? ''), { view, problems: [] })
  }
  assert.equal(collectionAddress(nsid, { ...all, search: 'x'.repeat(1_001) }), null)
})

test('a field with the name of a parameter is written with its operator', () => {
  // A record's `top` is grouped by as `record_top`.
  const names = ['lang', ...viewParameters, ...chartParameters].filter((name) => name !== 'top')
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  const model = modelOf([recordDoc('org.example.odd', properties)], {})
  const [odd] = createSubjects(model).all
  assert.ok(odd)
  for (const name of names) {
    const { view, problems } = readView([[`${name}.is`, 'x']], odd)
    assert.deepEqual([problems, writeView(view)], [[], `${name}.is=x`])
    const bare = readView([[name, 'x']], odd)
    if (!viewParameters.some((each) => each === name))
      assert.deepEqual(bare.problems[0], { kind: 'reservedName', name, condition: `${name}.is` })
  }
})

const models = [newsModel, modelOf(libraryLexicons, libraryReferences)]
const samples: Readonly<Record<string, readonly string[]>> = {
  string: ['a', 'b&c=d,"e" f'],
  integer: ['-3', '12'],
  boolean: ['true', 'false'],
  datetime: ['2026-11-01', '2026-11-30T12:00:00.5+01:00'],
  strongRef: ['at://did:plc:abc/org.example.book/1', 'at://did:plc:abc/org.example.book/2'],
  atUri: ['at://did:plc:abc/org.example.book/1', 'at://did:plc:abc/org.example.book/2'],
}

function valuesFor(field: ShownField, operator: Operator): readonly (readonly string[])[] {
  if (operator === 'missing') return [['0'], ['1']]
  const [one = '', other = ''] = samples[field.type.kind] ?? []
  return operator === 'is' || operator === 'not' || operator === 'all'
    ? [[one], [one, other]]
    : [[one], [other]]
}

function conditionsOn(subject: PageSubject): View['conditions'] {
  return [...subject.fields.values()].flatMap((field) =>
    operatorsOf(field).flatMap((operator) =>
      valuesFor(field, operator).map((values) => ({ field, operator, values })),
    ),
  )
}

test('every condition reads as it was written, and becomes a where of the schema, with others on its field too', () => {
  for (const model of models) {
    const schema = buildGraphQLSchema(model)
    for (const subject of createSubjects(model).all) {
      const { args } = schema.getQueryType()?.getFields()[subject.collection.rootField] ?? { args: [] }
      const type = args.find(({ name }) => name === 'where')?.type as GraphQLInputType
      const { view: empty } = readView([], subject)
      const all = conditionsOn(subject)
      for (const condition of all) {
        const view: View = { ...empty, conditions: [condition] }
        const address = writeView(view)
        const read = readView([...new URLSearchParams(address)], subject)
        assert.deepEqual([read.problems, read.view], [[], view], address)
        assertValid(whereOf(view.conditions), type)
      }
      for (const conditions of Map.groupBy(all, ({ field }) => field.name).values()) {
        const where = whereOf(conditions)
        assertValid(where, type)
        // A missing value may be asked for twice: where there is no element, and in an element.
        assert.ok(operatorsIn(where) >= conditions.length, JSON.stringify(where))
      }
    }
  }
})

function assertValid(where: Where, type: GraphQLInputType): void {
  validateInputValue(where, type, (error, path) =>
    assert.fail(`${JSON.stringify(where)} at ${path.join('.')}: ${error.message}`),
  )
}

/** The number of operators in the objects and lists of a where. */
function operatorsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return Object.entries(value).reduce(
    (sum, [name, inner]) => sum + (leaves.has(name) ? 1 : operatorsIn(inner)),
    0,
  )
}

const leaves = new Set('eq in has hasAny hasAll isNull gte lte lt contains startsWith matches'.split(' '))
