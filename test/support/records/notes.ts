/** Two small collections for tests of the write path: what a network says of their records, and what must follow from it. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import type { BatchOutcome, Change } from '../../../src/database/database.ts'
import type { Table } from '../../../src/database/layout/tables.ts'
import { readRecords } from '../../../src/database/read-records.ts'
import { inKeyOrder } from '../../../src/lexicon/records/encoding.ts'
import type { Json } from '../../reference/shapes.ts'
import { replayable } from '../random/replay.ts'
import { rounds, seed } from '../rounds.ts'
import { tableState, withoutTimes } from '../store/kept-state.ts'
import { type Engine, type FreshDatabase, freshDatabase } from '../store/postgres.ts'
import {
  assertCounts,
  emptyDatabases,
  openTestStore,
  recordLexicon,
  recordText,
  type TestStore,
} from '../store/store.ts'

export const note = 'org.example.note'
export const mark = 'org.example.mark'
export const dids = [
  'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa',
  'did:web:b.example',
  'did:plc:zzzzzzzzzzzzzzzzzzzzzzzz',
]

const strongRef = { type: 'ref', ref: 'com.atproto.repo.strongRef' }
const noteProperties = {
  text: { type: 'string', maxGraphemes: 300, maxLength: 3000 },
  tags: { type: 'array', items: { type: 'string', maxLength: 64 } },
  language: { type: 'string', format: 'language' },
  score: { type: 'integer', minimum: 0, maximum: 5 },
  isGood: { type: 'boolean' },
  at: { type: 'string', format: 'datetime' },
  about: strongRef,
  links: { type: 'array', items: strongRef },
}
const markLexicon = recordLexicon(mark, { name: { type: 'string', maxLength: 20, knownValues: ['x'] } })
export const noteLexicons: readonly Json[] = [recordLexicon(note, noteProperties), markLexicon]
/** Every record fits these too, but all that is derived must be derived again. */
export const widerLexicons: readonly Json[] = [
  recordLexicon(note, { ...noteProperties, stars: { type: 'integer' } }),
  markLexicon,
]

/** A revision; a later one for a larger number. */
export function rev(n: number): string {
  const digits = '234567abcdefghijklmnopqrstuvwxyz'
  return `3k${[...Array(11).keys()].map((at) => digits[Math.floor(n / 32 ** (10 - at)) % 32]).join('')}`
}

export interface RecordAddress {
  readonly did: string
  readonly collection: string
  readonly rkey: string
}

export function uriOf({ did, collection, rkey }: RecordAddress): string {
  return `at://${did}/${collection}/${rkey}`
}

export function spotOf(uri: string): RecordAddress {
  const [, , did, collection, rkey] = uri.split('/') as [string, string, string, string, string]
  return { did, collection, rkey }
}

/** In the first repository's notes, unless said otherwise. */
export function spot(rkey: string, did = 0, collection = note): RecordAddress {
  return { did: dids[did] as string, collection, rkey }
}

const cid = 'bafyreibjk2zm52hfizr454i2vrctndr2q2oimlwxu36s3or2icabptr6by'
const link = (uri: string) => ({ uri, cid })
/** What records of a collection hold, by number. */
const contents: Readonly<Record<string, readonly Json[]>> = {
  [note]: [
    {
      text: 'Äpfel und Birnen',
      language: 'de',
      score: 3,
      tags: ['fruit', 'de'],
      about: link(`at://${dids[1]}/${mark}/m`),
    },
    {
      text: 'plain words',
      language: 'en',
      isGood: true,
      at: '1969-12-31T23:59:59.999Z',
      tags: ['fruit'],
      links: [link(`at://${dids[0]}/${note}/a`), link('at://did:plc:x/y.y.y/z')],
    },
    { tags: [], score: 0, isGood: false, at: '1970-01-01T00:00:00Z' },
    {
      text: '中文 and "quotes"',
      at: '0001-01-31T12:00:00Z',
      tags: ['x', 'y', 'x'],
      links: [link(`at://${dids[0]}/${note}/a`)],
    },
  ],
  [mark]: [{ name: 'x' }, { name: 'y' }, {}, { name: 'zeta' }],
}
export const contentCount = 4

/** What a content is in its collection, as `visibleRecords` tells it. */
export function contentJson(collection: string, content: number): string {
  return JSON.stringify(inKeyOrder({ $type: collection, ...contents[collection]?.[content] }))
}

interface PutGiven {
  readonly rev?: string
  readonly indexedAt?: string
}

export function put(store: TestStore, at: RecordAddress, content: number, given: PutGiven = {}): Change {
  const value = JSON.parse(contentJson(at.collection, content)) as Json
  return store.change({ uri: uriOf(at), ...given, value })
}

export function remove(at: RecordAddress, revision: string): Change {
  return { kind: 'delete', ...at, rev: revision }
}

/** A record that fits no lexicon, as its publisher wrote it. */
export function refuse(store: TestStore, at: RecordAddress, revision?: string): Change {
  const value = { $type: at.collection, text: true, name: true }
  const change = store.change({ uri: uriOf(at), value })
  assert.equal(change.kind, 'reject')
  return { ...change, ...(revision !== undefined && { rev: revision }) } as Change
}

export function account(did: number, status: string | null, eventAt: number): Change {
  return {
    kind: 'account',
    did: dids[did] as string,
    active: status === null,
    status,
    eventAt: BigInt(eventAt),
  }
}

export function repoEnd(did: number, revision: string): Change {
  return { kind: 'repo-end', did: dids[did] as string, rev: revision }
}

