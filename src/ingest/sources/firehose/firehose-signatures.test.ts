/** Who has signed what comes over a firehose, with which key, and what that proves. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decode } from '@atproto/lex-cbor'
import type { Cid } from '@atproto/lex-data'
import { BlockMap, blocksToCarFile } from '@atproto/repo'
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
  atRevision,
  commitFrame,
  createSignedRepo,
  frameOf,
  type SignedCommit,
} from '../../../../test/support/network/signed-repo.ts'
import { liftTimeLimits } from '../../../../test/support/network/time-limits.ts'
import { tid } from '../../../../test/network/follow.ts'
import { collections } from '../../../../test/support/records/lexicons.ts'
import { until } from '../../../../test/support/until.ts'

const { book } = collections
/** Ten years ahead of the reader's clock, in microseconds. */
const muchLater = start + 315_576_000_000_000n
const farRevision = tid(Number(muchLater))
/** A limit, in milliseconds, that only look-ups without an answer need to pass. */
const shortest = 50

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

test('while the directory is away the repository is asked for, and nothing refused', async () => {
  await using given = await openFirehoseReader()
  given.directory.documents.set(did, 503)
  const commit = await given.repo.write(create('1', { title: 'Wind' }))
  assert.deepEqual(await given.outcome(await commitFrame(1, commit)), ['repo-request'])
})

test('a key that is slow to come holds nobody up, and is there for the next time', async () => {
  using _ = liftTimeLimits()
  await using given = await openFirehoseReader({ timeoutMs: shortest })
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
  // Known by then, however slow this machine is.
  const known = await commitFrame(1, await given.repo.write(create('0', { title: 'Known' })))
  await until(async () => (await given.outcome(known))[0]?.startsWith('put'))
  // It comes although the other key does not.
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
  const changed = (changes: object) => commitFrame(1, commit, { ...changes })
  const wrong: readonly (readonly [string, Uint8Array, RegExp])[] = [
    ['an old commit with a new revision', await commitFrame(1, old, { rev: commit.rev }), /revision/],
    [
      'an old commit under the name of a new one',
      await commitFrame(1, old, { commit: commit.cid, rev: old.rev }),
      /not the one/,
    ],
    ['a commit of another account', await commitFrame(1, theirs, { repo: did }), /is one of did:plc:b+,/],
    ['another record', await changed({ ops: [{ ...op, cid: old.ops[0]?.cid }] }), /something else/],
    ['a record at another key', await changed({ ops: [{ ...op, path: `${book}/3` }] }), /something else/],
    [
      'a deletion of what is there',
      await changed({ ops: [{ ...gone, path: `${book}/1` }] }),
      /something else/,
    ],
    ['a record that is deleted', await changed({ ops: [{ ...op, path: `${book}/2` }] }), /something else/],
    [
      'no tree',
      await commitFrame(1, await without(commit, (fields) => fields.data)),
      /of the tree is missing/,
    ],
    ['no commit', await commitFrame(1, await without(commit, () => commit.cid)), /does not have the commit/],
    ['no blocks', await changed({ blocks: new Uint8Array() }), /cannot be read/],
    ['half of the blocks', await changed({ blocks: (await car(commit)).subarray(0, -20) }), /cannot be read/],
    ['blocks with a wrong byte', await changed({ blocks: flip(await car(commit), 400) }), /cannot be read/],
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

test('a commit from the future that its account has really signed is refused, and leaves no revision behind', async () => {
  await using given = await openFirehoseReader()
  const { keypair } = given.repo
  const commit = await atRevision(
    await given.repo.write(create('1', { title: 'Wind' })),
    keypair,
    farRevision,
  )
  const reading = await given.read(await commitFrame(1, commit))
  assert.deepEqual(reading.changes.map(brief), ['reject future-revision', 'repo-request'])
  assert.deepEqual([reading.isFuture, reading.before, reading.seq], [true, '0', '1'])
  const [reject] = reading.changes
  assert.deepEqual(reject?.kind === 'reject' && [reject.uri, reject.rev], [null, undefined])
  const blocks = await blocksToCarFile(commit.cid, commit.blocks)
  const sync = frameOf('#sync', { seq: 2, did, rev: farRevision, blocks })
  assert.deepEqual(await given.outcome(sync), ['reject future-revision', 'repo-request'])
  await using later = await openFirehoseReader({
    keypair,
    now: () => muchLater,
  })
  assert.deepEqual(await later.outcome(await commitFrame(1, commit)), [`put ${book}/1 ${farRevision} Wind`])
})

test('revisions may be ahead of the clock by as much as clocks may differ', async () => {
  await using given = await openFirehoseReader()
  const outcomes: (string | undefined)[] = []
  for (const seconds of [-1, 299, 301]) {
    const commit = await given.repo.write(create(`r${seconds + 1}`, { title: 'Wind' }))
    const ahead = await atRevision(commit, given.repo.keypair, tid(Number(start) + seconds * 1_000_000))
    outcomes.push((await given.outcome(await commitFrame(1, ahead)))[0]?.split(' ')[0])
  }
  assert.deepEqual(outcomes, ['put', 'put', 'reject'])
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
  readonly data: Cid
}

/** With another block in place of the commit's own. */
async function withCommit(
  commit: SignedCommit,
  change: (fields: CommitFields) => object,
): Promise<SignedCommit> {
  const rest = await without(commit, () => commit.cid)
  const fields = decode(commit.blocks.get(commit.cid) ?? new Uint8Array()) as unknown as CommitFields
  return { ...rest, cid: await rest.blocks.add(change(fields) as never) }
}
