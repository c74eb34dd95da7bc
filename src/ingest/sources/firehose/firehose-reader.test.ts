import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from '@atproto/lex-cbor'
import { cidForCbor } from '@atproto/lex-data'
import { BlockMap, MemoryBlockstore, MST, signCommit } from '@atproto/repo'
import {
  brief,
  create,
  did,
  openFirehoseReader,
  remove,
  start,
  update,
} from '../../../../test/support/network/firehose-reader.ts'
import {
  commitFrame,
  createSignedRepo,
  errorFrame,
  frameOf,
  type SignedCommit,
  type SignedRepo,
} from '../../../../test/support/network/signed-repo.ts'
import { collections } from '../../../../test/support/records/lexicons.ts'
import { formatCid } from '../../../lexicon/records/cid.ts'

const { book, person } = collections

test('records that an account has signed become puts, and deletions deletions, in their order', async () => {
  await using given = await openFirehoseReader()
  const { repo, read } = given
  const unwanted = { ...create('0', {}), collection: 'org.example.other' }
  const first = await repo.write(unwanted, create('1', { title: 'Wind' }), create('2', { title: 'Sand' }))
  const second = await repo.write(update('1', { title: 'Storm' }), remove('2'))
  const reading = await read(await commitFrame(7, first), await commitFrame(9, second))
  assert.deepEqual(reading.changes.map(brief), [
    `put ${book}/1 ${first.rev} Wind`,
    `put ${book}/2 ${first.rev} Sand`,
    `put ${book}/1 ${second.rev} Storm`,
    `delete ${book}/2 ${second.rev}`,
  ])
  assert.equal(reading.seq, '9')
  assert.equal(reading.at, 1_794_830_400_000_000n)
  assert.equal(given.directory.asked.length, 1)
})

test('a put has the CID that the repository has, whatever its values are', async () => {
  await using given = await openFirehoseReader()
  const record = {
    $type: book,
    title: '\uFEFFA byte order mark, and some text that is longer than that',
    note: '\uFEFF\uFEFFá\uFEFF',
    digest: Uint8Array.of(1, 2, 3),
    extra: { '\uFEFFkey': [null, true, -7, { $type: 'x', deep: [[]] }] },
  }
  const commit = await given.repo.write({ action: 'create', collection: book, rkey: '1', record })
  const [put] = (await given.read(await commitFrame(1, commit))).changes
  assert.equal(put?.kind, 'put')
  assert.equal(formatCid(put.cid), commit.ops[0]?.cid?.toString())
  assert.deepEqual(JSON.parse(put.json), { ...record, digest: { $bytes: 'AQID' } })
})

test('every character that a record key may have is read', async () => {
  await using given = await openFirehoseReader()
  const keys = ['0', 'self', '~', '_', '-', 'a:b', 'example.com', '~1.2-3_', '__proto__', 'x'.repeat(512)]
  const commit = await given.repo.write(...keys.map((rkey) => create(rkey, { title: 'Wind' })))
  assert.deepEqual(
    (await given.read(await commitFrame(1, commit))).changes.map(
      (change) => change.kind === 'put' && change.rkey,
    ),
    keys,
  )
})

test('what nobody wants is passed over without a look at keys or proofs', async () => {
  await using given = await openFirehoseReader({ publishers: new Set([did]) })
  const other = await createSignedRepo('did:plc:bbbbbbbbbbbbbbbbbbbbbbbb')
  const foreign = await other.write(create('1', { title: 'Wind' }))
  const unknown = await given.repo.write({ ...create('1', {}), collection: 'org.example.library.Book' })
  const frames = [
    await commitFrame(1, foreign, { blocks: Uint8Array.of(1) }),
    await commitFrame(2, unknown),
    frameOf('#identity', { seq: 3, did: other.did }),
    frameOf('#account', { seq: 4, did: other.did, active: false }),
    frameOf('#sync', { seq: 5, did: other.did, rev: other.rev(), blocks: Uint8Array.of(1) }),
  ]
  const reading = await given.read(...frames)
  assert.deepEqual([reading.changes, reading.seq, given.directory.asked], [[], '5', []])
})

