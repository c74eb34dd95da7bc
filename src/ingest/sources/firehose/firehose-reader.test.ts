import assert from 'node:assert/strict'
import { test } from 'node:test'
import { P256Keypair } from '@atproto/crypto'
import { decode, encode } from '@atproto/lex-cbor'
import { type Cid, cidForCbor } from '@atproto/lex-data'
import { BlockMap, blocksToCarFile, MemoryBlockstore, MST, signCommit } from '@atproto/repo'
import {
  brief,
  create,
  did,
  openFirehoseReader,
  remove,
  start,
  update,
} from '../../../../test/support/network/firehose-reader.ts'
import { collections } from '../../../../test/support/records/lexicons.ts'
import {
  commitFrame,
  createSignedRepo,
  frameOf,
  type SignedCommit,
  type SignedRepo,
} from '../../../../test/support/network/signed-repo.ts'
import { until } from '../../../../test/support/until.ts'
import { formatCid } from '../../../lexicon/records/cid.ts'

const { book, person } = collections

test('records that an account has signed become puts, and deletions deletions, in their order', async () => {
  await using given = await openFirehoseReader()
  const { repo, read } = given
  const first = await repo.write(create('1', { title: 'Wind' }), create('2', { title: 'Sand' }))
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

test('a key of the other curve is as good', async () => {
  await using given = await openFirehoseReader({ keypair: await P256Keypair.create() })
  const commit = await given.repo.write(create('1', { title: 'Wind' }))
  assert.deepEqual(await given.outcome(await commitFrame(1, commit)), [`put ${book}/1 ${commit.rev} Wind`])
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

test('of a commit only what is wanted is read', async () => {
  await using given = await openFirehoseReader()
  const commit = await given.repo.write(
    { ...create('1', {}), collection: 'org.example.other' },
    create('2', { title: 'Wind' }),
  )
  assert.deepEqual(await given.outcome(await commitFrame(1, commit)), [`put ${book}/2 ${commit.rev} Wind`])
})

test('a commit that someone else has signed is refused without a place, and the repository asked for', async () => {
  await using given = await openFirehoseReader()
  const forger = await createSignedRepo(did)
  const commit = await forger.write(create('1', { title: 'Forged' }))
  const [reject, request] = (await given.read(await commitFrame(1, commit))).changes
  assert.deepEqual(reject, {
    kind: 'reject',
    source: 'firehose:test',
    uri: null,
    reason: 'bad-signature',
    message: `The commit is not signed with the key of ${did}.`,
    record: JSON.stringify({ did, rev: commit.rev, ops: [`${book}/1`] }),
  })
  assert.deepEqual(request, { kind: 'repo-request', did, reason: reject.message })
})

test('of a signature that holds the high twin is refused', async () => {
  await using given = await openFirehoseReader()
  const commit = await given.repo.write(create('1', { title: 'Wind' }))
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const tampered = await withCommit(commit, (fields) => {
    const sig = Buffer.from(fields.sig)
    const twin = order - BigInt(`0x${sig.subarray(32).toString('hex')}`)
    return {
      ...fields,
      sig: Buffer.concat([sig.subarray(0, 32), Buffer.from(twin.toString(16).padStart(64, '0'), 'hex')]),
    }
  })
  assert.deepEqual(await given.outcome(await commitFrame(1, tampered)), [
    'reject bad-signature',
    'repo-request',
  ])
})

test('a key that has changed is looked up again, once', async () => {
  await using given = await openFirehoseReader()
  const old = await given.repo.write(create('1', { title: 'Old' }))
  await given.read(await commitFrame(1, old))
  const moved = await createSignedRepo(did)
  given.directory.add({ did, key: moved.keypair.did() })
  const commit = await moved.write(create('2', { title: 'New' }))
  assert.deepEqual(await given.outcome(await commitFrame(2, commit)), [`put ${book}/2 ${commit.rev} New`])
  const forger = await createSignedRepo(did)
  const forged = await forger.write(create('3', { title: 'Forged' }))
  for (let seq = 3; seq < 6; seq++) await given.read(await commitFrame(seq, forged))
  assert.equal(given.directory.asked.length, 2)
})

test('after word of a new identity the key is looked up anew', async () => {
  await using given = await openFirehoseReader()
  const commit = await given.repo.write(create('1', { title: 'Wind' }))
  await given.read(await commitFrame(1, commit))
  assert.deepEqual((await given.read(frameOf('#identity', { seq: 2, did }))).changes, [
    { kind: 'identity', did },
  ])
  const moved = await createSignedRepo(did)
  given.directory.add({ did, key: moved.keypair.did() })
  assert.deepEqual(await given.outcome(await commitFrame(3, commit)), [
    'reject bad-signature',
    'repo-request',
  ])
})

test('while the directory is away the repository is asked for, and nothing refused', async () => {
  await using given = await openFirehoseReader()
  given.directory.documents.set(did, 503)
  const commit = await given.repo.write(create('1', { title: 'Wind' }))
  assert.deepEqual(await given.outcome(await commitFrame(1, commit)), ['repo-request'])
})

test('a key that is slow to come holds nobody up, and is there for the next time', async () => {
  await using given = await openFirehoseReader()
  const slow = 'did:plc:bbbbbbbbbbbbbbbbbbbbbbbb'
  const theirs = await createSignedRepo(slow)
  given.directory.add({ did: slow, key: theirs.keypair.did() })
  const document = given.directory.documents.get(slow) as object
  const { promise, resolve } = Promise.withResolvers<object>()
  given.directory.documents.set(slow, promise)
  const ours = await given.repo.write(create('1', { title: 'Ours' }))
  const writes = await Promise.all(
    ['1', '2', '3'].map(async (rkey) => theirs.write(create(rkey, { title: 'Theirs' }))),
  )
  // It comes although the key does not.
  const reading = await given.read(await commitFrame(1, writes[0]!), await commitFrame(2, ours))
  assert.deepEqual(reading.changes, [
    { kind: 'repo-request', did: slow, reason: `The key of ${slow} could not be looked up in time.` },
    ...reading.changes.slice(1),
  ])
  assert.equal(brief(reading.changes[1]), `put ${book}/1 ${ours.rev} Ours`)
  assert.deepEqual(await given.outcome(await commitFrame(3, writes[1]!)), ['repo-request'])
  resolve(document)
  const last = await commitFrame(4, writes[2]!)
  const put = `put ${book}/3 ${writes[2]!.rev} Theirs`
  await until(async () => (await given.outcome(last)).includes(put))
  assert.deepEqual(
    given.directory.asked.filter((asked) => asked === slow),
    [slow],
  )
})

test('an account that the directory has given up has signed nothing', async () => {
  await using given = await openFirehoseReader()
  given.directory.documents.set(did, 410)
  const commit = await given.repo.write(create('1', { title: 'Wind' }))
  const [reject] = (await given.read(await commitFrame(1, commit))).changes
  assert.equal(brief(reject), 'reject bad-signature')
  assert.match(
    reject?.kind === 'reject' ? reject.message : '',
    /^The DID document of did:plc:a+ could not be fetched: Gone\.$/,
  )
})

test('a signed commit proves nothing that it does not say', async () => {
  await using given = await openFirehoseReader()
  const { repo } = given
  const old = await repo.write(create('1', { title: 'Wind' }), create('2', { title: 'Sand' }))
  const commit = await repo.write(update('1', { title: 'Storm' }), remove('2'))
  const other = await createSignedRepo('did:plc:bbbbbbbbbbbbbbbbbbbbbbbb', repo.keypair)
  given.directory.add({ did: other.did, key: repo.keypair.did() })
  const theirs = await other.write(create('1', { title: 'Theirs' }))
  const [op, gone] = commit.ops
  const wrong: readonly (readonly [string, Uint8Array, RegExp])[] = [
    ['an old commit with a new revision', await commitFrame(1, old, { rev: commit.rev }), /revision/],
    [
      'an old commit under the name of a new one',
      await commitFrame(1, old, { commit: commit.cid, rev: old.rev }),
      /not the one/,
    ],
    ['a commit of another account', await commitFrame(1, theirs, { repo: did }), /is one of did:plc:b+,/],
    [
      'another record',
      await commitFrame(1, commit, { ops: [{ ...op, cid: old.ops[0]?.cid }] }),
      /something else/,
    ],
    [
      'a record at another key',
      await commitFrame(1, commit, { ops: [{ ...op, path: `${book}/3` }] }),
      /something else/,
    ],
    [
      'a deletion of what is there',
      await commitFrame(1, commit, { ops: [{ ...gone, path: `${book}/1` }] }),
      /something else/,
    ],
    [
      'a record that is deleted',
      await commitFrame(1, commit, { ops: [{ ...op, path: `${book}/2` }] }),
      /something else/,
    ],
    [
      'no tree',
      await commitFrame(1, await without(commit, (fields) => fields.data)),
      /of the tree is missing/,
    ],
    ['no commit', await commitFrame(1, await without(commit, () => commit.cid)), /does not have the commit/],
    ['no blocks', await commitFrame(1, commit, { blocks: new Uint8Array() }), /cannot be read/],
    [
      'half of the blocks',
      await commitFrame(1, commit, { blocks: (await car(commit)).subarray(0, -20) }),
      /cannot be read/,
    ],
    [
      'blocks with a wrong byte',
      await commitFrame(1, commit, { blocks: flip(await car(commit), 400) }),
      /cannot be read/,
    ],
    [
      'a commit of version 2',
      await commitFrame(1, await withCommit(commit, (fields) => ({ ...fields, version: 2 }))),
      /version 3/,
    ],
  ]
  for (const [what, frame, message] of wrong) {
    const { changes } = await given.read(frame)
    const [reject, ...more] = changes
    assert.deepEqual([what, brief(reject)], [what, 'reject bad-proof'])
    assert.match(reject?.kind === 'reject' ? reject.message : '', message, what)
    assert.ok(
      more.every(({ kind }) => kind === 'repo-request'),
      what,
    )
    assert.equal(reject?.kind === 'reject' && (reject.rev ?? reject.uri), null, what)
  }
})

test('a record that did not come with its commit is fetched with its repository, the others are taken', async () => {
  await using given = await openFirehoseReader()
  const commit = await given.repo.write(create('1', { title: 'Wind' }), create('2', { title: 'Sand' }))
  const cut = await without(commit, () => commit.ops[0]?.cid)
  assert.deepEqual(await given.outcome(await commitFrame(1, cut)), [
    'repo-request',
    `put ${book}/2 ${commit.rev} Sand`,
  ])
})

test('a commit that is too big or changes too much is fetched as a repository', async () => {
  await using given = await openFirehoseReader()
  const commit = await given.repo.write(create('1', { title: 'Wind' }))
  const big = await given.read(
    await commitFrame(1, commit, { tooBig: true, ops: [], blocks: new Uint8Array() }),
  )
  assert.deepEqual(big.changes.map(brief), ['repo-request'])
  const ops = Array.from({ length: 10_000 }, (_, at) => ({ ...commit.ops[0], path: `${book}/${at}` }))
  const many = await given.read(await commitFrame(2, commit, { ops }))
  assert.deepEqual(many.changes.map(brief), ['reject too-large', 'repo-request'])
  assert.equal(many.changes[0]?.kind === 'reject' && many.changes[0].record.length, 2_000)
})

test('a repository that has diverged is fetched when its account has signed so', async () => {
  await using given = await openFirehoseReader()
  const commit = await given.repo.write(create('1', { title: 'Wind' }))
  const only = new BlockMap()
  only.set(commit.cid, commit.blocks.get(commit.cid) ?? new Uint8Array())
  const blocks = await blocksToCarFile(commit.cid, only)
  const sync = { seq: 1, did, rev: commit.rev, blocks, time: '2026-11-16T12:00:00Z' }
  assert.deepEqual((await given.read(frameOf('#sync', sync))).changes, [
    { kind: 'repo-request', did, reason: 'Its host says that it has diverged.', ifKnown: true },
  ])
  assert.deepEqual(await given.outcome(frameOf('#sync', { ...sync, rev: '3lxyzabcdef2a' })), [
    'reject bad-proof',
    'repo-request',
  ])
  const tooBig = await given.read(await commitFrame(3, commit, { tooBig: true }))
  assert.deepEqual(tooBig.changes, [
    { kind: 'repo-request', did, reason: 'A commit was too big to come with its records.' },
  ])
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

function car({ cid, blocks }: SignedCommit): Promise<Uint8Array> {
  return blocksToCarFile(cid, blocks)
}

function flip(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))
}

/** Without the block that is picked of the commit's fields. */
async function without(
  commit: SignedCommit,
  pick: (fields: CommitFields) => Cid | null | undefined,
): Promise<SignedCommit> {
  const dropped = pick(decode(commit.blocks.get(commit.cid) ?? new Uint8Array()) as unknown as CommitFields)
  const blocks = new BlockMap([...commit.blocks].filter(([cid]) => dropped?.equals(cid) !== true))
  return { ...commit, blocks }
}

interface CommitFields {
  readonly did: string
  readonly version: number
  readonly rev: string
  readonly data: Cid
  readonly prev: null
  readonly sig: Uint8Array
}

/** With another block in place of the commit's own. */
async function withCommit(
  commit: SignedCommit,
  change: (fields: CommitFields) => CommitFields,
): Promise<SignedCommit> {
  const rest = await without(commit, () => commit.cid)
  const fields = decode(commit.blocks.get(commit.cid) ?? new Uint8Array()) as unknown as CommitFields
  return { ...rest, cid: await rest.blocks.add(change(fields) as never) }
}

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
