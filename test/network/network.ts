/**
 * A real AT Protocol network for tests: a PDS with its accounts and a directory of DIDs, on free ports of
 * this machine and gone at the end. `npm test` installs what a test file that imports this needs.
 */
import { lexToJson } from '@atproto/lex-json'
import type { Json } from '../reference/shapes.ts'
import { serversAreInstalled } from './install.ts'
import type { Servers } from './servers/servers.ts'

export type Network = Awaited<ReturnType<typeof startNetwork>>

/** Records are in the JSON form of the data model, without `$type` if need be; the PDS takes those of any lexicon. */
export type Account = Awaited<ReturnType<typeof openAccount>>

export interface Written {
  readonly uri: string
  readonly cid: string
  /** The commit's. */
  readonly rev: string
}

export type Write =
  | { readonly kind: 'create'; readonly collection: string; readonly rkey?: string; readonly record: Json }
  | { readonly kind: 'update'; readonly collection: string; readonly rkey: string; readonly record: Json }
  | { readonly kind: 'delete'; readonly collection: string; readonly rkey: string; readonly record?: never }

export async function startNetwork() {
  if (!serversAreInstalled())
    throw new Error('The PDS for the tests is not installed; run the tests by `npm test`, which installs it.')
  // Loaded only here: it takes a second or two.
  const { startServers } = await import('./servers/servers.ts')
  const servers = await startServers()
  let made = 0
  const createAccount = (name: string) => openAccount(servers, name)
  return {
    /** Also what resolves handles. */
    pdsUrl: servers.pdsUrl,
    plcUrl: servers.plcUrl,
    /** Its handle is `NAME.test`; a name has 3 to 18 letters and digits. */
    createAccount,
    /** Named `account-1.test` and so on. */
    createAccounts: (count: number) =>
      Promise.all(Array.from({ length: count }, () => createAccount(`account-${(made += 1)}`))),
    [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
  }
}

async function openAccount(servers: Servers, name: string) {
  const { pdsUrl, adminAuthorization } = servers
  let handle = `${name}.test`
  const { did, accessJwt } = await call(`${pdsUrl}/xrpc/com.atproto.server.createAccount`, {
    body: { handle, email: `${name}@example.test`, password: 'of-tests-only' },
  })
  const asOwner = (method: string, body?: object): Promise<Json> =>
    call(`${pdsUrl}/xrpc/${method}`, { body, authorization: `Bearer ${accessJwt}` })
  const asAdmin = (method: string, body: object): Promise<Json> =>
    call(`${pdsUrl}/xrpc/${method}`, { body, authorization: adminAuthorization })
  const write = async (method: string, body: object): Promise<Written> => {
    const { uri, cid, commit } = await asOwner(`com.atproto.repo.${method}`, { repo: did, ...body })
    return { uri, cid, rev: commit.rev }
  }
  const setTakedown = async (applied: boolean): Promise<void> => {
    const subject = { $type: 'com.atproto.admin.defs#repoRef', did }
    await asAdmin('com.atproto.admin.updateSubjectStatus', { subject, takedown: { applied } })
  }
  return {
    did,
    /** The present one. */
    get handle() {
      return handle
    },
    create: (collection: string, record: Json, rkey?: string) =>
      write('createRecord', { collection, record, rkey }),
    update: (collection: string, rkey: string, record: Json) =>
      write('putRecord', { collection, rkey, record }),
    delete: (collection: string, rkey: string) => write('deleteRecord', { collection, rkey }),
    /** Up to 200 in one commit. */
    applyWrites: (writes: readonly Write[]) =>
      write('applyWrites', {
        writes: writes.map(({ kind, record, ...place }) => ({
          $type: `com.atproto.repo.applyWrites#${kind}`,
          ...place,
          value: record,
        })),
      }),
    deactivate: () => asOwner('com.atproto.server.deactivateAccount', {}),
    activate: () => asOwner('com.atproto.server.activateAccount'),
    deleteAccount: () => asAdmin('com.atproto.admin.deleteAccount', { did }),
    takeDown: () => setTakedown(true),
    undoTakeDown: () => setTakedown(false),
    changeHandle: async (next: string) => {
      await asOwner('com.atproto.identity.updateHandle', { handle: `${next}.test` })
      handle = `${next}.test`
    },
    /** By URI, what is in the repository whatever the account's state is; nothing when it is deleted. */
    records: async () => {
      const records = await servers.recordsOf(did)
      return new Map(
        records.map(({ uri, cid, value }) => [uri, { cid, value: lexToJson(value) as Json }] as const),
      )
    },
  }
}

async function call(
  url: string,
  { body, authorization }: { readonly body?: object | undefined; readonly authorization?: string },
): Promise<Json> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(authorization && { authorization }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`)
  return text === '' ? {} : JSON.parse(text)
}
