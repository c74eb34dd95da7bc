import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { cidForLex } from '@atproto/lex-cbor'
import { jsonToLex, lexToIpld, Lexicons } from '@atproto/lexicon'
import {
  did,
  everything,
  node,
  readLine,
  readRecord,
  reasonFor,
  stress,
  uri,
} from '../../../test/support/lexicons/stress-records.ts'
import { buildLexicons } from '../lexicons.ts'
import { formatCid } from './cid.ts'
import { createRecordReader } from './validate.ts'

const lines = readFileSync(`${stress}records.jsonl`, 'utf8').trim().split('\n')

test('every record of the stress set is accepted, with the CID the official library computes', async () => {
  for (const line of lines) {
    const reading = readLine(line)
    assert.ok(reading.ok, reading.ok ? '' : reading.message)
    const { value } = JSON.parse(line) as { value: object }
    const official = await cidForLex(lexToIpld(jsonToLex(value)) as never)
    assert.equal(formatCid(reading.record.cid), official.toString())
    assert.deepEqual(reading.record.value, value)
    assert.deepEqual(JSON.parse(reading.record.json), value)
    assert.equal(reasonFor({ ...(JSON.parse(line) as object), cid: official.toString() }), null)
  }
})

test('the official validator judges only records that are not plainly valid', (t) => {
  const judge = t.mock.method(Lexicons.prototype, 'assertValidRecord').mock
  const read = textReader()
  const judged = (text: unknown): number => {
    const before = judge.callCount()
    read(text)
    return judge.callCount() - before
  }
  assert.deepEqual(['plain', 7, 'longer than it may be'].map(judged), [0, 1, 1])
})

test('a value without links, bytes and blobs is not converted', () => {
  const read = textReader()
  let times = 0
  read('plain', {
    get text() {
      times += 1
      return 'plain'
    },
  })
  // It is looked over, copied in the order of its keys, and checked.
  assert.equal(times, 3)
})

/** Reads a record with this text, and the members of an object with accessors. */
function textReader(): (text: unknown, more?: object) => unknown {
  const record = { type: 'object', properties: { text: { type: 'string', maxLength: 10 } } }
  const document = { lexicon: 1, id: 'a.b.c', defs: { main: { type: 'record', key: 'any', record } } }
  const built = buildLexicons([{ file: 'a.b.c.json', document }], {})
  assert.ok(built.ok)
  const read = createRecordReader(built.lexicons)
  return (text, more = {}) => {
    const value = Object.defineProperties({ $type: 'a.b.c', text }, Object.getOwnPropertyDescriptors(more))
    return read({ uri: `at://${did}/a.b.c/x`, value })
  }
}

test('a record comes with the parts of its URI and its metadata', () => {
  const value = everything()
  const reading = readRecord({
    uri,
    value,
    rev: '3mz5s6rqspk2a',
    indexedAt: '1970-01-01T00:00:01+00:00',
    more: 1,
  })
  assert.ok(reading.ok)
  const { cid: bytes, ...rest } = reading.record
  assert.equal(bytes.length, 36)
  assert.deepEqual(rest, {
    did,
    collection: 'example.stress.everything',
    rkey: '3mz5s6rqspk2a',
    rev: '3mz5s6rqspk2a',
    indexedAt: 1_000_000n,
    value,
    // With its keys in their one order.
    json: `{"text":"x","$type":"example.stress.everything","createdAt":"${value.createdAt}"}`,
  })
})

test('metadata that is absent or null is null', () => {
  const reading = readRecord({ uri, value: everything(), cid: null, rev: null })
  assert.ok(reading.ok && reading.record.rev === null && reading.record.indexedAt === null)
})

test('of a key that is repeated the last is kept, in the JSON and in the CID', () => {
  const reading = readLine(`{"uri":"${node}","value":{"$type":"example.stress.node","name":"a","name":"b"}}`)
  assert.ok(reading.ok)
  assert.equal(reading.record.json, '{"name":"b","$type":"example.stress.node"}')
})

test('a CID in another base is the same CID', () => {
  const base58 = 'zdpuAqUqFP2w8fEDH6QsfwJNJD1H7rDLWsg4LRPGcyQLXp9mj'
  assert.equal(
    reasonFor({
      uri,
      value: everything(),
      cid: 'bafyreiclfdvvfym62po5jppadegi55inmleqg7noqwjly6ajmoqrlerqdi',
    }),
    null,
  )
  assert.equal(reasonFor({ uri, value: everything(), cid: base58 }), null)
})

test('a property that every object inherits is missing when the record does not have it', () => {
  const names = `at://${did}/example.stress.names/org.example.x`
  assert.equal(reasonFor({ uri: names, value: { $type: 'example.stress.names' } }), null)
  assert.equal(reasonFor({ uri: names, value: { $type: 'example.stress.names', constructor: 'x' } }), null)
  assert.equal(
    reasonFor({ uri: names, value: { $type: 'example.stress.names', constructor: 1 } }),
    'invalid-record',
  )
})

test('a record inside a record, by a reference or in a union, is held to its lexicon', () => {
  const ref = { type: 'ref', ref: 'org.example.note' }
  const union = { type: 'union', refs: ['org.example.note'] }
  const note = { at: { type: 'string', format: 'datetime' }, next: ref }
  const built = buildLexicons(
    [recordOf('org.example.note', note, ['at']), recordOf('org.example.board', { ref, union })],
    {},
  )
  assert.ok(built.ok, JSON.stringify(built))
  const read = createRecordReader(built.lexicons)
  const reasonOf = (more: object) => {
    const value = { $type: 'org.example.board', ...more }
    const reading = read({ uri: `at://${did}/org.example.board/x`, value })
    return reading.ok ? null : reading.reason
  }
  const $type = 'org.example.note'
  const at = '2026-11-16T13:00:00Z'
  assert.equal(reasonOf({ ref: { $type, at, next: { at } }, union: { $type, at } }), null)
  assert.equal(reasonOf({ ref: {} }), 'invalid-record')
  assert.equal(reasonOf({ ref: { at, next: [] } }), 'invalid-record')
  assert.equal(reasonOf({ union: { $type } }), 'invalid-record')
  assert.equal(reasonOf({ ref: { at, next: { at: '2026-02-30T00:00:00Z' } } }), 'bad-datetime')
  assert.equal(reasonOf({ union: { $type, at: '0000-01-01T00:00:00Z' } }), 'bad-datetime')
})

function recordOf(id: string, properties: object, required: readonly string[] = []) {
  const main = { type: 'record', key: 'any', record: { type: 'object', required, properties } }
  return { file: `${id}.json`, document: { lexicon: 1, id, defs: { main } } }
}
