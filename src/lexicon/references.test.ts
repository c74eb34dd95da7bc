/** Reference targets: what they may name, and what they are refused for. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  lexiconsOf,
  problemsOf,
  recordDoc,
  ref,
  strongRef,
  text,
} from '../../test/support/lexicons/documents.ts'

const article = recordDoc(
  'a.b.article',
  {
    source: strongRef,
    title: text,
    also: { type: 'array', items: { type: 'string', format: 'at-uri' } },
    box: ref('#box'),
    boxes: { type: 'array', items: ref('#box') },
    either: { type: 'union', refs: ['#box'] },
    moved: ref('#uri'),
  },
  {
    box: { type: 'object', properties: { to: strongRef, inner: ref('#box') } },
    uri: { type: 'string', format: 'at-uri' },
  },
)
const shapes = { lexicon: 1, id: 'a.b.shapes', defs: { main: { type: 'object', properties: {} } } }

test('reference targets may name nested properties, arrays, and collections that are not served', () => {
  const references = {
    'a.b.article#source': ['a.b.article', 'a.b.article'],
    'a.b.article#boxes.inner.inner.to': ['org.elsewhere.thing'],
    'a.b.article#also': [],
    'a.b.article#moved': [],
  }
  assert.deepEqual(
    [...lexiconsOf([article], references).targets],
    [
      ['a.b.article#also', []],
      ['a.b.article#boxes.inner.inner.to', ['org.elsewhere.thing']],
      ['a.b.article#moved', []],
      ['a.b.article#source', ['a.b.article']],
    ],
  )
})

const wrongTargets: Readonly<Record<string, [references: unknown, problem: RegExp, remedy?: RegExp]>> = {
  'a list': [[], /no JSON object/, /Write an object/],
  null: [null, /no JSON object/],
  'a key without a property': [{ 'a.b.article': [] }, /does not name a property/, /"a\.b\.article#source"/],
  'an unknown collection': [
    { 'a.b.artcle#source': [] },
    /"a\.b\.artcle" is no record type/,
    /Did you mean "a\.b\.article"\?/,
  ],
  'a lexicon that is no record': [{ 'a.b.shapes#x': [] }, /"a\.b\.shapes" is no record type/],
  'an unknown property': [{ 'a.b.article#sorce': [] }, /no property "sorce"/, /Did you mean "source"\?/],
  'an inherited name': [{ 'a.b.article#toString': [] }, /no property "toString"/],
  'an unknown nested property': [
    { 'a.b.article#box.two': [] },
    /a\.b\.article#box has no property "two"/,
    /Did you mean "to"\?/,
  ],
  'a path beyond a scalar': [
    { 'a.b.article#title.x': [] },
    /of type "string" and has no properties/,
    /Shorten/,
  ],
  'a path into a union': [{ 'a.b.article#either.to': [] }, /inside unions/, /Remove the entry/],
  'a path into a strongRef': [
    { 'a.b.article#source.uri': [] },
    /is a strongRef itself/,
    /Write "a\.b\.article#source"/,
  ],
  'a property that is no reference': [{ 'a.b.article#title': [] }, /neither a strongRef nor/],
  'an object': [{ 'a.b.article#box': [] }, /neither a strongRef nor/],
  'targets that are no list': [
    { 'a.b.article#source': 'a.b.article' },
    /no list of collections/,
    /an empty list means/,
  ],
  'a target that is no NSID': [
    { 'a.b.article#source': ['article'] },
    /"article" is no NSID/,
    /a\.b\.article/,
  ],
  'a target that is no record type': [
    { 'a.b.article#source': ['a.b.shapes'] },
    /"a\.b\.shapes" is no record type/,
  ],
}
for (const [what, [references, problem, remedy = /./]] of Object.entries(wrongTargets))
  test(`refused as reference targets: ${what}`, () => {
    const problems = problemsOf([article, shapes], references)
    assert.equal(problems.length, 1, JSON.stringify(problems))
    assert.equal(problems[0]!.file, 'references.json')
    assert.match(problems[0]!.problem, problem)
    assert.match(problems[0]!.remedy, remedy)
  })
