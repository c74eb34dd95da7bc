import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from '@atproto/lex-cbor'
import { brief, create, did, openFirehoseReader } from '../../../../test/support/network/firehose-reader.ts'
import { collections } from '../../../../test/support/records/lexicons.ts'
import { commitFrame, errorFrame, frameOf } from '../../../../test/support/network/signed-repo.ts'

const { book } = collections

test('a frame that is none is refused, and those around it are read', async () => {
  await using given = await openFirehoseReader()
  const commit = await given.repo.write(create('1', { title: 'Wind' }))
  const good = await commitFrame(5, commit)
  const garbage = [
    Buffer.from('hello'),
    new Uint8Array(),
    good.subarray(0, 100),
    Buffer.concat([good, good]),
    Buffer.concat([encode(1), encode({})]),
    Buffer.concat([encode({ op: 1, t: '#commit' }), encode([])]),
    Buffer.from('9f'.repeat(1000), 'hex'),
    new Uint8Array(200_000).fill(0x81),
  ]
  const reading = await given.read(...garbage, good, ...garbage)
  assert.deepEqual(reading.changes.map(brief), [
    ...garbage.map(() => 'reject malformed'),
    `put ${book}/1 ${commit.rev} Wind`,
    ...garbage.map(() => 'reject malformed'),
  ])
  assert.equal(reading.seq, '5')
  const [first] = reading.changes
  assert.equal(first?.kind === 'reject' && first.record, Buffer.from('hello').toString('hex'))
  const records = reading.changes.map((change) => (change.kind === 'reject' ? change.record.length : 0))
  assert.ok(Math.max(...records) <= 2_000)
})

test('an event that is not as the protocol says is refused', async () => {
  await using given = await openFirehoseReader()
  const commit = await given.repo.write(create('1', { title: 'Wind' }))
  const [op] = commit.ops
  const wrong = [
    await commitFrame(1, commit, { repo: 'alice.test' }),
    await commitFrame(1, commit, { repo: 7 }),
    await commitFrame(1, commit, { rev: 'newest' }),
    await commitFrame(1, commit, { commit: null }),
    await commitFrame(1, commit, { commit: '\u0000' }),
    await commitFrame(1, commit, { blocks: 'none' }),
    await commitFrame(1, commit, { ops: null }),
    await commitFrame(1, commit, { ops: [null] }),
    await commitFrame(1, commit, { ops: [{ ...op, path: 1 }] }),
    await commitFrame(1, commit, { ops: [{ ...op, path: book }] }),
    await commitFrame(1, commit, { ops: [{ ...op, path: `${book}/` }] }),
    await commitFrame(1, commit, { ops: [{ ...op, path: `${book}/1/2` }] }),
    await commitFrame(1, commit, { ops: [{ ...op, path: `${book}/a b\u0000` }] }),
    await commitFrame(1, commit, { ops: [{ ...op, path: `${book}/..` }] }),
    await commitFrame(1, commit, { ops: [{ ...op, action: 'replace' }] }),
    await commitFrame(1, commit, { ops: [{ ...op, cid: null }] }),
    frameOf('#sync', { seq: 1, did: 'did:plc', rev: commit.rev, blocks: new Uint8Array() }),
    frameOf('#sync', { seq: 1, did, rev: 1, blocks: new Uint8Array() }),
    frameOf('#sync', { seq: 1, did, rev: commit.rev }),
    frameOf('#identity', { seq: 1, handle: 'alice.test' }),
    frameOf('#account', { seq: 1, did }),
  ]
  const reading = await given.read(...wrong)
  assert.deepEqual(
    reading.changes.map(brief),
    wrong.map(() => 'reject malformed'),
  )
  assert.ok(
    reading.changes.every(
      (change) => change.kind === 'reject' && !/[\0]/.test(change.message + change.record),
    ),
  )
  assert.deepEqual([reading.seq, given.directory.asked], ['1', []])
})

test('what the server says of itself is passed on, and unknown kinds of events are refused', async () => {
  await using given = await openFirehoseReader()
  const { changes, seq, notices } = await given.read(
    frameOf('#info', { name: 'OutdatedCursor', message: 'Too old' }),
    frameOf('#emoji', { seq: 3, did }),
    frameOf(`#${'long\0'.repeat(1000)}`, {}),
    Buffer.concat([encode({ op: 2, t: '#commit' }), encode({ seq: 4 })]),
    errorFrame('FutureCursor'),
  )
  assert.equal(seq, '4')
  assert.deepEqual(changes.map(brief), Array(3).fill('reject unknown-event'))
  assert.ok(changes.every((change) => change.kind === 'reject' && change.message.length < 300))
  assert.deepEqual(
    notices.map(({ kind, name, message }) => [kind, name.slice(0, 20), message]),
    [
      ['info', 'OutdatedCursor', 'Too old'],
      ['error', 'FutureCursor', ''],
    ],
  )
})

test('numbers of frames are exact however large, and others are none', async () => {
  await using given = await openFirehoseReader()
  const seqOf = async (seq: unknown) => (await given.read(frameOf('#identity', { seq, did }))).seq
  assert.equal(await seqOf(Number.MAX_SAFE_INTEGER), '9007199254740991')
  assert.equal(await seqOf(2n ** 63n), '9223372036854775808')
  assert.deepEqual([await seqOf(-1), await seqOf('7'), await seqOf(null)], [null, null, null])
})
