import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Table } from '../database/tables.ts'
import { raw } from '../sql/sql.ts'
import { columnList, columnsRead } from './columns-read.ts'

const names = ['.a', `.it's`, '.quo"te', '.far', '.virtual']
const table = {
  columns: names.map((name) => ({ name, path: [name], kind: 'text', virtual: name === '.virtual' })),
} as unknown as Table

test('the columns that a text reads are told from it, and what literals and other names say is passed over', () => {
  const read = (text: string) => [...columnsRead(table, raw('t1'), [raw(text)])]
  assert.deepEqual(read('t1.base, t1.".a" || t11.rkey'), ['base', '.a'])
  assert.deepEqual(read(`'t1."' || t1.".a" || 't1.rkey''s' || t1.did`), ['did', '.a'])
  assert.deepEqual(read(`t1.".it's" || 't1.".far"' || t1.".quo""te"`), [`.it's`, '.quo"te'])
  assert.deepEqual(read('t1.".virtual", t2.record, "t1.id"'), [])
})

test('a row of which nothing is read has its id', () => {
  assert.equal(columnList(raw('t1'), new Set()).sql, 't1."id"')
  assert.equal(columnList(raw('t1'), new Set(['did', '.a'])).sql, 't1."did", t1.".a"')
})
