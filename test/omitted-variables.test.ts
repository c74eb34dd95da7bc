/** A condition whose variable is left out is left out too, upwards; literals and null keep their meaning. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeCorpora, corpusNamed } from './golden/corpora.ts'

after(closeCorpora)
const { service } = await corpusNamed('demo', 'sqlite')

const types = { s: 'String', n: 'Int', w: 'TechServiceNewsArticleWhereInput' }

async function execute(where: string, variables: Readonly<Record<string, unknown>> = {}) {
  const used = Object.entries(types).filter(([name]) => new RegExp(`\\$${name}\\b`).test(where))
  const declared = used.map(([name, type]) => `$${name}: ${type}`).join(', ')
  const query = `query ${declared === '' ? '' : `(${declared})`} {
    techServiceNewsArticle(where: ${where}) { totalCount }
    techServiceNewsArticleAggregate(where: ${where}, denominator: ${where}) { count total }
  }`
  const answer = await service.engine.execute({ query, variables })
  return answer.kind === 'data' ? JSON.parse(new TextDecoder().decode(answer.body)).data : answer.kind
}

const left = 'language: {eq: "en"}'
const omitted = [
  'title: {eq: $s}',
  'source: {country: {eq: $s}}',
  'source: {uri: {eq: $s}}',
  'techServiceNewsEnrichmentViaArticle: {some: {sentiment: {eq: $s}}}',
  'techServiceNewsEnrichmentViaArticle: {none: {sentiment: {eq: $s}, impactLevel: {gt: $n}}}',
  'techServiceNewsEnrichmentViaArticle: {count: {gte: $n}}',
  'tags: {has: $s}',
  'authors: {some: {name: {contains: $s}}}',
  'image: {width: {gt: $n}}',
  'NOT: {title: {eq: $s}}',
  'NOT: {NOT: {source: {NOT: {country: {eq: $s}}}}}',
  'AND: [{title: {eq: $s}}, {NOT: {title: {eq: $s}}}]',
  'OR: [{title: {eq: $s}}, {AND: [{wordCount: {gt: $n}}]}]',
  'NOT: $w',
]

test('what only has omitted variables is left out, wherever it stands', async () => {
  const [all, some] = [await execute('{}'), await execute(`{${left}}`)]
  assert.ok(all.techServiceNewsArticle.totalCount > some.techServiceNewsArticle.totalCount)
  for (const condition of omitted) {
    assert.deepEqual(await execute(`{${condition}}`), all, condition)
    assert.deepEqual(await execute(`{${left}, ${condition}}`), some, condition)
    assert.deepEqual(await execute(`{OR: [{${condition}}, {${left}}]}`), some, condition)
    assert.deepEqual(await execute(`{AND: [{${condition}}, {${left}}]}`), some, condition)
  }
})

test('a variable that is given says the same as its value', async () => {
  for (const value of ['negative', 'neutral'])
    assert.deepEqual(
      await execute('{techServiceNewsEnrichmentViaArticle: {some: {sentiment: {eq: $s}}}}', { s: value }),
      await execute(`{techServiceNewsEnrichmentViaArticle: {some: {sentiment: {eq: "${value}"}}}}`),
    )
  assert.deepEqual(await execute('$w', { w: { OR: [] } }), await execute('{OR: []}'))
})

test('literals keep their meaning, and null is refused', async () => {
  const all = (await execute('{}')).techServiceNewsArticle.totalCount
  assert.equal((await execute('{OR: []}')).techServiceNewsArticle.totalCount, 0)
  const referred = (await execute('{techServiceNewsEnrichmentViaArticle: {some: {}}}')).techServiceNewsArticle
  assert.ok(referred.totalCount < all)
  assert.notEqual(await execute('{title: {eq: $s}}', { s: null }), all)
  assert.equal(typeof (await execute('{title: {eq: $s}}', { s: null })), 'string')
})
