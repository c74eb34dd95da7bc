import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change } from '../database/changes.ts'
import { createFloodGuard } from './flood.ts'

const remove = (did: string): Change => ({
  kind: 'delete',
  did,
  collection: 'org.example.thing',
  rkey: 'a',
  rev: '3kaaaaaaaaaa2',
})

test('what an account sends beyond its rate is passed over, and its repository fetched when it is calm', () => {
  let now = 0n
  const guard = createFloodGuard(2, () => now)
  const send = (did: string): string[] => guard(remove(did)).map(({ kind }) => kind)
  assert.deepEqual([send('did:web:a'), send('did:web:a')], [['delete'], ['delete']])
  assert.deepEqual(send('did:web:a'), ['reject', 'repo-request'])
  assert.deepEqual(send('did:web:a'), [])
  assert.deepEqual(send('did:web:b'), ['delete'])
  now = 60_000_000n
  assert.deepEqual(send('did:web:a'), ['delete'])
})

test('the request for the repository is due ten minutes later', () => {
  const guard = createFloodGuard(1, () => 5n)
  guard(remove('did:web:a'))
  const [rejection, request] = guard(remove('did:web:a'))
  assert.equal(rejection?.kind === 'reject' && rejection.reason, 'flood')
  assert.equal(request?.kind === 'repo-request' && request.dueAt, 600_000_005n)
})

test('changes that are no records are let through', () => {
  const guard = createFloodGuard(1, () => 0n)
  const account: Change = { kind: 'identity', did: 'did:web:a' }
  for (let sent = 0; sent < 5; sent += 1) assert.deepEqual(guard(account), [account])
})
