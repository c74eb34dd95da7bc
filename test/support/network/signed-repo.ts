/** Repositories with real signatures, and the frames in which a firehose tells of them. */
import { type Keypair, Secp256k1Keypair } from '@atproto/crypto'
import { decode, encode } from '@atproto/lex-cbor'
import type { Cid, LexValue } from '@atproto/lex-data'
import {
  BlockMap,
  blocksToCarFile,
  getFullRepo,
  MemoryBlockstore,
  mstUtil,
  type RecordWriteOp,
  Repo,
  signCommit,
  type UnsignedCommit,
  WriteOpAction,
} from '@atproto/repo'

export interface Write {
  readonly action: 'create' | 'update' | 'delete'
  readonly collection: string
  readonly rkey: string
  readonly record?: Readonly<Record<string, unknown>>
}

export type SignedRepo = Awaited<ReturnType<typeof createSignedRepo>>

export interface SignedCommit {
  readonly did: string
  readonly rev: string
  readonly cid: Cid
  /** What proves the writes, and the records. */
  readonly blocks: BlockMap
  readonly ops: readonly { readonly action: string; readonly path: string; readonly cid: Cid | null }[]
}

export async function createSignedRepo(did: string, keypair?: Keypair) {
  const signer = keypair ?? (await Secp256k1Keypair.create())
  let repo = await Repo.create(new MemoryBlockstore(), did, signer)
  return {
    did,
    keypair: signer,
    rev: () => repo.commit.rev,
    /** Makes a commit of its own of the writes. */
    write: async (...writes: readonly Write[]): Promise<SignedCommit> => {
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
    /** By URI. */
    records: async (): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> => {
      const contents = await repo.getContents()
      return new Map(
        Object.entries(contents).flatMap(([collection, records]) =>
          Object.entries(records).map(([rkey, record]) => [`at://${did}/${collection}/${rkey}`, record]),
        ),
      )
    },
    /** All of it as it is now. */
    car: async () =>
      new Uint8Array(Buffer.concat(await Array.fromAsync(getFullRepo(repo.storage, repo.cid)))),
  }
}

/** A large repository, which `write` would take minutes for; `records` by `collection/rkey`. */
export async function buildCar(
  signer: Keypair,
  commit: { readonly did: string; readonly rev: string },
  records: ReadonlyMap<string, LexValue>,
): Promise<Uint8Array<ArrayBuffer>> {
  const blocks = new BlockMap()
  const leaves: TreeLeaf[] = []
  for (const [key, record] of records)
    leaves.push({ key, layer: await mstUtil.leadingZerosOnHash(key), value: await blocks.add(record) })
  leaves.sort((a, b) => (a.key < b.key ? -1 : 1))
  const top = Math.max(0, ...leaves.map(({ layer }) => layer))
  const data = await addNode(blocks, leaves, top)
  const signed = await signCommit({ ...commit, version: 3, prev: null, data }, signer)
  const root = await blocks.add({ ...signed })
  return new Uint8Array(await blocksToCarFile(root, blocks))
}

interface TreeLeaf {
  readonly key: string
  readonly layer: number
  readonly value: Cid
}

/** https://atproto.com/specs/repository#mst-structure */
async function addNode(blocks: BlockMap, leaves: readonly TreeLeaf[], layer: number): Promise<Cid> {
  const own = leaves.flatMap((leaf, index) => (leaf.layer === layer ? [index] : []))
  const below = async (from: number, to: number): Promise<Cid | null> =>
    from === to ? null : addNode(blocks, leaves.slice(from, to), layer - 1)
  const entries = []
  let last = ''
  for (const [nth, index] of own.entries()) {
    const { key, value } = leaves[index] as TreeLeaf
    const shared = mstUtil.countPrefixLen(last, key)
    const t = await below(index + 1, own[nth + 1] ?? leaves.length)
    entries.push({ p: shared, k: Buffer.from(key.slice(shared)), v: value, t })
    last = key
  }
  return blocks.add({ l: await below(0, own[0] ?? leaves.length), e: entries })
}

/** The same commit at another revision, signed as well. */
export async function atRevision(commit: SignedCommit, keypair: Keypair, rev: string): Promise<SignedCommit> {
  const { did, data } = decode(commit.blocks.get(commit.cid) ?? new Uint8Array()) as unknown as UnsignedCommit
  const blocks = new BlockMap()
  blocks.addMap(commit.blocks)
  blocks.delete(commit.cid)
  const cid = await blocks.add({ ...(await signCommit({ did, rev, version: 3, prev: null, data }, keypair)) })
  return { ...commit, rev, cid, blocks }
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
