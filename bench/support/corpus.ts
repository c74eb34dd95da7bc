/** What the bench of ingestion stores and publishes: records of a folder, or the demo's, and ever new events of them. */
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { type JsonValue, jsonToLex } from '@atproto/lex-json'
import { buildDemoCorpus } from '../../demo/corpus.ts'
import { formatTid } from '../../demo/record.ts'
import { cidOf, formatCid } from '../../src/lexicon/records/cid.ts'

/** A line that `import` reads. */
export interface CorpusRecord {
  readonly uri: string
  readonly cid: string
  readonly value: Readonly<Record<string, unknown>>
}

export interface RecordEvent {
  readonly kind: 'record'
  readonly action: 'create' | 'update' | 'delete'
  readonly did: string
  readonly collection: string
  readonly rkey: string
  readonly rev: string
  /** Absent when it is deleted. */
  readonly record?: Readonly<Record<string, unknown>>
  readonly cid?: string
}

export type BenchEvent =
  | RecordEvent
  | { readonly kind: 'identity'; readonly did: string }
  | { readonly kind: 'account'; readonly did: string; readonly active: boolean }

/** Without end: after the last record the first comes again, with a key of its own. */
export async function* readRecords(folder: string | null): AsyncGenerator<CorpusRecord> {
  for (let round = 0; ; round += 1) {
    const records = folder === null ? buildDemoCorpus() : readFolder(folder)
    for await (const record of records) {
      const { cid, value } = record as CorpusRecord
      yield { uri: round === 0 ? record.uri : `${record.uri}-${round}`, cid, value }
    }
  }
}

/** The files side by side, so that collections are mixed as they are in the whole. */
export async function* readFolder(folder: string): AsyncGenerator<CorpusRecord> {
  const names = (await readdir(folder)).filter((name) => /\.jsonl(\.gz)?$/.test(name)).toSorted()
  if (names.length === 0) throw new Error(`There is no *.jsonl or *.jsonl.gz in ${folder}.`)
  const files = await Promise.all(names.map((name) => openFile(join(folder, name))))
  for (let open = files; open.length > 0; ) {
    const least = open.reduce((a, b) => (b.share() < a.share() ? b : a))
    const { done, value } = await least.lines.next()
    if (done === true) open = open.filter((file) => file !== least)
    else if (value.trim() !== '') yield JSON.parse(value)
  }
}

async function openFile(path: string) {
  const { size } = await stat(path)
  const bytes = createReadStream(path)
  const input = path.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes
  return {
    /** How much of it has been read, from 0 to 1. */
    share: () => bytes.bytesRead / size,
    lines: createInterface({ input, crlfDelay: Infinity })[Symbol.asyncIterator](),
  }
}

const base32 = 'abcdefghijklmnopqrstuvwxyz234567'

export function didOf(account: number): string {
  let suffix = ''
  for (let rest = account; suffix.length < 6; rest = Math.floor(rest / 32))
    suffix = base32[rest % 32] + suffix
  return `did:plc:lexigraphbenchmark${suffix}`
}

/** Every record a new one, of one account after the other. */
export async function* createEvents(
  records: AsyncIterable<CorpusRecord>,
  { accounts, startMs }: { readonly accounts: number; readonly startMs: number },
): AsyncGenerator<RecordEvent> {
  let index = 0
  for await (const { uri, cid, value } of records) {
    const place = { did: didOf(index % accounts), collection: collectionOf(uri) }
    const [rkey, rev] = [formatTid(startMs + index, 1), formatTid(startMs + index, 2)]
    yield { kind: 'record', action: 'create', ...place, rkey, rev, record: value, cid }
    index += 1
  }
}

/**
 * The life of an index in `total` events: the first half creates, the rest updates and deletes what is there.
 * A fiftieth of all breaks a lexicon, and a fiftieth is about accounts, some of which go and come back.
 */
export async function* lifeEvents(
  records: AsyncIterable<CorpusRecord>,
  { accounts, total, startMs }: { accounts: number; total: number; startMs: number },
): AsyncGenerator<BenchEvent> {
  const known: RecordEvent[] = []
  const creating = createEvents(records, { accounts: accounts - visitors, startMs })
  for (let index = 0; index < total; index += 1) {
    const rev = formatTid(startMs + index, 3)
    if (index % 50 === 7) {
      yield accountEvent(Math.floor(index / 50), accounts)
      continue
    }
    const isNew = index < total / 2
    const event = isNew ? (await creating.next()).value : known[(7_919 * index) % known.length]
    if (event === undefined || event === null) throw new Error('There are too few records.')
    // Visitors have few records, so that they can go and come back quickly.
    const did = isNew && index % 1_000 < visitors ? didOf(accounts - 1 - (index % 1_000)) : event.did
    if (isNew && known.length < 50_000) known.push({ ...event, did })
    if (index % 50 === 9) yield { ...event, did, rev, record: { $type: event.collection } }
    else if (isNew) yield { ...event, did, rev }
    else if ((index + Math.floor(index / known.length)) % 3 === 0) yield { ...event, action: 'delete', rev }
    else yield { ...event, action: 'update', rev, ...changed(event, startMs + index) }
  }
}

/** Accounts that go and come back. */
const visitors = 20

function changed({ record }: RecordEvent, ms: number): Pick<RecordEvent, 'record' | 'cid'> {
  const next = { ...record, createdAt: new Date(ms).toISOString() }
  return { record: next, cid: formatCid(cidOf(jsonToLex(next as JsonValue))) }
}

function accountEvent(turn: number, accounts: number): BenchEvent {
  if (turn % 2 === 0) return { kind: 'identity', did: didOf(turn % accounts) }
  if (turn % 4 === 1) return { kind: 'account', did: didOf(turn % (accounts - visitors)), active: true }
  const visit = Math.floor(turn / 4)
  const active = Math.floor(visit / visitors) % 2 === 1
  return { kind: 'account', did: didOf(accounts - 1 - (visit % visitors)), active }
}

function collectionOf(uri: string): string {
  return uri.split('/')[3] ?? ''
}
