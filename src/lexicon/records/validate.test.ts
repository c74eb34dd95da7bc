/** What a record or a line of it is refused for, and the largest and the deepest that are not. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { cidForLex } from '@atproto/lex-cbor'
import { jsonToLex, Lexicons, lexToIpld } from '@atproto/lexicon'
import { lexiconsOf, recordDoc } from '../../../test/support/lexicons/documents.ts'
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
import { formatCid } from './cid.ts'
import { createRecordReader } from './validate.ts'
import type { RejectionReason } from '../../database/database.ts'

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

test('formats are those of the official library, where it differs from the examples of the protocol too', () => {
  const formats = { tag: { type: 'string', format: 'language' }, at: { type: 'string', format: 'uri' } }
  const read = createRecordReader(lexiconsOf([recordDoc('a.b.c', formats)]))
  const isValid = (value: object) =>
    read({ uri: `at://${did}/a.b.c/1`, value: { $type: 'a.b.c', ...value } }).ok
  for (const tag of ['JA', 'jaja', 'de-DE-1901-1901']) assert.ok(isValid({ tag }), tag)
  for (const at of ['content-type:text/plain', 'microsoft.windows.camera:thing'])
    assert.ok(!isValid({ at }), at)
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
  const text = { type: 'string', maxLength: 10 }
  const read = createRecordReader(lexiconsOf([recordDoc('a.b.c', { text })]))
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
  const noteDoc = recordDoc('org.example.note', note)
  Object.assign(noteDoc.defs.main.record, { required: ['at'] })
  const read = createRecordReader(lexiconsOf([noteDoc, recordDoc('org.example.board', { ref, union })]))
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

const cid = 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'

const refused: Readonly<Partial<Record<RejectionReason, Readonly<Record<string, unknown>>>>> = {
  malformed: {
    null: null,
    'a list': [uri, everything()],
    'a line without uri': { value: everything() },
    'a uri that is no string': { uri: 1, value: everything() },
    'a line without value': { uri },
    'a value that is null': { uri, value: null },
    'a value that is a list': { uri, value: [everything()] },
    'a value that nests too deeply': having({ anything: nested(200) }),
  },
  'bad-uri': {
    'no AT-URI': at('https://example.com/a/b', everything()),
    'a handle': at('at://example.com/example.stress.node/x', everything()),
    'no record key': at(`at://${did}/example.stress.node`, everything()),
    'a slash at the end': at(`${node}/`, everything()),
    'a fragment': at(`${node}#x`, everything()),
    'a query': at(`${node}?x`, everything()),
    'the record key ..': at(`at://${did}/example.stress.node/..`, everything()),
    'a record key that is too long': at(`at://${did}/example.stress.node/${'x'.repeat(513)}`),
    'a collection that is no NSID': at(`at://${did}/node/x`, everything()),
    'a DID that is none': at('at://did:plc/example.stress.node/x', everything()),
    'upper case': at(node.replace('at:', 'AT:')),
    'a line break at the end': at(`${node}\n`),
    'no TID where one is needed': at(`at://${did}/example.stress.everything/self`, everything()),
    'no NSID where one is needed': at(`at://${did}/example.stress.names/x`),
    'another key than the literal': at(`at://${did}/example.stress.empty/x`),
  },
  'unknown-collection': {
    'a collection without lexicon': at(`at://${did}/com.example.thing/x`),
    'a lexicon that is no record': at(`at://${did}/example.stress.shapes/x`),
    'an inherited name': at(`at://${did}/a.b.constructor/x`),
  },
  'invalid-record': {
    'no $type': { uri: node, value: { name: 'x' } },
    'another $type': at(node, everything()),
    'a $type that is spelt otherwise': { uri: node, value: { $type: 'lex:example.stress.node' } },
    'a required property that is missing': { uri, value: { $type: 'example.stress.everything', text: 'x' } },
    'a wrong type': having({ text: 1 }),
    'a member that a closed union does not have': having({ closedShape: { $type: 'a.b.c' } }),
    'a $type with two hashes': having({ shape: { $type: 'a.b.c#d#e' } }),
    'a list where an object belongs': having({ nothing: [] }),
    'a list in a list where an object belongs': having({ boxes: [[]] }),
    'a word where a datetime belongs': having({ createdAt: 'today' }),
    'a blob without size': having({ picture: { $type: 'blob', ref: { $link: cid }, mimeType: 'a/b' } }),
    'a legacy blob whose CID is none': having({ picture: { cid: 'x', mimeType: 'a/b' } }),
    'a link that is no CID': having({ link: { $link: 'x' } }),
    'a link as bare text': having({ link: cid }),
    'a broken link inside an unknown value': having({ anything: { a: [{ $link: 'x' }] } }),
    'bytes with a second key': having({ anything: { $bytes: 'AA', x: 1 } }),
    'bytes that are no base64': having({ bytes: { $bytes: '*' } }),
    'the key __proto__': {
      uri,
      value: JSON.parse(
        JSON.stringify(everything({ anything: { p: 1 } })).replace('"p"', '"__proto__"'),
      ) as unknown,
    },
    'what a library takes for a CID': having({ anything: { '/': 'x', bytes: 'x' } }),
    'a token as a value': having({ refToToken: 'example.stress.shapes#round' }),
  },
  'bad-cid': {
    'a CID that is a number': having({}, { cid: 1 }),
    'a CID that is none': having({}, { cid: 'bafyrei' }),
    'a CID of raw bytes': having({}, { cid: cid.replace('bafy', 'bafk') }),
  },
  'cid-mismatch': {
    'the CID of another record': having({}, { cid }),
  },
  'bad-text': {
    'NUL in the URI': at(`${node}\0`),
    'half a surrogate pair in the URI': at(`${node}\ud800`),
    'NUL in a property': having({ text: 'a\0b' }),
    'half a surrogate pair in a nested property': having({ boxes: [{ label: '\udc00' }] }),
    'half a surrogate pair in a name': having({ anything: { 'a\ud83d': 1 } }),
    'NUL in a property the lexicon does not know': having({ more: ['\0'] }),
  },
  'bad-datetime': {
    'month 13': having({ moments: ['2026-13-01T00:00:00Z'] }),
    '31 February': having({ createdAt: '2026-02-31T00:00:00Z' }),
    'hour 24': having({ createdAt: '2026-02-01T24:00:00Z' }),
    'second 60': having({ createdAt: '2026-12-31T23:59:60Z' }),
    'no offset': having({ createdAt: '2026-12-31T23:59:59' }),
    'an instant before the year 1': having({ createdAt: '0001-01-01T00:00:00+01:00' }),
    'an instant after the year 9999': having({ createdAt: '9999-12-31T23:59:59-01:00' }),
    'one inside an object': having({ box: { inner: { packedAt: '2026-02-31T00:00:00Z' } } }),
    'one behind a reference to a string': having({ refToDatetime: '2026-02-31T00:00:00Z' }),
    'one inside a union': having({
      shapes: [{ $type: 'example.stress.shapes#circle', radius: 1, drawnAt: '2026-02-31T00:00:00Z' }],
    }),
    'one in indexedAt': having({}, { indexedAt: '2026-02-31T00:00:00Z' }),
  },
  'integer-out-of-range': {
    'beyond 2^53-1': having({ large: 2 ** 53 }),
    'beyond -(2^53-1)': having({ large: -(2 ** 53) }),
    'a fraction': having({ large: 0.5 }),
    'a fraction inside an unknown value': having({ anything: { a: [1.5] } }),
    infinity: { uri, value: JSON.parse('{"$type":"example.stress.everything","x":1e999}') as unknown },
  },
  'bad-metadata': {
    'a rev that is no TID': having({}, { rev: 'x' }),
    'a rev that is a number': having({}, { rev: 1 }),
    'an indexedAt that is a number': having({}, { indexedAt: 0 }),
    'an indexedAt that is a date': having({}, { indexedAt: '2026-11-16' }),
  },
  'too-large': {
    'more than a million bytes': having({ anything: { text: 'é'.repeat(500_000) } }),
  },
}
for (const [reason, lines] of Object.entries(refused))
  test(`a record or line is refused as ${reason}`, () => {
    for (const [what, line] of Object.entries(lines)) {
      const reading = readRecord(line)
      assert.ok(!reading.ok, `${what}: it was accepted`)
      assert.equal(reading.reason, reason, `${what}: ${reading.message}`)
      assert.match(reading.message, /^[^]{10,501}[.…]$/, what)
      assert.ok(reading.message.isWellFormed() && !reading.message.includes('\0'), what)
      assert.ok(reading.uri === null || (reading.uri.isWellFormed() && !reading.uri.includes('\0')), what)
    }
  })

test('a million bytes are not too many', () => {
  const rest = JSON.stringify(everything({ anything: { text: '' } })).length
  assert.equal(
    reasonFor({ uri, value: everything({ anything: { text: 'x'.repeat(1_000_000 - rest) } }) }),
    null,
  )
  assert.equal(
    reasonFor({ uri, value: everything({ anything: { text: 'x'.repeat(1_000_001 - rest) } }) }),
    'too-large',
  )
})

test('128 levels are not too many, the line and the value among them', () => {
  assert.equal(reasonFor({ uri, value: everything({ anything: nested(126) }) }), null)
  assert.equal(reasonFor({ uri, value: everything({ anything: nested(127) }) }), 'malformed')
})

test('a line that is no JSON, or a hundred thousand levels of it, is malformed', () => {
  const deep = `{"uri":"${uri}","value":{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`
  for (const text of ['', '{', 'null', '"', deep, '['.repeat(1_000_000)]) {
    const reading = readLine(text)
    assert.equal(reading.ok ? null : reading.reason, 'malformed', text.slice(0, 50))
  }
})

/** A list of lists, so many levels deep. */
function nested(levels: number): unknown {
  return JSON.parse('['.repeat(levels) + ']'.repeat(levels))
}

/** A line of a valid record with these properties besides. */
function having(more: object, line: object = {}) {
  return { uri, value: everything(more), ...line }
}

function at(uri: string, value: object = {}) {
  return { uri, value }
}
