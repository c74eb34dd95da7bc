/** Reference targets: what they may name, and what they are refused for. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { schemas } from '@atproto/api'
import {
  lexiconsOf,
  problemsOf,
  recordDoc,
  ref,
  strongRef,
  text,
} from '../../test/support/lexicons/documents.ts'

test('documents come sorted by id, with the strongRef lexicon among them', () => {
  const { documents } = lexiconsOf([recordDoc('org.b.c', { to: strongRef }), recordDoc('a.b.c', {})])
  assert.deepEqual(
    documents.map((document) => document.id),
    ['a.b.c', 'com.atproto.repo.strongRef', 'org.b.c'],
  )
})

test('the lexicons of the network load as their library exports them', () => {
  const { documents } = lexiconsOf(schemas)
  assert.equal(documents.length, schemas.length)
  assert.ok(!JSON.stringify(documents).includes('"ref":"lex:'))
})

test('the documents that are handed in stay as they were', () => {
  const document = recordDoc('a.b.c', { to: ref('lex:a.b.c#x') }, { x: text })
  const before = structuredClone(document)
  lexiconsOf([document])
  assert.deepEqual(document, before)
})

test('references resolve with hash, without hash, and within the document', () => {
  const object = { type: 'object', properties: {} }
  const other = { lexicon: 1, id: 'a.b.other', defs: { main: object, x: text, y: { type: 'token' } } }
  const refs = ['a.b.other', 'a.b.other#main', 'a.b.other#x', 'a.b.other#y', '#own']
  const properties = Object.fromEntries(refs.map((to, at) => [`p${at}`, ref(to)]))
  const union = { type: 'union', refs: ['a.b.other', 'a.b.other#main', '#own'] }
  assert.deepEqual(problemsOf([recordDoc('a.b.c', { ...properties, union }, { own: object }), other]), [])
})

test('a property called type or ref is no reference', () => {
  assert.deepEqual(problemsOf([recordDoc('a.b.c', { type: text, ref: text, refs: text })]), [])
})

test('every problem is reported at once', () => {
  const problems = problemsOf([
    recordDoc('a.b.c', { to: ref('a.b.nowhere') }),
    { lexicon: 2, id: 'no', defs: {} },
    recordDoc('a.b.c', {}),
  ])
  assert.deepEqual(
    problems.map(({ file, path }) => `${file} ${path}`),
    ['1.json lexicon', '1.json id', '2.json id', '0.json defs.main.record.properties.to.ref'],
  )
})

const x = 'defs.main.record.properties.x'
const having = (type: object, defs: object) => [recordDoc('a.b.c', { x: type }, defs)]
/** By what is wrong: documents, or the type of a property `x`; where it stands, the problem and the remedy. */
const broken: Readonly<Record<string, [given: object, path: string, problem: RegExp, remedy?: RegExp]>> = {
  'an unknown type, where it stands': [
    { type: 'widget' },
    `${x}.type`,
    /^"widget" is not a type of the lexicon language\.$/,
    /^Write array, boolean, integer, string, unknown, bytes, cid-link, ref, union or blob\.$/,
  ],
  'a number with fractions': [
    { type: 'float' },
    `${x}.type`,
    /^"float" is not a type of the lexicon language\.$/,
    /^Write \{"type": "integer"\}, scaled such as to thousandths, or \{"type": "string"\}: records have no fractions\.$/,
  ],
  'a moment': [
    { type: 'datetime' },
    `${x}.type`,
    /^"datetime" is not a type/,
    /^Write \{"type": "string", "format": "datetime"\}\.$/,
  ],
  'a type that is nearly spelt as one': [
    { type: 'array', items: { type: 'strng' } },
    `${x}.items.type`,
    /^"strng" is not a type/,
    /^Write \{"type": "string"\}\.$/,
  ],
  'a property without a type': [
    { description: 'Something.' },
    `${x}.type`,
    /^A type is missing\.$/,
    /^Write array, boolean,/,
  ],
  'an object in the place of a property': [
    { type: 'object', properties: {} },
    `${x}.type`,
    /^An object cannot be defined inside another definition\.$/,
    /^Move it to "defs", such as under "x", and refer to it: \{"type": "ref", "ref": "#x"\}\.$/,
  ],
  'an array in an array': [
    { type: 'array', items: { type: 'array', items: text } },
    `${x}.items.type`,
    /^An array cannot be defined inside another definition\.$/,
    /"#x"\}\.$/,
  ],
  'a required property that is not defined': [
    [
      {
        lexicon: 1,
        id: 'a.b.c',
        defs: { main: { type: 'record', record: { type: 'object', required: ['x'], properties: {} } } },
      },
    ],
    'defs.main.record.required',
    /^"x" is required, and is not among "properties"\.$/,
  ],
  'a document that is no object': [[['a.b.c']], '', /^\["a\.b\.c"\] is not an object\.$/, /not a lexicon\.$/],
  'an id that another file has': [
    [recordDoc('a.b.c', {}), recordDoc('a.b.c', { x: text })],
    'id',
    /^The id "a\.b\.c" is already that of 0\.json\.$/,
    /Remove one/,
  ],
  'a reference to a missing document, with the nearest id': [
    [recordDoc('org.example.article', { x: ref('org.example.artcile') })],
    `${x}.ref`,
    /^"org\.example\.artcile" does not resolve: no lexicon of that id is here\.$/,
    /^Did you mean "org\.example\.article"\? Add the lexicon, or correct the reference\.$/,
  ],
  'a reference to a missing definition, with the nearest one': [
    having({ type: 'array', items: ref('a.b.c#auhtor') }, { author: text }),
    `${x}.items.ref`,
    /"a\.b\.c" has no such definition/,
    /^Did you mean "a\.b\.c#author"\?/,
  ],
  'a local reference without its hash': [
    having(ref('author'), { author: text }),
    `${x}.ref`,
    /"author" does not resolve/,
    /^Did you mean "#author"\?/,
  ],
  'a name that every object inherits': [ref('#constructor'), `${x}.ref`, /"a\.b\.c" has no such definition/],
  'a reference with two hashes': [having(ref('a.b.c#x#y'), { x: text }), `${x}.ref`, /does not resolve/],
  'a missing member of an open union, which could do without it': [
    having(
      { type: 'union', refs: ['a.b.c#ok', 'com.example.gone'] },
      { ok: { type: 'object', properties: {} } },
    ),
    `${x}.refs.1`,
    /"com\.example\.gone" \(a member of an open union\) does not resolve/,
    /leave the member out: an open union accepts types it does not name/,
  ],
  'a missing member of a closed union': [
    { type: 'union', closed: true, refs: ['com.example.gone'] },
    `${x}.refs.0`,
    /\(a member of a closed union\)/,
    /^Add the lexicon, or correct the reference\.$/,
  ],
  'a reference to a query': [
    [
      recordDoc('a.b.c', { x: ref('a.b.find') }),
      { lexicon: 1, id: 'a.b.find', defs: { main: { type: 'query' } } },
    ],
    `${x}.ref`,
    /"a\.b\.find" is a query, which is no type of data/,
    /Refer to an object/,
  ],
  'an array of nothing but itself': [
    having(ref('#list'), { list: { type: 'array', items: ref('#list') } }),
    'defs.list.items',
    /nothing but arrays of itself/,
  ],
  'another lexicon under the name of the built-in one': [
    [
      recordDoc('a.b.c', {}),
      {
        lexicon: 1,
        id: 'com.atproto.repo.strongRef',
        defs: { main: { type: 'object', properties: { uri: text } } },
      },
    ],
    '',
    /is built in, and this document says something else/,
    /Remove the file/,
  ],
  'a document without its version, with the word in its place': [
    [{ lexcon: 1, id: 'a.b.c', defs: {} }],
    'lexicon',
    /^"lexicon" is missing\.$/,
    /^Did you write "lexcon" instead of "lexicon"\?/,
  ],
  'a format of other languages': [
    { type: 'string', format: 'date' },
    `${x}.format`,
    /^"date" is not a format of the lexicon language\.$/,
    /^Did you mean "datetime"\? Write datetime, uri, /,
  ],
  'no record type': [
    [{ lexicon: 1, id: 'a.b.c', defs: { x: text } }],
    '',
    /nothing to serve/,
    /of type "record"/,
  ],
}
for (const [what, [given, path, problem, remedy = /./]] of Object.entries(broken))
  test(`refused: ${what}`, () => {
    const problems = problemsOf(Array.isArray(given) ? given : [recordDoc('a.b.c', { x: given })])
    assert.equal(problems.length, 1, JSON.stringify(problems))
    assert.equal(problems[0]!.path, path)
    assert.match(problems[0]!.problem, problem)
    assert.match(problems[0]!.remedy, remedy)
  })

