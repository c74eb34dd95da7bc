import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordLexicon } from '../../test/support/store/store.ts'
import { understand } from '../../test/support/records/understand.ts'
import { foldText } from '../util/text/fold.ts'
import { deriveRow, foldedOrNull, splitUri } from './derive.ts'
import { storedColumns, type Table } from './layout/tables.ts'

const strongRef = { type: 'ref', ref: 'com.atproto.repo.strongRef' }
const [table] = understand(
  [
    recordLexicon(
      'org.example.a',
      {
        text: { type: 'string', maxGraphemes: 100 },
        kind: { type: 'string', maxLength: 10, knownValues: ['x'] },
        number: { type: 'integer' },
        yes: { type: 'boolean' },
        at: { type: 'string', format: 'datetime' },
        link: strongRef,
        address: { type: 'string', format: 'at-uri' },
        tags: { type: 'array', items: { type: 'string' } },
        numbers: { type: 'array', items: { type: 'integer' } },
        links: { type: 'array', items: strongRef },
        inner: { type: 'ref', ref: '#inner' },
        parts: { type: 'array', items: { type: 'ref', ref: '#inner' } },
      },
      {
        defs: {
          inner: {
            type: 'object',
            properties: {
              depth: { type: 'integer' },
              of: strongRef,
              name: { type: 'string', maxLength: 100 },
              kind: { type: 'string', maxLength: 10, knownValues: ['x'] },
              long: { type: 'string' },
            },
          },
        },
      },
    ),
  ],
  {},
).tables as [Table]

test('a reference is cut after its last slash', () => {
  const columns = columnsOf({
    link: { uri: 'at://did:plc:a/b.c.d/key', cid: 'x' },
    address: 'at://did:plc:a',
  })
  assert.deepEqual([columns['.link:base'], columns['.link:key']], ['at://did:plc:a/b.c.d/', 'key'])
  assert.deepEqual([columns['.address:base'], columns['.address:key']], ['at://', 'did:plc:a'])
  assert.deepEqual(splitUri('nothing'), ['', 'nothing'])
})

test('what is missing, null or of a shape the lexicon does not allow has no value', () => {
  const wrong = {
    text: 5,
    kind: ['x'],
    number: '1',
    yes: 1,
    at: 'yesterday',
    link: 'at://did:plc:a/b.c.d/key'.length,
    address: null,
    inner: [{ depth: 1 }],
    tags: 'x',
    links: [{ cid: 'x' }, null, 7],
  }
  for (const value of [{}, wrong]) {
    const { columns, arrays } = deriveRow(table, value)
    assert.deepEqual(new Set(columns), new Set([null]))
    assert.ok(arrays.every((elements) => elements.every((element) => element[0] === 'x')))
  }
})

test('properties of objects in general are no properties of a record', () => {
  const value = JSON.parse('{"inner": {}, "__proto__": {"number": 1, "inner": {"depth": 2}}}')
  assert.deepEqual(new Set(deriveRow(table, value).columns), new Set([null]))
})

test('an array is indexed by its distinct elements, those of other types left out', () => {
  assert.deepEqual(elementsOf('tags', { tags: ['b', 'a', 'b', 5, null, ''] }), [['b'], ['a'], ['']])
  assert.deepEqual(elementsOf('numbers', { numbers: [1, '1', 1, 2] }), [[1], [2]])
  assert.deepEqual(elementsOf('tags', { tags: [] }), [])
})

test('names in an array of objects are listed once each, with null for elements without a name', () => {
  const names = (parts: unknown): unknown => columnsOf({ parts })['.parts.name:names']
  assert.equal(names([{ name: 'b' }, { name: 'a', depth: 1 }, { name: 'b' }]), '["b","a"]')
  assert.equal(names([{ name: '"' }, {}, { name: null }, { name: 1 }, 2, { name: '' }]), '["\\"",null,""]')
  assert.deepEqual([[], undefined, null, { name: 'a' }, 'a'].map(names), [null, null, null, null, null])
  const listed = table.columns.filter(({ kind }) => kind === 'names')
  assert.deepEqual(
    listed.map(({ name }) => name),
    ['.parts.name:names'],
  )
})