test('a commit that is too big or changes too much is fetched as a repository', async () => {
  await using given = await openFirehoseReader()
  const commit = await given.repo.write(create('1', { title: 'Wind' }))
  const big = await given.read(
    await commitFrame(1, commit, { tooBig: true, ops: [], blocks: new Uint8Array() }),
  )
  assert.deepEqual(big.changes.map(brief), ['repo-request'])
  const changing = async (count: number) =>
    given.read(await commitFrame(2, commit, { ops: Array(count).fill(commit.ops[0]) }))
  assert.equal((await changing(200)).changes.filter(({ kind }) => kind === 'put').length, 200)
  const many = await changing(201)
  assert.deepEqual(many.changes.map(brief), ['reject too-large', 'repo-request'])
  assert.equal(many.changes[0]?.kind === 'reject' && many.changes[0].record.length, 2_000)
})

test('the standing of an account is told with a time that is never ahead of the clock', async () => {
  await using given = await openFirehoseReader()
  const account = (more: object) => frameOf('#account', { seq: 1, did, active: true, ...more })
  const { changes, at } = await given.read(
    account({ time: '2026-11-16T12:00:00Z' }),
    account({ active: false, status: 'takendown', time: '0001-01-01T00:00:00Z' }),
    account({ active: false, time: '9999-12-31T23:59:59Z' }),
    account({ active: false, status: 7, time: 'yesterday' }),
  )
  assert.deepEqual(changes, [
    { kind: 'account', did, active: true, status: null, eventAt: 1_794_830_400_000_000n },
    { kind: 'account', did, active: false, status: 'takendown', eventAt: -62_135_596_800_000_000n },
    { kind: 'account', did, active: false, status: 'deactivated', eventAt: start },
    { kind: 'account', did, active: false, status: 'deactivated', eventAt: start },
  ])
  assert.equal(at, start)
})

test('records with what no record may have are refused at their place, with their revision', async () => {
  await using given = await openFirehoseReader()
  const bad: Record<string, Uint8Array> = {
    float: raw('pages', [0xfb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0]),
    huge: raw('pages', [0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
    utf8: raw('title', [0x62, 0xff, 0xfe]),
    proto: raw('__proto__', [0xa1, 0x65, ...Buffer.from('title'), 0x61, 0x78]),
    deep: raw('extra', [...Array.from({ length: 50_000 }, () => 0x81), 0xf6]),
    list: Uint8Array.of(0x80),
    nothing: Uint8Array.of(),
    long: encode({ $type: book, title: 'x'.repeat(1_000_000) }),
    nul: encode({ $type: book, title: 'a\0b' }),
    type: encode({ $type: person, title: 'Wind' }),
  }
  const { changes } = await given.read(await commitFrame(1, await commitOfBlocks(given.repo, bad)))
  assert.deepEqual(
    changes.map(
      (change) =>
        change.kind === 'reject' && [change.uri?.split('/').at(-1), change.reason, change.rev !== undefined],
    ),
    [
      ['deep', 'malformed', true],
      ['float', 'integer-out-of-range', true],
      ['huge', 'malformed', true],
      ['list', 'malformed', true],
      ['long', 'too-large', true],
      ['nothing', 'malformed', true],
      ['nul', 'bad-text', true],
      ['proto', 'cid-mismatch', true],
      ['type', 'invalid-record', true],
      ['utf8', 'cid-mismatch', true],
    ],
  )
})

/** A commit that has been signed over records of any bytes. */
async function commitOfBlocks(
  { keypair }: SignedRepo,
  records: Readonly<Record<string, Uint8Array>>,
): Promise<SignedCommit> {
  const blocks = new BlockMap()
  let tree = await MST.create(new MemoryBlockstore())
  const ops = []
  for (const rkey of Object.keys(records).toSorted()) {
    const bytes = records[rkey] ?? new Uint8Array()
    const cid = await cidForCbor(bytes)
    blocks.set(cid, bytes)
    tree = await tree.add(`${book}/${rkey}`, cid)
    ops.push({ action: 'create', path: `${book}/${rkey}`, cid })
  }
  const { root, blocks: nodes } = await tree.getUnstoredBlocks()
  blocks.addMap(nodes)
  const rev = '3lxyzabcdef2a'
  const signed = await signCommit({ did, version: 3, data: root, rev, prev: null }, keypair)
  return { did, rev, cid: await blocks.add(signed as never), blocks, ops }
}

/** A book with one value in bytes of CBOR. */
function raw(key: string, value: readonly number[]): Uint8Array {
  const text = (what: string): number[] => [0x78, what.length, ...Buffer.from(what)]
  const short = (what: string): number[] => [0x60 + what.length, ...Buffer.from(what)]
  const title = key === 'title' ? [] : [...short('title'), ...short('Wind')]
  return Uint8Array.from([
    0xa2 + Math.sign(title.length),
    ...short('$type'),
    ...text(book),
    ...title,
    ...short(key),
    ...value,
  ])
}

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
