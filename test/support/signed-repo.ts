/** Repositories with real signatures, and the frames in which a firehose tells of them. */
import { type Keypair, Secp256k1Keypair } from '@atproto/crypto'
import { encode } from '@atproto/lex-cbor'
import type { Cid, LexValue } from '@atproto/lex-data'
import {
  type BlockMap,
  blocksToCarFile,
  MemoryBlockstore,
  type RecordWriteOp,
  Repo,
  WriteOpAction,
} from '@atproto/repo'

export interface Write {
  readonly action: 'create' | 'update' | 'delete'
  readonly collection: string
  readonly rkey: string
  readonly record?: Readonly<Record<string, unknown>>
}

export interface SignedRepo {
  readonly did: string
  readonly keypair: Keypair
  readonly rev: () => string
  /** Makes a commit of its own of the writes. */
  readonly write: (...writes: readonly Write[]) => Promise<SignedCommit>
}

export interface SignedCommit {
  readonly did: string
  readonly rev: string
  readonly cid: Cid
  /** What proves the writes, and the records. */
  readonly blocks: BlockMap
  readonly ops: readonly { readonly action: string; readonly path: string; readonly cid: Cid | null }[]
}

export async function createSignedRepo(did: string, keypair?: Keypair): Promise<SignedRepo> {
  const signer = keypair ?? (await Secp256k1Keypair.create())
  let repo = await Repo.create(new MemoryBlockstore(), did, signer)
  return {
    did,
    keypair: signer,
    rev: () => repo.commit.rev,
    write: async (...writes) => {
      const data = await repo.formatCommit(writes.map(toWriteOp), signer)
      repo = await repo.applyCommit(data)
      return {
        did,
        rev: data.rev,
        cid: data.cid,
        blocks: data.relevantBlocks,
        ops: await findOps(repo, writes),
      }
    },
  }
}

/** The frame of a commit; `changes` are what is wrong with it. */
export async function commitFrame(
  seq: number,
  { did, rev, cid, blocks, ops }: SignedCommit,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<Uint8Array> {
  return frameOf('#commit', {
    seq,
    repo: did,
    commit: cid,
    rev,
    since: null,
    blocks: await blocksToCarFile(cid, blocks),
    ops,
    blobs: [],
    rebase: false,
    tooBig: false,
    time: '2026-11-16T12:00:00.000Z',
    ...changes,
  })
}

export function frameOf(t: string, body: object): Uint8Array {
  return Buffer.concat([encode({ op: 1, t }), encode(body as LexValue)])
}

export function errorFrame(error: string, message?: string): Uint8Array {
  return Buffer.concat([encode({ op: -1 }), encode({ error, ...(message !== undefined && { message }) })])
}

function toWriteOp({ action, ...write }: Write): RecordWriteOp {
  return { action: actions[action], ...write } as RecordWriteOp
}

const actions = {
  create: WriteOpAction.Create,
  update: WriteOpAction.Update,
  delete: WriteOpAction.Delete,
} as const

async function findOps(repo: Repo, writes: readonly Write[]): Promise<SignedCommit['ops']> {
  return Promise.all(
    writes.map(async ({ action, collection, rkey }) => {
      const path = `${collection}/${rkey}`
      return { action, path, cid: await repo.data.get(path) }
    }),
  )
}
