/** A directory of DIDs on a port of this machine, in place of https://plc.directory. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { patience } from '../until.ts'

export type Directory = Awaited<ReturnType<typeof startDirectory>>

export interface DirectoryAccount {
  readonly did: string
  /** A `did:key`. */
  readonly key: string
  readonly handle?: string
  readonly pds?: string
}

export async function startDirectory(...accounts: readonly DirectoryAccount[]) {
  /**
   * DID documents by DID, or any text; a number is the status that is answered instead, null is silence, and a
   * promise is waited for.
   */
  const documents = new Map<string, object | string | number | null | Promise<object>>()
  const asked: string[] = []
  const server = createServer({ keepAliveTimeout: patience }, async (request, response) => {
    const did = decodeURIComponent(request.url?.slice(1) ?? '')
    asked.push(did)
    const document = documents.has(did) ? await documents.get(did) : 404
    if (document === null) return
    if (typeof document === 'number') response.writeHead(document).end()
    else response.end(typeof document === 'string' ? document : JSON.stringify(document))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  /** Adds the document of an account. */
  const add = (account: DirectoryAccount): void => {
    const { did, key, handle = 'someone.test', pds = 'https://pds.test' } = account
    documents.set(did, {
      '@context': ['https://www.w3.org/ns/did/v1'],
      id: did,
      alsoKnownAs: [`at://${handle}`],
      verificationMethod: [
        {
          id: `${did}#atproto`,
          type: 'Multikey',
          controller: did,
          publicKeyMultibase: key.slice('did:key:'.length),
        },
      ],
      service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: pds }],
    })
  }
  for (const account of accounts) add(account)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    documents,
    /** DIDs in the order in which they were asked for. */
    asked: asked as readonly string[],
    add,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
