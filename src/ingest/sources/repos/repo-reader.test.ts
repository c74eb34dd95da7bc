/** Files of repositories: the records in them, and what is refused: a record, or all for its commit, its tree or its file. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { decode, encode } from '@atproto/lex-cbor'
import { type Cid, cidForCbor, type LexValue } from '@atproto/lex-data'
import { BlockMap, blocksToCarFile, MemoryBlockstore, MST, readCarWithRoot, signCommit } from '@atproto/repo'
import { buildCar, createSignedRepo, type Write } from '../../../../test/support/network/signed-repo.ts'
import { collections, libraryLexicons } from '../../../../test/support/records/lexicons.ts'
import type { Change } from '../../../database/changes.ts'
import { formatCid } from '../../../lexicon/records/cid.ts'
import { openCar } from './repo-blocks.ts'
import { createChangeReader } from '../change-reader.ts'
import { openRepo } from './repo-reader.ts'
import { Secp256k1Keypair } from '@atproto/crypto'
import { understand } from '../../../../test/support/records/understand.ts'

const { book, person } = collections
const { set: lexicons, tables } = understand(libraryLexicons, {})
const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const keypair = await Secp256k1Keypair.create()
const rev = '3l2222222222a'
const largeCar = buildCar(
  keypair,
  { did, rev },
  new Map(Array.from({ length: 2_500 }, (_, n) => [`${book}/k${n}`, { $type: book, title: `Book ${n}` }])),
)

test('all records of the wanted collections become puts at the revision of the commit, and then comes the end', async () => {
  const repo = await createSignedRepo(did, keypair)
  await repo.write(create(book, '1', { title: 'Wind' }), create('org.example.other', '1', {}))
  const { rev } = await repo.write(create(book, '2', { title: 'Sand' }), create(person, 'a', { name: 'Ana' }))
  const car = await repo.car()
  assert.equal((await open(car)).did, did)
  assert.deepEqual((await changesIn(car)).map(brief), [
    `put ${book}/1 ${rev} Wind`,
    `put ${book}/2 ${rev} Sand`,
    `put ${person}/a ${rev} undefined`,
    `end ${rev}`,
  ])
})

test('an empty repository has only its end', async () => {
  const repo = await createSignedRepo(did, keypair)
  assert.deepEqual((await changesIn(await repo.car())).map(brief), [`end ${repo.rev()}`])
})

test('thousands of records come in chunks, each made when it is asked for, as the official library lists them', async () => {
  const car = await largeCar
  const read = await chunks(car)
  assert.equal(read.length, 6)
  assert.ok(read.every((chunk) => chunk.length <= 500))
  const puts = read
    .flat()
    .flatMap((change) =>
      change.kind === 'put' ? [`${change.collection}/${change.rkey} ${formatCid(change.cid)}`] : [],
    )
  const { root, blocks } = await readCarWithRoot(car)
  const store = new MemoryBlockstore(blocks)
  const { data } = decode(blocks.get(root) as Uint8Array) as { readonly data: Cid }
  const leaves = await MST.load(store, data).leaves()
  assert.deepEqual(
    puts,
    leaves.map(({ key, value }) => `${key} ${value.toString()}`),
  )
})

test('a file takes little memory besides its own, and of a tree that is walked nothing is retained', async () => {
  const car = await largeCar
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heapUsed = (): number => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const empty = heapUsed()
  const { leaves } = await openCar(car)
  const before = heapUsed()
  assert.ok(before - empty < 4_000_000, `${before - empty} bytes`)
  let count = 0
  let most = 0
  for await (const _ of leaves()) {
    count += 1
    if (count % 1_250 === 0) most = Math.max(most, heapUsed() - before)
  }
  assert.equal(count, 2_500)
  // The nodes take two and a half megabytes, and the library's map of blocks four and a half.
  assert.ok(most < 1_500_000, `${most} bytes`)
})

test('records of a megabyte are a chunk after a few', async () => {
  const note = 'x'.repeat(900_000)
  const writes = Array.from({ length: 12 }, (_, index) =>
    create(book, `k${index}`, { title: 'Long', note, index }),
  )
  const sizes = (await chunks(await carOf(...writes))).map(({ length }) => length)
  assert.deepEqual(sizes, [5, 5, 3])
})

test('records that the lexicons refuse are told with the revision, and the others are not lost', async () => {
  const repo = await createSignedRepo(did, keypair)
  const { rev } = await repo.write(create(book, '1', { title: 7 }), create(book, '2', { title: 'Sand' }))
  const changes = await changesIn(await repo.car())
  assert.deepEqual(changes.map(brief), [
    `reject invalid-record ${book}/1 ${rev}`,
    `put ${book}/2 ${rev} Sand`,
    `end ${rev}`,
  ])
})

function brief(change: Change): string {
  switch (change.kind) {
    case 'put':
      return `put ${change.collection}/${change.rkey} ${change.rev} ${JSON.parse(change.json).title}`
    case 'reject':
      return `reject ${change.reason} ${change.uri?.slice(`at://${did}/`.length)} ${change.rev}`
    case 'repo-end':
      return `end ${change.rev}`
    default:
      return change.kind
  }
}

test('a record that is no DAG-CBOR, too large or nested without end is refused alone', async () => {
  const deep = (levels: number): Uint8Array => Buffer.from(`${'81'.repeat(levels)}80`, 'hex')
  const bytes = (text: string): Uint8Array => Buffer.from(text, 'hex')
  const odd = [
    bytes('ff'),
    bytes('a1'),
    bytes('a161'),
    bytes('80'),
    bytes('fb3ff8000000000000'),
    deep(500),
    deep(6_000),
    deep(100_000),
  ]
  const large = encode({ $type: book, title: 'Long', note: 'x'.repeat(2_000_001) })
  const good = encode({ $type: book, title: 'Wind' })
  const records = [...odd, large, good].map((record, index) => [`${book}/${index}`, record] as const)
  const changes = await changesIn(await makeRepo({ records }))
  assert.deepEqual(
    changes.map((change) => (change.kind === 'reject' ? change.reason : change.kind)),
    [...odd.map(() => 'malformed'), 'too-large', 'put', 'repo-end'],
  )
  const rejects = changes.filter((change) => change.kind === 'reject')
  assert.ok(rejects.every(({ record }) => record.length < 70_000))
})

test('a key that no tree may have refuses the repository', async () => {
  const good = encode({ $type: book, title: 'Wind' })
  for (const key of [`${book}/a b`, `${book}/a/b`, `${book}/é`, `${book}x`])
    await refuses(await makeRepo({ records: [[key, good]] }), /Not a valid MST key/)
})

test('a commit with a number that has no encoding is signed by nobody', async () => {
  const blocks = new BlockMap()
  const data = await blocks.add({ l: null, e: [] })
  const bytes = Buffer.from(
    encode({ did, version: 3, rev, prev: null, data, sig: new Uint8Array(64), odd: 'as long!' }),
  )
  const odd = bytes.indexOf('as long!') - 1
  bytes.set([0xfb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0], odd)
  const cid = await cidForCbor(bytes)
  assert.equal(
    (await open(await blocksToCarFile(cid, blocks.set(cid, bytes)))).isSignedBy(keypair.did()),
    false,
  )
})

test('commits that are not as specified are refused', async () => {
  for (const [commit, message] of [
    [{ version: 2 }, /not of version 3/],
    [{ did: 'alice.test' }, /names no DID/],
    [{ did: 7 }, /names no DID/],
    [{ rev: 'yesterday' }, /no revision/],
    [{ data: null }, /names no tree/],
  ] as const)
    await refuses(await makeRepo({ commit }), message)
})

test('a wanted record whose block is missing refuses the repository, an unwanted one does not', async () => {
  const car = await carOf(create(book, '1', { title: 'Wind' }), create('org.example.other', '1', {}))
  const wanted = encode({ $type: book, title: 'Wind' })
  const error = await refuses(await without(car, wanted), /is missing/)
  assert.ok(error.shouldRetry())
  const left = await without(car, encode({ $type: 'org.example.other' }))
  assert.equal((await changesIn(left)).length, 2)
})

test('a node of the tree that is missing refuses the repository, and it may be there the next time', async () => {
  const { car, nodes } = await bigRepo()
  for (const node of nodes.slice(0, 5)) {
    const error = await refuses(await without(car, node), /The node \w+ of the tree is missing/)
    assert.ok(error.shouldRetry())
  }
})

test('bytes that do not have the hash of their CID are refused', async () => {
  const car = await carOf(create(book, '1', { title: 'Wind' }))
  car[Buffer.from(car).indexOf('Wind')] = 'w'.charCodeAt(0)
  await refuses(car, /Not a valid CID/)
})

test('keys out of order, or twice, refuse the repository', async () => {
  const good = encode({ $type: book, title: 'Wind' })
  for (const keys of ['ba', 'aa']) {
    const records = Array.from(keys, (key) => [`${book}/${key}`, good] as const)
    await refuses(await makeRepo({ records, sorted: false }), /not in order/)
  }
})

test('trees that would be walked without end are refused', async () => {
  const value = await cidForCbor(encode({}))
  const entry = (key: string, right: Cid | null) => ({ p: 0, k: Buffer.from(key), v: value, t: right })
  const blocks = new BlockMap()
  const add = (left: Cid | null, ...entries: readonly object[]): Promise<Cid> =>
    blocks.add({ l: left, e: entries } as never)

  // Each node has the one before on both sides of its key, which doubles the way at each level.
  for (let node of [await add(null), await add(null, entry('x/a', null))]) {
    for (let level = 10; level < 70; level++) node = await add(node, entry(`x/${level}`, node))
    await refuses(await sign(blocks, { data: node }), /not in order|more nodes/)
  }
  // The same way down beside every key.
  let chain = await add(null)
  for (let level = 0; level < 100; level++) chain = await add(chain)
  const comb = await add(
    null,
    ...Array.from({ length: 1_000 }, (_, index) => entry(`x/${10_000 + index}`, chain)),
  )
  await refuses(await sign(blocks, { data: comb }), /more nodes/)

  for (let level = 0; level < 5_000; level++) chain = await add(chain)
  await refuses(await sign(blocks, { data: chain }), /layers/)
})

test('nodes that are not as specified are refused', async () => {
  const v = await cidForCbor(encode({}))
  const entry = { p: 0, k: Buffer.from('x/a'), v, t: null }
  const nodes = [
    7,
    [],
    {},
    { l: 7, e: [] },
    { l: null, e: {} },
    { l: null, e: [7] },
    { l: null, e: [{ ...entry, p: 'x' }] },
    { l: null, e: [{ ...entry, k: 'x/a' }] },
    { l: null, e: [{ ...entry, k: Buffer.alloc(1025, 'x') }] },
    { l: null, e: [{ ...entry, v: null }] },
    { l: null, e: [{ ...entry, t: 'x' }] },
    { l: null, e: Array.from({ length: 40_000 }, () => entry) },
  ]
  for (const node of nodes) {
    const blocks = new BlockMap()
    const data = await blocks.add(node as never)
    await refuses(await sign(blocks, { data }), /tree/)
  }
})

test('a record that stands under so many keys that it would outgrow the limit refuses the repository', async () => {
  const record = encode({ $type: book, title: 'x'.repeat(1_500_000) })
  const records = Array.from({ length: 400 }, (_, index) => [`${book}/k${1000 + index}`, record] as const)
  await refuses(await makeRepo({ records }), /more than 536,870,912 bytes together/)
})

test('files that are no CAR files are refused before anything is kept of them', async () => {
  const before = process.memoryUsage().rss
  for (const [file, message] of [
    [Buffer.alloc(0), /CAR file/],
    [Buffer.from('not a car file, but some text'), /CAR file/],
    [Buffer.alloc(1_000_000), /CAR file/],
    [Buffer.from('<!doctype html><title>Welcome</title>'), /CAR file/],
    [Buffer.concat([Buffer.from([0x01]), encode({})]), /CAR file/],
    [Buffer.alloc(50_000_000, 0xff), /larger than there can be/],
    [Buffer.from([0x81, 0x80, 0x80, 0x80, 0x10, 0]), /larger than there can be/],
    [Buffer.alloc(2_000_001), /more than 2,000,000 blocks/],
  ] as const)
    await refuses(file, message)
  assert.ok(process.memoryUsage().rss - before < 200_000_000)
})

test('a file that is cut is refused wherever it is cut, and says that another attempt may go better', async () => {
  const car = await carOf(create(book, '1', { title: 'Wind' }), create(book, '2', { title: 'Sand' }))
  // At the borders of blocks it looks whole, and something is missing.
  for (let length = 0; length < car.length; length++) {
    const error = await refuses(car.slice(0, length), /./)
    assert.ok(error.shouldRetry(), `${length} of ${car.length}`)
  }
})

test('a damaged file is read or refused', async () => {
  const { car } = await bigRepo()
  for (let at = 0; at < car.length; at += 233) {
    const changed = car.slice()
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8))
    try {
      await chunks(changed)
    } catch (error) {
      assert.ok(error instanceof Error)
      assert.equal(error.name, 'RepoError', `${at}: ${error.stack}`)
    }
  }
})

async function refuses(car: Uint8Array, message: RegExp): Promise<{ readonly shouldRetry: () => boolean }> {
  try {
    await (await open(car)).chunks.next()
  } catch (error) {
    assert.ok(error instanceof Error)
    assert.match(error.message, message, error.stack)
    assert.ok('shouldRetry' in error, error.stack)
    return error as unknown as { readonly shouldRetry: () => boolean }
  }
  return assert.fail('It was not refused.')
}

/** A repository of one node, of records as they are given. */
async function makeRepo(given: {
  readonly records?: readonly (readonly [key: string, record: Uint8Array])[]
  readonly sorted?: boolean
  readonly commit?: Readonly<Record<string, unknown>>
}): Promise<Uint8Array> {
  const { records = [], sorted = true, commit = {} } = given
  const blocks = new BlockMap()
  const order = sorted
    ? records.toSorted(([a], [b]) => Buffer.compare(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1')))
    : records
  const entries = []
  for (const [key, record] of order) {
    const cid = await cidForCbor(record)
    blocks.set(cid, record)
    entries.push({ p: 0, k: Buffer.from(key, 'latin1'), v: cid, t: null })
  }
  const data = await blocks.add({ l: null, e: entries } as never)
  return sign(blocks, { data, ...commit })
}

async function sign(blocks: BlockMap, commit: Readonly<Record<string, unknown>>): Promise<Uint8Array> {
  const signed = await signCommit({ did, version: 3, rev, prev: null, ...commit } as never, keypair)
  return blocksToCarFile(await blocks.add(signed as unknown as LexValue), blocks)
}

async function bigRepo() {
  const car = await carOf(
    ...Array.from({ length: 60 }, (_, index) => create(book, `k${index}`, { title: `Book ${index}` })),
  )
  const { blocks } = await readCarWithRoot(car)
  return { car, nodes: [...blocks.values()].filter((bytes) => 'e' in (decode(bytes) as object)) }
}

/** The same file without one block. */
async function without(car: Uint8Array, block: Uint8Array): Promise<Uint8Array> {
  const { root, blocks } = await readCarWithRoot(car)
  const cid = await cidForCbor(block)
  assert.ok(blocks.has(cid))
  return blocksToCarFile(root, blocks.delete(cid))
}

function open(car: Uint8Array) {
  return openRepo(car, createChangeReader({ lexicons, tables, publishers: null }), 'test')
}

async function chunks(car: Uint8Array): Promise<(readonly Change[])[]> {
  return Array.fromAsync((await open(car)).chunks)
}

async function changesIn(car: Uint8Array): Promise<readonly Change[]> {
  return (await chunks(car)).flat()
}

function create(collection: string, rkey: string, values: Readonly<Record<string, unknown>>): Write {
  return { action: 'create', collection, rkey, record: { $type: collection, ...values } }
}

/** The file of a repository with one commit. */
async function carOf(...writes: readonly Write[]): Promise<Uint8Array<ArrayBuffer>> {
  const repo = await createSignedRepo(did, keypair)
  if (writes.length > 0) await repo.write(...writes)
  return repo.car()
}
