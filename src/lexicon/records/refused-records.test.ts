/** What a record or a line of it is refused for, and the largest and the deepest that are not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  did,
  everything,
  node,
  readLine,
  readRecord,
  reasonFor,
  uri,
} from '../../../test/support/lexicons/stress-records.ts'

const cid = 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'

const refused: readonly (readonly [reason: string, what: string, line: unknown])[] = [
  ['malformed', 'null', null],
  ['malformed', 'a list', [uri, everything()]],
  ['malformed', 'a line without uri', { value: everything() }],
  ['malformed', 'a uri that is no string', { uri: 1, value: everything() }],
  ['malformed', 'a line without value', { uri }],
  ['malformed', 'a value that is null', { uri, value: null }],
  ['malformed', 'a value that is a list', { uri, value: [everything()] }],
  ['malformed', 'a value that nests too deeply', { uri, value: everything({ anything: nested(200) }) }],

  ['bad-uri', 'no AT-URI', { uri: 'https://example.com/a/b', value: everything() }],
  ['bad-uri', 'a handle', { uri: 'at://example.com/example.stress.node/x', value: everything() }],
  ['bad-uri', 'no record key', { uri: `at://${did}/example.stress.node`, value: everything() }],
  ['bad-uri', 'a slash at the end', { uri: `${node}/`, value: everything() }],
  ['bad-uri', 'a fragment', { uri: `${node}#x`, value: everything() }],
  ['bad-uri', 'a query', { uri: `${node}?x`, value: everything() }],
  ['bad-uri', 'the record key ..', { uri: `at://${did}/example.stress.node/..`, value: everything() }],
  [
    'bad-uri',
    'a record key that is too long',
    { uri: `at://${did}/example.stress.node/${'x'.repeat(513)}`, value: {} },
  ],
  ['bad-uri', 'a collection that is no NSID', { uri: `at://${did}/node/x`, value: everything() }],
  ['bad-uri', 'a DID that is none', { uri: 'at://did:plc/example.stress.node/x', value: everything() }],
  ['bad-uri', 'upper case', { uri: node.replace('at:', 'AT:'), value: {} }],
  ['bad-uri', 'a line break at the end', { uri: `${node}\n`, value: {} }],
  [
    'bad-uri',
    'no TID where one is needed',
    { uri: `at://${did}/example.stress.everything/self`, value: everything() },
  ],
  ['bad-uri', 'no NSID where one is needed', { uri: `at://${did}/example.stress.names/x`, value: {} }],
  ['bad-uri', 'another key than the literal', { uri: `at://${did}/example.stress.empty/x`, value: {} }],

  [
    'unknown-collection',
    'a collection without lexicon',
    { uri: `at://${did}/com.example.thing/x`, value: {} },
  ],
  [
    'unknown-collection',
    'a lexicon that is no record',
    { uri: `at://${did}/example.stress.shapes/x`, value: {} },
  ],
  ['unknown-collection', 'an inherited name', { uri: `at://${did}/a.b.constructor/x`, value: {} }],

  ['invalid-record', 'no $type', { uri: node, value: { name: 'x' } }],
  ['invalid-record', 'another $type', { uri: node, value: everything() }],
  [
    'invalid-record',
    'a $type that is spelt otherwise',
    { uri: node, value: { $type: 'lex:example.stress.node' } },
  ],
  [
    'invalid-record',
    'a required property that is missing',
    { uri, value: { $type: 'example.stress.everything', text: 'x' } },
  ],
  ['invalid-record', 'a wrong type', { uri, value: everything({ text: 1 }) }],
  ['invalid-record', 'null where null is not allowed', { uri, value: everything({ plain: null }) }],
  ['invalid-record', 'a value outside an enum', { uri, value: everything({ closed: 'purple' }) }],
  ['invalid-record', 'an integer outside its range', { uri, value: everything({ small: 101 }) }],
  ['invalid-record', 'too many graphemes', { uri, value: everything({ text: 'é'.repeat(301) }) }],
  [
    'invalid-record',
    'a member that a closed union does not have',
    { uri, value: everything({ closedShape: { $type: 'a.b.c' } }) },
  ],
  [
    'invalid-record',
    'a $type with two hashes',
    { uri, value: everything({ shape: { $type: 'a.b.c#d#e' } }) },
  ],
  ['invalid-record', 'a list where an object belongs', { uri, value: everything({ nothing: [] }) }],
  ['invalid-record', 'a list in a list where an object belongs', { uri, value: everything({ boxes: [[]] }) }],
  ['invalid-record', 'a word where a datetime belongs', { uri, value: everything({ createdAt: 'today' }) }],
  ['invalid-record', 'a date without time', { uri, value: everything({ seenAt: '2026-11-16' }) }],
  [
    'invalid-record',
    'a blob without size',
    { uri, value: everything({ picture: { $type: 'blob', ref: { $link: cid }, mimeType: 'a/b' } }) },
  ],
  [
    'invalid-record',
    'a legacy blob whose CID is none',
    { uri, value: everything({ picture: { cid: 'x', mimeType: 'a/b' } }) },
  ],
  ['invalid-record', 'a link that is no CID', { uri, value: everything({ link: { $link: 'x' } }) }],
  ['invalid-record', 'a link as bare text', { uri, value: everything({ link: cid }) }],
  [
    'invalid-record',
    'a broken link inside an unknown value',
    { uri, value: everything({ anything: { a: [{ $link: 'x' }] } }) },
  ],
  [
    'invalid-record',
    'bytes with a second key',
    { uri, value: everything({ anything: { $bytes: 'AA', x: 1 } }) },
  ],
  ['invalid-record', 'bytes that are no base64', { uri, value: everything({ bytes: { $bytes: '*' } }) }],
  [
    'invalid-record',
    'the key __proto__',
    {
      uri,
      value: JSON.parse(
        JSON.stringify(everything({ anything: { p: 1 } })).replace('"p"', '"__proto__"'),
      ) as unknown,
    },
  ],
  [
    'invalid-record',
    'what a library takes for a CID',
    { uri, value: everything({ anything: { '/': 'x', bytes: 'x' } }) },
  ],
  [
    'invalid-record',
    'a token as a value',
    { uri, value: everything({ refToToken: 'example.stress.shapes#round' }) },
  ],

  ['bad-cid', 'a CID that is a number', { uri, value: everything(), cid: 1 }],
  ['bad-cid', 'a CID that is none', { uri, value: everything(), cid: 'bafyrei' }],
  ['bad-cid', 'a CID of raw bytes', { uri, value: everything(), cid: cid.replace('bafy', 'bafk') }],
  ['cid-mismatch', 'the CID of another record', { uri, value: everything(), cid }],

  ['bad-text', 'NUL in the URI', { uri: `${node}\0`, value: {} }],
  ['bad-text', 'half a surrogate pair in the URI', { uri: `${node}\ud800`, value: {} }],
  ['bad-text', 'NUL in a property', { uri, value: everything({ text: 'a\0b' }) }],
  [
    'bad-text',
    'half a surrogate pair in a nested property',
    { uri, value: everything({ boxes: [{ label: '\udc00' }] }) },
  ],
  ['bad-text', 'half a surrogate pair in a name', { uri, value: everything({ anything: { 'a\ud83d': 1 } }) }],
  ['bad-text', 'NUL in a property the lexicon does not know', { uri, value: everything({ more: ['\0'] }) }],

  ['bad-datetime', 'month 13', { uri, value: everything({ moments: ['2026-13-01T00:00:00Z'] }) }],
  ['bad-datetime', '31 February', { uri, value: everything({ createdAt: '2026-02-31T00:00:00Z' }) }],
  ['bad-datetime', 'hour 24', { uri, value: everything({ createdAt: '2026-02-01T24:00:00Z' }) }],
  ['bad-datetime', 'second 60', { uri, value: everything({ createdAt: '2026-12-31T23:59:60Z' }) }],
  ['bad-datetime', 'no offset', { uri, value: everything({ createdAt: '2026-12-31T23:59:59' }) }],
  [
    'bad-datetime',
    'an instant before the year 1',
    { uri, value: everything({ createdAt: '0001-01-01T00:00:00+01:00' }) },
  ],
  [
    'bad-datetime',
    'an instant after the year 9999',
    { uri, value: everything({ createdAt: '9999-12-31T23:59:59-01:00' }) },
  ],
  [
    'bad-datetime',
    'one inside an object',
    { uri, value: everything({ box: { inner: { packedAt: '2026-02-31T00:00:00Z' } } }) },
  ],
  [
    'bad-datetime',
    'one behind a reference to a string',
    { uri, value: everything({ refToDatetime: '2026-02-31T00:00:00Z' }) },
  ],
  [
    'bad-datetime',
    'one inside a union',
    {
      uri,
      value: everything({
        shapes: [{ $type: 'example.stress.shapes#circle', radius: 1, drawnAt: '2026-02-31T00:00:00Z' }],
      }),
    },
  ],
  ['bad-datetime', 'one in indexedAt', { uri, value: everything(), indexedAt: '2026-02-31T00:00:00Z' }],

  ['integer-out-of-range', 'beyond 2^53-1', { uri, value: everything({ large: 2 ** 53 }) }],
  ['integer-out-of-range', 'beyond -(2^53-1)', { uri, value: everything({ large: -(2 ** 53) }) }],
  ['integer-out-of-range', 'a fraction', { uri, value: everything({ large: 0.5 }) }],
  [
    'integer-out-of-range',
    'a fraction inside an unknown value',
    { uri, value: everything({ anything: { a: [1.5] } }) },
  ],
  [
    'integer-out-of-range',
    'infinity',
    { uri, value: JSON.parse('{"$type":"example.stress.everything","x":1e999}') as unknown },
  ],

  ['bad-metadata', 'a rev that is no TID', { uri, value: everything(), rev: 'x' }],
  ['bad-metadata', 'a rev that is a number', { uri, value: everything(), rev: 1 }],
  ['bad-metadata', 'an indexedAt that is a number', { uri, value: everything(), indexedAt: 0 }],
  ['bad-metadata', 'an indexedAt that is a date', { uri, value: everything(), indexedAt: '2026-11-16' }],

  [
    'too-large',
    'more than a million bytes',
    { uri, value: everything({ anything: { text: 'é'.repeat(500_000) } }) },
  ],
]
for (const [reason, what, line] of refused) {
  test(`${reason}: ${what}`, () => {
    const reading = readRecord(line)
    assert.ok(!reading.ok, 'it was accepted')
    assert.equal(reading.reason, reason, reading.message)
    assert.match(reading.message, /^[^]{10,501}[.…]$/)
    assert.ok(reading.message.isWellFormed() && !reading.message.includes('\0'))
    assert.ok(reading.uri === null || (reading.uri.isWellFormed() && !reading.uri.includes('\0')))
  })
}

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