test('references to a document that is refused itself are not reported as well', () => {
  const problems = problemsOf([
    recordDoc('a.b.c', { x: ref('a.b.bad') }),
    recordDoc('a.b.bad', { y: { type: 'nope' } }),
  ])
  assert.deepEqual(
    problems.map((problem) => problem.file),
    ['1.json'],
  )
})

test('the published strongRef lexicon is accepted, whatever its descriptions', () => {
  const published = schemas.find((schema) => schema.id === 'com.atproto.repo.strongRef')!
  const described = { ...structuredClone(published), description: 'Something else.' }
  const withPublished = lexiconsOf([recordDoc('a.b.c', {}), described])
  assert.equal(withPublished.fingerprint, lexiconsOf([recordDoc('a.b.c', {})]).fingerprint)
})

test('the fingerprint ignores order of files and keys, and nothing else', () => {
  const one = recordDoc('a.b.c', { x: text, y: strongRef })
  const reordered = recordDoc('a.b.c', { y: strongRef, x: text })
  const two = recordDoc('a.b.d', {})
  const { fingerprint } = lexiconsOf([one, two])
  assert.match(fingerprint, /^[0-9a-f]{64}$/)
  assert.equal(lexiconsOf([two, reordered]).fingerprint, fingerprint)
  assert.notEqual(lexiconsOf([one]).fingerprint, fingerprint)
  assert.notEqual(lexiconsOf([recordDoc('a.b.c', { x: text, z: strongRef }), two]).fingerprint, fingerprint)
  assert.notEqual(lexiconsOf([one, two], { 'a.b.c#y': ['a.b.d'] }).fingerprint, fingerprint)
})

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

