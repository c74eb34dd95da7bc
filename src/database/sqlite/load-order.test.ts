import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change } from '../database.ts'
import { inNearOrder } from './load-order.ts'

const note = 'org.example.note'
/** Characters that each record here counts for. */
const size = 100

test('what is a little out of order comes out in order, ties by key and then by account', async () => {
  const given = [
    put('c', 3),
    put('a', 1),
    put('b', 2, 'did:b'),
    put('b', 2, 'did:a'),
    put('a', 2),
    put('d', 2),
  ]
  assert.deepEqual(await order(given, 3), ['a@1', 'a@2', 'b@2', 'b@2', 'd@2', 'c@3'])
  const [first, second] = (await changes(given, 3)).filter(isPut).filter(({ rkey }) => rkey === 'b')
  assert.deepEqual([first?.did, second?.did], ['did:a', 'did:b'])
})

test('no more waits than may, and nothing is lost', async () => {
  const given = Array.from({ length: 50 }, (_, at) => put(`k${at}`, at ^ 3))
  const sizes: number[] = []
  const all: string[] = []
  let come = 0
  async function* counted(): AsyncGenerator<readonly Change[]> {
    for (const one of given) {
      come += 1
      yield [one]
    }
  }
  for await (const ready of inNearOrder(counted(), 4 * size)) {
    all.push(...ready.map(nameOf))
    sizes.push(come - all.length)
  }
  assert.equal(Math.max(...sizes), 4)
  assert.deepEqual(
    all,
    given.map(nameOf).sort((a, b) => Number(a.split('@')[1]) - Number(b.split('@')[1])),
  )
})

test('changes to one record keep their order, and then those of its collection do', async () => {
  const given = [put('a', 5), put('b', 3), put('b', 2), put('c', 1), put('a', 4)]
  assert.deepEqual(await order(given, 3, 3), ['a@5', 'b@3', 'b@2', 'c@1', 'a@4'])
})

test('when more is out of order than can wait, the rest comes as it is', async () => {
  const given = [put('a', 9), put('b', 8), put('c', 7), put('d', 6), put('e', 7), put('f', 6)]
  assert.deepEqual(await order(given, 2, 1), ['c@7', 'b@8', 'a@9', 'd@6', 'e@7', 'f@6'])
})

test('each collection is put in order by itself', async () => {
  const of = (collection: string, ...given: Change[]) =>
    given.map((change) => ({ ...change, collection }) as Change)
  const given = [
    ...of('org.example.one', put('b', 9), put('a', 8)),
    ...of('org.example.two', put('d', 2), put('c', 1)),
    ...of('org.example.one', put('f', 4), put('e', 3)),
  ]
  assert.deepEqual(await order(given, 100), ['a@8', 'b@9', 'c@1', 'd@2', 'e@3', 'f@4'])
})

test('a refusal waits along, but for one of a record that it must come after', async () => {
  assert.deepEqual(await order([put('b', 2), reject('x'), put('a', 1), reject(null)], 100), [
    'a@1',
    'reject null',
    'b@2',
    'reject x',
  ])
  const given = [put('b', 2), put('a', 1), reject('b')]
  assert.deepEqual(await order(given, 100, 3), ['b@2', 'a@1', 'reject b'])
  assert.deepEqual(await order(given, 100, 1), ['a@1', 'b@2', 'reject b'])
})

test('what has no moment, and what is no record, comes after all that was before it', async () => {
  const now = { ...put('n', 0), indexedAt: null } as Change
  const end: Change = { kind: 'repo-end', did: 'did:a', rev: '3kaaaaaaaaa22' }
  const given = [put('b', 2), put('a', 1), now, put('d', 4), put('c', 3), end, put('e', 5)]
  assert.deepEqual(await order(given, 100), ['a@1', 'b@2', 'n@null', 'c@3', 'd@4', 'repo-end', 'e@5'])
})

function put(rkey: string, at: number, did = 'did:a'): Change {
  const [json, indexedAt] = ['x'.repeat(size), BigInt(at)]
  return {
    kind: 'put',
    collection: note,
    did,
    rkey,
    cid: new Uint8Array(),
    rev: null,
    indexedAt,
    json,
    columns: [],
    arrays: [],
  }
}

/** Of a record, or of none. */
function reject(rkey: string | null): Change {
  const uri = rkey === null ? null : `at://did:a/${note}/${rkey}`
  return { kind: 'reject', source: 'test', uri, reason: 'malformed', message: 'It is no JSON.', record: '' }
}

function isPut(change: Change): change is Extract<Change, { kind: 'put' }> {
  return change.kind === 'put'
}

function nameOf(change: Change): string {
  if (isPut(change)) return `${change.rkey}@${change.indexedAt}`
  if (change.kind !== 'reject') return change.kind
  return `reject ${change.uri === null ? null : change.uri.split('/').at(-1)}`
}

/** In batches of so many, of which so many may wait. */
async function changes(given: readonly Change[], waiting: number, batch = 2): Promise<readonly Change[]> {
  async function* batches(): AsyncGenerator<readonly Change[]> {
    for (let at = 0; at < given.length; at += batch) yield given.slice(at, at + batch)
  }
  return (await Array.fromAsync(inNearOrder(batches(), waiting * size))).flat()
}

async function order(given: readonly Change[], waiting: number, batch = 2): Promise<readonly string[]> {
  return (await changes(given, waiting, batch)).map(nameOf)
}
