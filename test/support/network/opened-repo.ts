/** Signed repositories of one account with books of the library, and their files as the reader opens them. */
import { Secp256k1Keypair } from '@atproto/crypto'
import type { Change } from '../../../src/database/changes.ts'
import { createChangeReader } from '../../../src/ingest/sources/change-reader.ts'
import { openRepo } from '../../../src/ingest/sources/repos/repo-reader.ts'
import { libraryLexicons } from '../records/lexicons.ts'
import { understand } from '../records/understand.ts'
import type { Write } from './signed-repo.ts'

export const { set: lexicons, tables } = understand(libraryLexicons, {})
export const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
export const keypair = await Secp256k1Keypair.create()
export const rev = '3l2222222222a'

export type OpenedRepo = Awaited<ReturnType<typeof openRepo>>

export function open(car: Uint8Array): Promise<OpenedRepo> {
  return openRepo(car, createChangeReader({ lexicons, tables, publishers: null }), 'test')
}

export async function chunks(repo: OpenedRepo | Promise<OpenedRepo>): Promise<(readonly Change[])[]> {
  return Array.fromAsync((await repo).chunks())
}

export function create(collection: string, rkey: string, values: Readonly<Record<string, unknown>>): Write {
  return { action: 'create', collection, rkey, record: { $type: collection, ...values } }
}