/** By what is wrong: the references, or the one that has no targets; the problem and the remedy. */
const wrongTargets: Readonly<Record<string, [references: unknown, problem: RegExp, remedy?: RegExp]>> = {
  'a list': [[], /no JSON object/, /Write an object/],
  null: [null, /no JSON object/],
  'a key without a property': ['a.b.article', /does not name a property/, /"a\.b\.article#source"/],
  'an unknown collection': [
    'a.b.artcle#source',
    /"a\.b\.artcle" is no record type/,
    /Did you mean "a\.b\.article"\?/,
  ],
  'a lexicon that is no record': ['a.b.shapes#x', /"a\.b\.shapes" is no record type/],
  'an unknown property': ['a.b.article#sorce', /no property "sorce"/, /Did you mean "source"\?/],
  'an inherited name': ['a.b.article#toString', /no property "toString"/],
  'an unknown nested property': [
    'a.b.article#box.two',
    /a\.b\.article#box has no property "two"/,
    /Did you mean "to"\?/,
  ],
  'a path beyond a scalar': ['a.b.article#title.x', /of type "string" and has no properties/, /Shorten/],
  'a path into a union': ['a.b.article#either.to', /inside unions/, /Remove the entry/],
  'a path into a strongRef': [
    'a.b.article#source.uri',
    /is a strongRef itself/,
    /Write "a\.b\.article#source"/,
  ],
  'a property that is no reference': ['a.b.article#title', /neither a strongRef nor/],
  'an object': ['a.b.article#box', /neither a strongRef nor/],
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
    const given = typeof references === 'string' ? { [references]: [] } : references
    const problems = problemsOf([article, shapes], given)
    assert.equal(problems.length, 1, JSON.stringify(problems))
    assert.equal(problems[0]!.file, 'references.json')
    assert.match(problems[0]!.problem, problem)
    assert.match(problems[0]!.remedy, remedy)
  })