export function openNotes(path: string, now?: () => bigint, lexicons = noteLexicons): Promise<TestStore> {
  return openTestStore({ path, lexicons, ...(now && { now }) })
}

/**
 * As `emptyDatabases`, for tests of what is in a database of these notes and not of how it comes to be: PostgreSQL, which
 * takes longer to lay one out than most tests take, copies one that is.
 */
export function noteDatabases(): (engine: Engine) => Promise<string> {
  const emptyUrl = emptyDatabases()
  return async (engine) => {
    if (engine === 'sqlite') return emptyUrl(engine)
    laidOut ??= layOut()
    return (await freshDatabase(await laidOut)).url
  }
}

let laidOut: Promise<FreshDatabase> | undefined

async function layOut(): Promise<FreshDatabase> {
  const database = await freshDatabase()
  await (await openNotes(database.url))[Symbol.asyncDispose]()
  return database
}

/** A clock that only moves when it is told to. */
export function stoppedClock() {
  let at = 1_770_000_000_000_000n
  return {
    now: () => at,
    advance: (by: bigint) => {
      at += by
    },
  }
}

export function apply(store: TestStore, ...changes: readonly Change[]): Promise<BatchOutcome> {
  return store.database.write.applyBatch(changes)
}

export const noOutcome = {
  stored: 0,
  updated: 0,
  unchanged: 0,
  older: 0,
  deleted: 0,
  withheld: 0,
  purged: 0,
  expired: 0,
  rejected: 0,
}

export async function settleAll({ database }: TestStore, limit = 1000): Promise<void> {
  while ((await database.write.metadata.settleAccounts(limit)) > 0);
}

/** All records that a caller can see, by their URIs: the JSON of each. */
export async function visibleRecords(store: TestStore): Promise<Map<string, string>> {
  const records = store.tables.map((table) => Array.fromAsync(readRecords(store.database.read, table)))
  const seen = (await Promise.all(records)).flat()
  return new Map(seen.map(({ uri, json }) => [uri, json] as const).toSorted())
}

/** Ids follow the default order where it is said that they do; elsewhere there is an index for it. */
export async function assertOrder(store: TestStore): Promise<void> {
  // Where ids mean nothing there always is.
  if (store.engine === 'postgres') return
  const { ordered } = await store.database.read.readPlanState()
  for (const { name, collection } of store.tables) {
    const rows = `from "${name}" t join base b on b.id = t.base`
    const ids = async (order: string) =>
      (await store.rows(`select t.id ${rows} order by ${order}`)).map(({ id }) => id)
    if (ordered.has(collection.nsid))
      assert.deepEqual(await ids('t.id'), await ids('t.indexed_at, t.rkey, b.did'), name)
    const index = await store.rows('select 1 from sqlite_master where name = ?', `${name}/indexed_at`)
    assert.equal(index.length, ordered.has(collection.nsid) ? 0 : 1, `the order index of ${name}`)
  }
}

/** All that is derived is what a fresh import of the same records gives, to whichever engine; a file is sound. */
export async function assertDerived(store: TestStore, lexicons = noteLexicons): Promise<void> {
  await assertOrder(store)
  assertSound(store)
  await assertCounts(store.database.read, store.tables)
  await using fresh = await openNotes(':memory:', undefined, lexicons)
  const lines = await Array.fromAsync(store.tables, ({ name }) =>
    store.rows(
      `select b.uri || t.rkey as uri, ${recordText(store)} as json, t.rev, instant_text(t.indexed_at) as at
       from "${name}" t join base b on b.id = t.base order by t.id`,
    ),
  )
  await fresh.load(
    lines.flat().map(({ uri, json, rev, at }) => ({
      uri: String(uri),
      ...(rev !== null && { rev: String(rev) }),
      indexedAt: String(at),
      value: JSON.parse(String(json)) as Json,
    })),
  )
  for (const [at, table] of store.tables.entries()) {
    const its = fresh.tables[at] as Table
    const [stored, derived] = [await tableState(store, table), await tableState(fresh, its)]
    assert.deepEqual(withoutTimes(stored), withoutTimes(derived), table.name)
    if (store.engine === 'sqlite')
      assert.deepEqual(await sequencesOf(store, table), await sequencesOf(fresh, its), table.name)
  }
}

function assertSound(store: TestStore): void {
  if (store.path === ':memory:' || store.engine === 'postgres') return
  const database = new DatabaseSync(store.path)
  try {
    for (const { texts } of store.tables)
      for (const { name } of texts)
        database.exec(`insert into "${name}" ("${name}") values ('integrity-check')`)
    assert.deepEqual({ ...database.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
  } finally {
    database.close()
  }
}

/** What the trigram indexes of a file have. */
async function sequencesOf({ rows }: TestStore, { name, texts }: Table) {
  return Array.fromAsync(texts, async (text) => {
    const requestLimits = await rows(`select term, doc from "${text.name}/terms" order by term`)
    const found = `select b.uri || t.rkey as uri from "${text.name}" f left join "${name}" t on t.id = f.rowid
      left join base b on b.id = t.base where "${text.name}" match ? order by uri`
    return Array.fromAsync(requestLimits, async ({ term, doc }) => [
      term,
      doc,
      await rows(found, `"${String(term).replaceAll('"', '""')}"`),
    ])
  })
}

/** That something holds for whatever is drawn; a failure says how to replay it. */
export async function assertHolds<T>(
  drawn: fc.Arbitrary<T>,
  holds: (drawn: T) => Promise<void>,
  few: number,
): Promise<void> {
  await replayable(seed, () =>
    fc.assert(fc.asyncProperty(drawn, holds), { seed, numRuns: rounds(few), includeErrorInReport: true }),
  )
}
