import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { decode } from '@atproto/lex-cbor'
import type { Cid } from '@atproto/lex-data'
import { MemoryBlockstore, MST, readCarWithRoot } from '@atproto/repo'
import { chunks, create, did, keypair, open, rev } from '../../../../test/support/network/opened-repo.ts'
import { buildCar, createSignedRepo } from '../../../../test/support/network/signed-repo.ts'
import { collections } from '../../../../test/support/records/lexicons.ts'
import type { Change } from '../../../database/changes.ts'
import { formatCid } from '../../../lexicon/records/cid.ts'
import { openCar } from './repo-blocks.ts'

const { book, person } = collections
const largeCar = buildCar(
  keypair,
  { did, rev },
  new Map(Array.from({ length: 5_000 }, (_, n) => [`${book}/k${n}`, { $type: book, title: `Book ${n}` }])),
)

test('all records of the wanted collections become puts at the revision of the commit, and then comes the end', async () => {
  const repo = await createSignedRepo(did, keypair)
  await repo.write(create(book, '1', { title: 'Wind' }), create('org.example.other', '1', {}))
  const { rev } = await repo.write(create(book, '2', { title: 'Sand' }), create(person, 'a', { name: 'Ana' }))
  const read = await open(await repo.car())
  assert.equal(read.did, did)
  assert.deepEqual((await chunks(read)).flat().map(brief), [
    `put ${book}/1 ${rev} Wind`,
    `put ${book}/2 ${rev} Sand`,
    `put ${person}/a ${rev} undefined`,
    `end ${rev}`,
  ])
})

test('an empty repository has only its end', async () => {
  const repo = await createSignedRepo(did, keypair)
  assert.deepEqual((await chunks(open(await repo.car()))).flat().map(brief), [`end ${repo.rev()}`])
})

test('five thousand records come in chunks, each made when it is asked for, as the official library lists them', async () => {
  const car = await largeCar
  const read = await chunks(open(car))
  assert.equal(read.length, 11)
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
  assert.ok(before - empty < 8_000_000, `${before - empty} bytes`)
  let count = 0
  let most = 0
  for await (const _ of leaves()) {
    count += 1
    if (count % 2_500 === 0) most = Math.max(most, heapUsed() - before)
  }
  assert.equal(count, 5_000)
  // The nodes take five megabytes, and the library's map of blocks nine.
  assert.ok(most < 3_000_000, `${most} bytes`)
})

test('records of a megabyte are a chunk after a few', async () => {
  const repo = await createSignedRepo(did, keypair)
  const note = 'x'.repeat(900_000)
  await repo.write(
    ...Array.from({ length: 12 }, (_, index) => create(book, `k${index}`, { title: 'Long', note, index })),
  )
  const sizes = (await chunks(open(await repo.car()))).map(({ length }) => length)
  assert.deepEqual(sizes, [5, 5, 3])
})

test('records that the lexicons refuse are told with the revision, and the others are not lost', async () => {
  const repo = await createSignedRepo(did, keypair)
  const { rev } = await repo.write(create(book, '1', { title: 7 }), create(book, '2', { title: 'Sand' }))
  const changes = (await chunks(open(await repo.car()))).flat()
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
