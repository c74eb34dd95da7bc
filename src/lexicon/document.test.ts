import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findDef, findDocument, refSites, resolveRef } from './document.ts'
import { buildLexicons } from './lexicons.ts'

const built = buildLexicons(
  [
    {
      file: 'c.json',
      document: {
        lexicon: 1,
        id: 'a.b.c',
        defs: {
          main: {
            type: 'record',
            record: {
              type: 'object',
              properties: {
                one: { type: 'ref', ref: '#own' },
                many: { type: 'array', items: { type: 'union', refs: ['#own', 'a.b.d#other'] } },
              },
            },
          },
          own: { type: 'object', properties: {} },
        },
      },
    },
    {
      file: 'd.json',
      document: { lexicon: 1, id: 'a.b.d', defs: { other: { type: 'object', properties: {} } } },
    },
  ],
  undefined,
)
assert.ok(built.ok)
const set = built.lexicons

test('a definition is found by id, by id and hash, and by hash within its document', () => {
  assert.equal(findDef(set, 'a.b.c')?.def.type, 'record')
  assert.equal(findDef(set, 'a.b.c#main')?.origin, 'a.b.c')
  assert.equal(findDef(set, 'a.b.c#own')?.origin, 'a.b.c#own')
  assert.equal(resolveRef(set, 'a.b.c', '#own')?.origin, 'a.b.c#own')
  assert.equal(resolveRef(set, 'a.b.c', '#main')?.origin, 'a.b.c')
  assert.equal(resolveRef(set, 'a.b.c', 'a.b.d#other')?.document.id, 'a.b.d')
  assert.equal(resolveRef(set, 'a.b.c', 'com.atproto.repo.strongRef')?.name, 'main')
})

test('what is not there is null', () => {
  for (const origin of [
    '',
    '#own',
    'a.b',
    'a.b.d',
    'a.b.c#',
    'a.b.c#x',
    'a.b.c#own#own',
    'a.b.c#toString',
    'zz.b.c',
  ]) {
    assert.equal(findDef(set, origin), null, origin)
  }
  assert.equal(findDocument(set, 'a.b.e'), null)
})

test('references are listed with where they stand', () => {
  assert.deepEqual(
    [...refSites(findDocument(set, 'a.b.c')!)].map(({ path, ref, within }) => [path, ref, within]),
    [
      ['defs.main.record.properties.one.ref', '#own', 'ref'],
      ['defs.main.record.properties.many.items.refs.0', '#own', 'open union'],
      ['defs.main.record.properties.many.items.refs.1', 'a.b.d#other', 'open union'],
    ],
  )
})
