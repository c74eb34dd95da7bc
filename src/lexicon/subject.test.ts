import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inLowerCase, parseSubject } from './subject.ts'

const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'

test('a DID is an account, and a whole AT-URI with a DID a record', () => {
  for (const account of [did, 'did:web:b.example', 'did:web:localhost%3A8080'])
    assert.deepEqual(parseSubject(account), { kind: 'account', did: account })
  assert.deepEqual(parseSubject(`at://${did}/org.example.note/3kaaaaaaaaa22`), {
    kind: 'record',
    did,
    collection: 'org.example.note',
    rkey: '3kaaaaaaaaa22',
  })
})

test('a host in capitals has another form, which leaves ports and paths as they are', () => {
  assert.equal(inLowerCase('did:web:News.Example'), 'did:web:news.example')
  assert.equal(inLowerCase('did:web:LocalHost%3A8080:Users:Ann'), 'did:web:localhost%3A8080:Users:Ann')
  for (const kept of [
    did,
    'did:web:b.example',
    'did:web:localhost%3A8080',
    'did:web:b.example:Ann',
    'did:key:zQ3',
  ])
    assert.equal(inLowerCase(kept), null)
})

test('what is neither is told what to write instead', () => {
  const cases: [text: string, problem: RegExp][] = [
    ['alice.example', /is a handle, .* Give the account's DID\.$/],
    ['@alice.example', /is a handle/],
    ['at://alice.example/org.example.note/a', /names its account by a handle, .* with the account's DID\.$/],
    ['at://alice.example', /names its account by a handle/],
    [`at://${did}`, /names no record\. Give a record as at:\/\/DID\/COLLECTION\/RKEY/],
    [`at://${did}/org.example.note`, /names no record/],
    [`at://${did}/org.example.note/`, /names no record/],
    [`at://${did}/org.example.note/a/b`, /names no record/],
    [`at://${did}/note/a`, /is no AT-URI of a record/],
    [`at://${did}/org.example.note/..`, /is no AT-URI of a record/],
    [`at://${did}/org.example.note/a#b`, /is no AT-URI of a record/],
    ['at://', /is no AT-URI of a record/],
    ['did:', /is no AT-URI and no DID/],
    ['https://example.com/a', /is no AT-URI and no DID/],
    ['', /is no AT-URI and no DID/],
  ]
  for (const [text, problem] of cases) assert.match(String(parseSubject(text)), problem, text)
})
