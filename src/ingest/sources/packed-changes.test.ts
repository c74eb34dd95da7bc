import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change } from '../../database/database.ts'
import { packChanges, unpackChanges } from './packed-changes.ts'

const refused: Change = {
  kind: 'reject',
  source: 'a.jsonl:3',
  uri: null,
  reason: 'malformed',
  message: 'The line is not JSON.',
  record: '{',
}

test('changes are the same after the way, and in their order', () => {
  const changes = [
    refused,
    put('a'),
    put('b'),
    refused,
    refused,
    put('c', 'did:plc:other'),
    put('d'),
    refused,
  ]
  assert.deepEqual(unpackChanges(structuredClone(packChanges(changes))), changes)
  assert.deepEqual(unpackChanges(structuredClone(packChanges([put('a')]))), [put('a')])
  assert.deepEqual(unpackChanges(packChanges([])), [])
})

test('a put that says when it was changed keeps it', () => {
  const changes: Change[] = [{ ...put('a'), changedAt: 7n } as Change, put('b')]
  assert.deepEqual(unpackChanges(structuredClone(packChanges(changes))), changes)
})

test('no memory is sent but what the CIDs take', () => {
  assert.equal(structuredClone(packChanges([put('a'), refused, put('b')])).cids.length, 72)
})

function put(rkey: string, did = 'did:plc:one'): Change {
  return {
    kind: 'put',
    collection: 'org.example.note',
    did,
    rkey,
    cid: new Uint8Array(36).fill(rkey.charCodeAt(0)),
    rev: rkey === 'b' ? '3l6oveex3ii2l' : null,
    indexedAt: rkey === 'c' ? null : 1_700_000_000_000_000n,
    json: `{"text":"${rkey}"}`,
    columns: [null, 'text', 7, 12n],
    arrays: [[], [['one'], ['two']], [['at://did:plc:one/org.example.note/', rkey]]],
  }
}