test('references in arrays, and in objects in arrays, are split and distinct too', () => {
  const [one, other] = ['at://did:plc:a/b.c.d/1', 'at://did:plc:a/b.c.d/2']
  const links = [
    { uri: one, cid: 'x' },
    { uri: other, cid: 'x' },
    { uri: one, cid: 'y' },
  ]
  const split = [
    ['at://did:plc:a/b.c.d/', '1'],
    ['at://did:plc:a/b.c.d/', '2'],
  ]
  assert.deepEqual(elementsOf('links', { links }), split)
  assert.deepEqual(elementsOf('parts.of', { parts: links.map((of) => ({ of })) }), split)
})

test('categories and references that are too long for an index count as missing, free text does not', () => {
  const kind = 'é'.repeat(500)
  assert.equal(columnsOf({ kind })['.kind'], kind)
  assert.equal(columnsOf({ kind: `${kind}x` })['.kind'], null)
  const uri = `at://did:plc:a/b.c.d/${'k'.repeat(512)}`
  for (const [link, base] of [
    [uri, 'at://did:plc:a/b.c.d/'],
    [`${uri}#${'f'.repeat(487)}`, 'at://did:plc:a/b.c.d/'],
    [`${uri}#${'f'.repeat(488)}`, null],
    [`at://did:plc:${'a'.repeat(1_500)}/b.c.d/k`, `at://did:plc:${'a'.repeat(1_500)}/b.c.d/`],
    [`${uri}#${'f'.repeat(500)}`, null],
    [`at://did:plc:a/b.c.d/k#${'f'.repeat(2400)}/g`, null],
  ] as const) {
    const columns = columnsOf({ link: { uri: link, cid: 'x' } })
    assert.equal(columns['.link:base'], base)
    assert.equal(columns['.link:key'] === null, base === null)
    assert.equal(elementsOf('links', { links: [{ uri: link, cid: 'x' }] })?.length, base === null ? 0 : 1)
  }
  const tag = 't'.repeat(5000)
  assert.deepEqual(elementsOf('tags', { tags: [tag] }), [[tag]])
})

test('folded text is kept of what is short, and of what is long where lower case of ASCII letters is not enough', () => {
  const long = 'X'.repeat(995)
  assert.equal(foldedOrNull('ABC xyz 123 中文'), 'abc xyz 123 中文')
  assert.equal(foldedOrNull(''), '')
  assert.equal(foldedOrNull('a\0B'), 'a\0b')
  assert.equal(foldedOrNull(`${long}ABCDE`), `${long}ABCDE`.toLowerCase())
  assert.equal(foldedOrNull(`${long}ABCDEF`), null)
  assert.equal(foldedOrNull(`${long}ABC xyz 123 中文`), null)
  for (const padding of ['', long]) {
    assert.equal(foldedOrNull(`${padding}ABÀB`), `${padding}ABab`.toLowerCase())
    assert.equal(foldedOrNull(`${padding}ABCDE\u212A`), `${padding}ABCDEk`.toLowerCase())
    assert.equal(foldedOrNull(`${padding}A\`BCDE`), `${padding}A'BCDE`.toLowerCase())
  }
})

test('where a text is folded by lower case of ASCII letters, lower case changes no others', () => {
  const changed: string[] = []
  for (let code = 0; code < 0x20000; code++) {
    const letter = code >= 0xd800 && code <= 0xdfff ? '' : String.fromCodePoint(code)
    const text = `A${letter}A ${letter}`
    const lower = `a${letter}a ${letter}`
    if (foldText(text) === lower && text.toLowerCase() !== lower) changed.push(code.toString(16))
  }
  assert.deepEqual(changed, [])
})

function columnsOf(value: object) {
  const { columns } = deriveRow(table, value)
  return Object.fromEntries(storedColumns(table).map(({ name }, index) => [name, columns[index]]))
}

function elementsOf(path: string, value: object) {
  const index = table.arrays.findIndex((array) => array.path.join('.') === path)
  return deriveRow(table, value).arrays[index]
}
