import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../sql/sql.ts'
import { foldText } from '../../util/text/fold.ts'
import { connect } from './connection.ts'
import { sqliteDialect } from './dialect.ts'

test('text in ASCII is folded without a call into JavaScript, and all text as everywhere', () => {
  const database = connect(':memory:', false)
  const called: unknown[] = []
  database.function('fold', { deterministic: true }, (text) => {
    called.push(text)
    return typeof text === 'string' ? foldText(text) : null
  })
  const ascii = Array.from({ length: 127 }, (_, index) => String.fromCharCode(index + 1))
  const texts = [
    '',
    'Plain',
    'at://did:plc:ABC/x',
    'O`Neill',
    ascii.join(''),
    'Ärger',
    'É',
    'ﬁ',
    'a\0B',
    '你',
    'ΣΑΣ',
    null,
  ]
  const { text: statement } = sql`select ${sqliteDialect.fold(sql`t`)} as folded from (select ? as t)`
  const folded = database.prepare(statement)
  for (const text of texts)
    assert.equal(folded.get(text)?.['folded'], text === null ? null : foldText(text), JSON.stringify(text))
  const lowered = database.prepare(sql`select ${sqliteDialect.lower(sql`'dId:X'`)} as text`.text).get()
  assert.equal(lowered?.['text'], 'did:x')
  assert.deepEqual(called.toSorted(), ['Ärger', 'É', 'ﬁ', 'a\0B', '你', 'ΣΑΣ', null].toSorted())
  database.close()
})
