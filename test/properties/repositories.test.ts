/**
 * Whatever way news of repositories takes, the index ends up as the repositories are: events of several streams,
 * some of which miss events, and repositories as a whole, all mixed.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Keypair, Secp256k1Keypair } from '@atproto/crypto'
import fc from 'fast-check'
import type { Change } from '../../src/database/changes.ts'
import { createChangeReader } from '../../src/ingest/sources/change-reader.ts'
import { openRepo } from '../../src/ingest/sources/repos/repo-reader.ts'
import { collections, libraryLexicons } from '../support/records/lexicons.ts'
import { createSignedRepo, type SignedRepo, type Write } from '../support/network/signed-repo.ts'
import { replayable } from '../support/random/replay.ts'
import { rounds, seed } from '../support/rounds.ts'
import { openTestStore, type TestStore } from '../support/store/store.ts'
import { understand } from '../support/records/understand.ts'

const nsids = [collections.book, collections.person] as const
const { set: lexicons, tables } = understand(libraryLexicons, {})
const reader = createChangeReader({ lexicons, tables, publishers: null })
const keypair: Keypair = await Secp256k1Keypair.create()

/** One write each of one repository: whether it creates, updates or deletes depends on what is there. */
interface Step {
  readonly repo: number
  readonly writes: readonly Wish[]
  /** How much of it the stream that forgets tells. */
  readonly told: boolean
  /** Whether somebody fetches the repository after it. */
  readonly fetched: boolean
}

interface Wish {
  readonly collection: (typeof nsids)[number]
  readonly rkey: string
  readonly title: string | number | null
}

const wish: fc.Arbitrary<Wish> = fc.record({
  collection: fc.constantFrom(...nsids),
  rkey: fc.constantFrom('a', 'b', 'c', 'd'),
  // A number is refused by the lexicon, null deletes.
  title: fc.oneof(fc.constantFrom('Wind', 'Sand', 'Storm'), fc.constant(7), fc.constant(null)),
})

const step: fc.Arbitrary<Step> = fc.record({
  repo: fc.nat(2),
  writes: fc.uniqueArray(wish, {
    minLength: 1,
    maxLength: 4,
    selector: ({ collection, rkey }) => collection + rkey,
  }),
  told: fc.boolean(),
  fetched: fc.boolean(),
})

const history = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 14 }),
  /** By repository: whether a stream tells all of it; if not, it is fetched at its end. */
  streamed: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
  /** Which of the sources comes next, again and again, and how many of its changes at once. */
  turns: fc.infiniteStream(fc.nat(1_000)),
})

test('the index equals the repositories for any order of events and whole repositories', async () => {
  const check = fc.asyncProperty(history, async ({ steps, streamed, turns }) => {
    const { repos, known, sources } = await live(steps, streamed)
    await using store = await openTestStore({ path: 'sqlite::memory:', lexicons: libraryLexicons })
    await store.database.write.applyBatch(known)
    for (const some of mixed(sources, turns)) await store.database.write.applyBatch(some)
    assert.deepEqual(await stored(store), await published(repos))
  })
  await replayable(seed, () => fc.assert(check, { seed, numRuns: rounds(25), includeErrorInReport: true }))
})

interface History {
  readonly repos: readonly SignedRepo[]
  /** One record of each repository, which is indexed first. */
  readonly known: readonly Change[]
  readonly sources: readonly (readonly Change[])[]
}

/**
 * The changes of each source; a source keeps its own order. Every account has a record in the index beforehand:
 * nothing is stored of an account without records, not even the revision at which its repository was found empty.
 */
async function live(steps: readonly Step[], streamed: readonly boolean[]): Promise<History> {
  const repos = await Promise.all(
    ['a', 'b', 'c'].map((letter) => createSignedRepo(`did:plc:${letter.repeat(24)}`, keypair)),
  )
  const first: Wish = { collection: collections.person, rkey: 'first', title: 'Wind' }
  const known = (await Promise.all(repos.map((repo) => commit(repo, [first])))).flat()
  const whole: Change[] = []
  const forgetful: Change[] = []
  const fetched: (readonly Change[])[] = []
  for (const { repo: at, writes, told, fetched: isFetched } of steps) {
    const repo = repos[at] as SignedRepo
    const events = await commit(repo, writes)
    if (streamed[at] === true) whole.push(...events)
    if (told) forgetful.push(...events)
    if (isFetched) fetched.push(await fetchAll(repo))
  }
  for (const [at, repo] of repos.entries()) if (streamed[at] === false) fetched.push(await fetchAll(repo))
  return { repos, known, sources: [whole, forgetful, ...fetched] }
}

async function commit(repo: SignedRepo, wishes: readonly Wish[]): Promise<readonly Change[]> {
  const there = await repo.records()
  const writes = wishes.flatMap(({ collection, rkey, title }): Write[] => {
    const exists = there.has(`at://${repo.did}/${collection}/${rkey}`)
    if (title === null) return exists ? [{ action: 'delete', collection, rkey }] : []
    // The library's store loses a record that two keys share when one of them goes.
    const record = {
      $type: collection,
      [collection === collections.book ? 'title' : 'name']: title,
      note: rkey,
    }
    return [{ action: exists ? 'update' : 'create', collection, rkey, record }]
  })
  if (writes.length === 0) return []
  const { rev } = await repo.write(...writes)
  return writes.map(({ action, collection, rkey, record }) =>
    action === 'delete'
      ? { kind: 'delete', did: repo.did, collection, rkey, rev }
      : reader.read({ did: repo.did, collection, rkey, rev, cid: null, value: record }, 'stream'),
  )
}

async function fetchAll(repo: SignedRepo): Promise<readonly Change[]> {
  const read = await openRepo(await repo.car(), reader, 'fetch')
  return (await Array.fromAsync(read.chunks)).flat()
}

/** The sources' changes in batches: each keeps its order, and which one is next is up to the turns. */
function* mixed(
  sources: readonly (readonly Change[])[],
  turns: Iterator<number>,
): Generator<readonly Change[]> {
  const left = sources.filter(({ length }) => length > 0).map((changes) => [...changes])
  while (left.length > 0) {
    const turn = turns.next().value as number
    const index = turn % left.length
    const source = left[index] as Change[]
    yield source.splice(0, 1 + (turn % 5))
    if (source.length === 0) left.splice(index, 1)
  }
}

async function stored(store: TestStore): Promise<ReadonlyMap<string, unknown>> {
  const rows = await Array.fromAsync(nsids, (nsid) =>
    store.rows(
      `select base.uri || t.rkey as uri, json(t.record) as json from "${nsid}" t join base on base.id = t.base`,
    ),
  )
  return new Map(
    rows
      .flat()
      .map(({ uri, json }) => [String(uri), JSON.parse(String(json))] as const)
      .toSorted(byUri),
  )
}

/** What the lexicons refuse is in a repository, but not in the index. */
async function published(repos: readonly SignedRepo[]): Promise<ReadonlyMap<string, unknown>> {
  const all = await Promise.all(repos.map((repo) => repo.records()))
  const valid = all
    .flatMap((records) => [...records])
    .filter(([, { title, name }]) => typeof (title ?? name) === 'string')
  return new Map(valid.toSorted(byUri))
}

function byUri([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
