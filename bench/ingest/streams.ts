/**
 * Streams as they go over the wire, prepared beforehand in the folder for temporary files: a server then has
 * only bytes to send, and costs next to nothing of what is measured.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { jsonToLex, type JsonValue } from '@atproto/lex-json'
import { formatInstant } from '../../src/util/instant.ts'
import { dictionary } from '../../test/network/fake-jetstream.ts'
import type { DirectoryAccount } from '../../test/support/network/directory.ts'
import { commitFrame, createSignedRepo, type SignedRepo } from '../../test/support/network/signed-repo.ts'
import {
  type BenchEvent,
  createEvents,
  didOf,
  lifeEvents,
  readRecords,
  type RecordEvent,
} from '../support/corpus.ts'

/** `life`: updates, deletes, refused records and accounts' events too, in the first protocol of Jetstream. */
export type StreamName = 'jetstream-1' | 'jetstream-2' | 'firehose' | 'tap' | 'life'

export interface PreparedStream {
  /** WebSocket frames, one behind the other. */
  readonly file: string
  /** Bytes of each. */
  readonly sizes: readonly number[]
  readonly accounts: readonly DirectoryAccount[]
  /** Where a Jetstream is after its first event. */
  readonly firstCursor: number
}

/** Records of the corpus that are in the database at the start; streams go on behind them. */
export const storedRecords = 120_000
const accounts = 50
const lifeAccounts = 2_000

export async function prepareStream(
  name: StreamName,
  events: number,
  folder: string | null,
): Promise<PreparedStream> {
  const path = join(tmpdir(), 'lexigraph-bench-ingest', `${name}-${events}-${await fingerprint(folder)}`)
  const [file, list] = [`${path}.bin`, `${path}.json`]
  if (!existsSync(list)) await writeStream(name, events, folder, file, list)
  return { file, ...JSON.parse(await readFile(list, 'utf8')) }
}

/** Of what a stream is made from: the corpus, and how it is made. */
async function fingerprint(folder: string | null): Promise<string> {
  const names = folder === null ? [] : (await readdir(folder)).toSorted()
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder ?? '', name))).size))
  const sources = ['./streams.ts', '../support/corpus.ts'].map((name) => new URL(name, import.meta.url))
  const texts = await Promise.all(sources.map((source) => readFile(source, 'utf8')))
  return createHash('sha256')
    .update(JSON.stringify([names, sizes, texts]))
    .digest('hex')
    .slice(0, 12)
}

async function writeStream(
  name: StreamName,
  events: number,
  folder: string | null,
  file: string,
  list: string,
): Promise<void> {
  console.error(`Preparing ${events.toLocaleString('en')} events for ${name}; they are kept in ${tmpdir()}.`)
  await mkdir(join(file, '..'), { recursive: true })
  const repositories = new Map<string, SignedRepo>()
  const out = createWriteStream(file)
  const sizes: number[] = []
  // Nothing is ahead of the clock.
  const startMs = Date.now() - events
  for await (const message of encodeEvents(name, events, folder, startMs, repositories)) {
    const bytes = frame(message)
    sizes.push(bytes.length)
    if (!out.write(bytes)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'close')
  const keyless = Array.from({ length: name === 'life' ? lifeAccounts : accounts }, (_, index) =>
    didOf(index),
  )
  // A key that nothing is signed with, where nothing is signed.
  const known = keyless.map((did) => ({ did, key: repositories.get(did)?.keypair.did() ?? someKey }))
  await writeFile(`${list}.part`, JSON.stringify({ sizes, accounts: known, firstCursor: startMs * 1_000 }))
  await rename(`${list}.part`, list)
}

const someKey = 'did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme'

async function* encodeEvents(
  name: StreamName,
  total: number,
  folder: string | null,
  startMs: number,
  repositories: Map<string, SignedRepo>,
): AsyncGenerator<string | Uint8Array> {
  const records = readRecords(folder)
  for (let index = 0; index < storedRecords; index += 1) await records.next()
  const events =
    name === 'life'
      ? lifeEvents(records, { accounts: lifeAccounts, total, startMs })
      : createEvents(records, { accounts, startMs })
  let index = 0
  for await (const event of events) {
    yield await encode(name, event, index, startMs * 1_000 + index, repositories)
    index += 1
    if (index === total) return
  }
}

async function encode(
  name: StreamName,
  event: BenchEvent,
  index: number,
  micros: number,
  repositories: Map<string, SignedRepo>,
): Promise<string | Uint8Array> {
  if (name === 'life' || name === 'jetstream-1') return encodeFirst(event, micros)
  if (event.kind !== 'record') throw new Error(`${name} has only records.`)
  const { kind, action, ...members } = event
  switch (name) {
    case 'jetstream-2':
      return zstdCompressSync(encodeSecond({ action, ...members }, index, micros), { dictionary })
    case 'tap':
      return JSON.stringify({ id: index, type: kind, record: { live: true, action, ...members } })
    case 'firehose': {
      const { did, collection, rkey, record = {} } = event
      const repository = repositories.get(did) ?? (await createSignedRepo(did))
      repositories.set(did, repository)
      const lex = jsonToLex(record as JsonValue) as Record<string, unknown>
      const commit = await repository.write({ action, collection, rkey, record: lex })
      return commitFrame(index + 1, commit, { time: new Date().toISOString() })
    }
  }
}

function encodeFirst(event: BenchEvent, micros: number): string {
  const { kind, did, ...members } = event
  const head = { did, time_us: micros }
  if (kind !== 'record') return JSON.stringify({ ...head, kind, [kind]: { did, ...members } })
  const { action, ...commit } = event
  return JSON.stringify({ ...head, kind: 'commit', commit: { operation: action, ...commit } })
}

function encodeSecond(
  { action, ...members }: Omit<RecordEvent, 'kind'>,
  seq: number,
  micros: number,
): string {
  const time = formatInstant(BigInt(micros))
  const $type = 'network.bsky.jetstream.subscribeEvents#commit'
  const payload = { $type, seq, time, witnessedAt: time, operation: action, ...members }
  return JSON.stringify({ $type: 'message', payload })
}

/** As a server frames it (RFC 6455, section 5.2). */
function frame(message: string | Uint8Array): Buffer {
  const body = Buffer.from(message)
  const head = Buffer.alloc(body.length < 126 ? 2 : body.length < 65_536 ? 4 : 10)
  head[0] = typeof message === 'string' ? 0x81 : 0x82
  head[1] = head.length === 2 ? body.length : head.length === 4 ? 126 : 127
  if (head.length === 4) head.writeUInt16BE(body.length, 2)
  if (head.length === 10) head.writeBigUInt64BE(BigInt(body.length), 2)
  return Buffer.concat([head, body])
}
