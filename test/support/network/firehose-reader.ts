/** A reader of firehoses with one account and a directory that knows it, and what comes of frames in brief. */
import type { Keypair } from '@atproto/crypto'
import type { Change } from '../../../src/database/changes.ts'
import {
  createFirehoseReader,
  type FrameGroup,
  type ParsedGroup,
} from '../../../src/ingest/sources/firehose/firehose-reader.ts'
import { startDirectory } from './directory.ts'
import { collections, libraryLexicons } from '../records/lexicons.ts'
import { createSignedRepo } from './signed-repo.ts'
import { understand } from '../records/understand.ts'
import { patience } from '../until.ts'

const { book } = collections
const { set: lexicons, tables } = understand(libraryLexicons, {})
export const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
/** The reader's clock, in microseconds: a day ahead of this machine's, by which test repositories date their commits. */
export const start = BigInt(Date.now() + 86_400_000) * 1_000n

export async function openFirehoseReader({
  keypair = undefined as Keypair | undefined,
  publishers = null as ReadonlySet<string> | null,
  now = (): bigint => start,
  /** How long look-ups may take, in milliseconds; by default longer than any takes. */
  timeoutMs = patience,
} = {}) {
  const repo = await createSignedRepo(did, keypair)
  const directory = await startDirectory({ did, key: repo.keypair.did() })
  const readGroup = createFirehoseReader(
    {
      name: 'firehose:test',
      reader: { lexicons, tables, publishers },
      identity: { plcUrl: directory.url, handleResolver: null, timeoutMs },
    },
    now,
  )
  const read = (...frames: readonly Uint8Array[]): Promise<ParsedGroup> => readGroup(groupOf(frames))
  return {
    repo,
    directory,
    read,
    /** Of one frame, in brief. */
    outcome: async (frame: Uint8Array): Promise<readonly string[]> => (await read(frame)).changes.map(brief),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}

function groupOf(frames: readonly Uint8Array[]): FrameGroup {
  let end = 0
  return { bytes: new Uint8Array(Buffer.concat(frames)), ends: frames.map(({ length }) => (end += length)) }
}

export function brief(change: Change | undefined): string {
  switch (change?.kind) {
    case 'put':
      return `put ${change.collection}/${change.rkey} ${change.rev} ${JSON.parse(change.json).title}`
    case 'delete':
      return `delete ${change.collection}/${change.rkey} ${change.rev}`
    case 'reject':
      return `reject ${change.reason}`
    default:
      return String(change?.kind)
  }
}

export function create(rkey: string, record: Readonly<Record<string, unknown>>) {
  return { action: 'create', collection: book, rkey, record: { $type: book, ...record } } as const
}

export function update(rkey: string, record: Readonly<Record<string, unknown>>) {
  return { ...create(rkey, record), action: 'update' } as const
}

export function remove(rkey: string) {
  return { action: 'delete', collection: book, rkey } as const
}
