import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collections, libraryLexicons, libraryReferences } from '../../../test/support/records/lexicons.ts'
import { understand } from '../../../test/support/records/understand.ts'
import { raw } from '../../sql/sql.ts'
import { columnsOfConditions, columnsOfFields, columnsOfSort } from './columns-read.ts'
import { columnList } from '../emit/emit-access-path.ts'
import type { Constant } from '../plan/fields.ts'
import type { Output } from '../plan/plan.ts'
import type { Condition } from '../plan/conditions.ts'

const { tables } = understand(libraryLexicons, libraryReferences)
const book = tables.find(({ collection }) => collection.nsid === collections.book)!
const column = (name: string) => book.columns.find((each) => each.name === name)!

test('a field reads the columns that its value is made of', () => {
  const read = (output: Output | Constant) => [...columnsOfFields(book, [{ key: 'it', output }])]
  assert.deepEqual(read({ kind: 'system', name: 'uri' }), ['base', 'rkey'])
  assert.deepEqual(read({ kind: 'json', path: ['title'] }), ['record'])
  assert.deepEqual(read({ kind: 'constant', json: '1' }), [])
  assert.deepEqual(read({ kind: 'resolved', path: ['author'], from: 'strongRef', records: [] }), [
    '.author:base',
    '.author:key',
  ])
})

test('a condition reads the columns that it compares, and the record of a column that is not stored', () => {
  const read = (condition: Condition) => columnsOfConditions(book, [condition])
  const compare = (name: string): Condition => ({
    kind: 'compare',
    operand: { kind: 'column', column: column(name) },
    op: 'eq',
    to: 'x',
  })
  assert.deepEqual(read(compare('.pages')), ['.pages'])
  assert.deepEqual(read({ kind: 'not', of: compare('.title') }), ['record'])
  assert.deepEqual(
    read({ kind: 'missing', operand: { kind: 'system', name: 'cid' }, index: null, is: true }),
    ['cid'],
  )
})

test('an order reads the columns of its keys', () => {
  const key = { direction: 'asc', nullable: false } as const
  const sort = [
    { ...key, value: { kind: 'column', column: column('.pages') } },
    { ...key, value: { kind: 'system', name: 'baseUri' } },
  ] as const
  assert.deepEqual(columnsOfSort(sort), ['.pages', 'base'])
})

test('a row of which nothing is read has its id', () => {
  assert.equal(columnList(raw('t1'), new Set()).sql, 't1."id"')
  assert.equal(columnList(raw('t1'), new Set(['did', '.a'])).sql, 't1."did", t1.".a"')
})
