import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordLexicon } from '../../../test/support/store/store.ts'
import { understand } from '../../../test/support/records/understand.ts'
import type { Table } from './tables.ts'

const strongRef = { type: 'ref', ref: 'com.atproto.repo.strongRef' }

test('names that differ by case alone are told apart', () => {
  const [upper, lower] = tablesOf(
    recordLexicon('org.example.Thing', { Name: { type: 'integer' }, name: { type: 'integer' } }),
    recordLexicon('org.example.thing.x', {}),
    recordLexicon('org.example.thing', {
      tags: { type: 'array', items: { type: 'string' } },
      TAGS: { type: 'array', items: { type: 'string' } },
    }),
  ).filter(({ collection }) => collection.nsid.toLowerCase() === 'org.example.thing') as [Table, Table]
  assert.notEqual(upper.name.toLowerCase(), lower.name.toLowerCase())
  for (const { columns, arrays, indexes } of [upper, lower])
    for (const named of [columns, arrays, indexes])
      assert.equal(new Set(named.map(({ name }) => name.toLowerCase())).size, named.length)
})

test('objects in objects have columns, and circles end where they close', () => {
  const table = only(
    recordLexicon(
      'org.example.tree',
      { root: { type: 'ref', ref: '#node' } },
      {
        defs: {
          node: {
            type: 'object',
            properties: {
              size: { type: 'integer' },
              next: { type: 'ref', ref: '#node' },
              leaf: { type: 'ref', ref: '#leaf' },
            },
          },
          leaf: { type: 'object', properties: { on: { type: 'boolean' } } },
        },
      },
    ),
  )
  assert.deepEqual(
    table.columns.map(({ path }) => path.join('.')),
    ['root.size', 'root.leaf.on'],
  )
})

test('the index of a reference that every record has includes the first moment and the codes', () => {
  const at = { type: 'string', format: 'datetime' }
  const address = { type: 'string', format: 'at-uri' }
  const language = { type: 'string', format: 'language' }
  const fields = {
    link: strongRef,
    address,
    maybe: strongRef,
    null: address,
    createdAt: at,
    updatedAt: at,
    language,
  }
  const inside = { type: 'object', required: ['link'], properties: { link: strongRef } }
  const record = { required: ['link', 'address', 'null', 'inside'], nullable: ['null'] }
  const includedOf = (properties: Record<string, unknown>): Record<string, readonly string[]> =>
    Object.fromEntries(
      only(
        recordLexicon(
          'org.example.links',
          { ...properties, inside: { type: 'ref', ref: '#inside' } },
          { record, defs: { inside } },
        ),
      )
        .indexes.filter(({ kind }) => kind === 'reference')
        .map(({ columns, included }) => [columns[0] ?? '', included]),
    )
  assert.deepEqual(includedOf(fields), {
    '.link:base': ['.createdAt', '.language'],
    '.address:base': ['.createdAt', '.language'],
    '.maybe:base': [],
    '.null:base': [],
    '.inside.link:base': [],
  })
  assert.deepEqual(
    Object.values(includedOf({ link: strongRef, address, null: address, language })).flat(),
    [],
  )
})

test('an array with the name of an index that every table has gets a side table of another name', () => {
  const strings = { type: 'array', items: { type: 'string' } }
  const table = only(recordLexicon('org.example.same', { key: strings, indexed_at: strings }))
  assert.deepEqual(
    table.arrays.map(({ name }) => name),
    ['org.example.same/key~2', 'org.example.same/indexed_at~2'],
  )
})

function tablesOf(...documents: Parameters<typeof understand>[0]): readonly Table[] {
  return understand(documents, {}).tables
}

function only(document: Parameters<typeof understand>[0][number]): Table {
  return tablesOf(document)[0] as Table
}
