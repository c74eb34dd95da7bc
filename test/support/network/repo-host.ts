/** A host of repositories on a port of this machine: what a PDS or a relay answers, and what broken ones do. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { patience } from '../until.ts'

export type RepoHost = Awaited<ReturnType<typeof startRepoHost>>

export type Fault = (response: ServerResponse) => void

function createState() {
  return {
    /** By DID: a CAR file, or the name of the error that is answered instead. */
    repos: new Map<string, Uint8Array | string>(),
    /** What `listRepos` says of accounts besides their DIDs. */
    listed: new Map<string, object>(),
    /** By NSID, who has records of it; null for a host that cannot tell. */
    collections: null as ReadonlyMap<string, readonly string[]> | null,
    /** DIDs by handle. */
    handles: new Map<string, string>(),
    /** It describes itself as a PDS does. */
    isPds: false,
    /** Accounts on a page. */
    pageSize: 1000,
    /** What the next requests meet instead of an answer, in this order. */
    faults: [] as Fault[],
    /** What is waited for before an answer. */
    before: async (_method: string, _parameters: URLSearchParams): Promise<unknown> => undefined,
  }
}

type State = ReturnType<typeof createState>

export async function startRepoHost() {
  const host = createState()
  const asked: string[] = []
  let busy = 0
  let busiest = 0
  const server = createServer({ keepAliveTimeout: patience }, (request, response) => {
    const url = new URL(request.url ?? '', 'http://host.test')
    const method = url.pathname.split('.').at(-1) ?? ''
    asked.push(`${method}?${url.searchParams}`)
    busiest = Math.max(busiest, ++busy)
    response.on('close', () => (busy -= 1))
    void host.before(method, url.searchParams).then(() => {
      const fault = host.faults.shift()
      return fault === undefined ? answer(host, method, url.searchParams, response) : fault(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(host, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** All requests so far, as `method?parameters`. */
    asked: asked as readonly string[],
    /** How many are being answered at most. */
    busiest: () => busiest,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

function answer(host: State, method: string, parameters: URLSearchParams, response: ServerResponse): void {
  const collection = parameters.get('collection') ?? ''
  if (method === 'describeServer' && host.isPds)
    return answerJson(response, { did: 'did:web:host.test', availableUserDomains: ['.host.test'] })
  if (method === 'getRepo') return answerRepo(host, parameters.get('did') ?? '', response)
  if (method === 'listRepos') {
    const all = [...host.repos.keys()].map((did) => ({ did, active: true, ...host.listed.get(did) }))
    return answerPage(host, all, parameters, response)
  }
  if (method === 'listReposByCollection' && host.collections !== null) {
    const all = (host.collections.get(collection) ?? []).map((did) => ({ did }))
    return answerPage(host, all, parameters, response)
  }
  if (method === 'resolveHandle') {
    const did = host.handles.get(parameters.get('handle') ?? '')
    return did === undefined ? refuse(response, 400, 'HandleNotFound') : answerJson(response, { did })
  }
  refuse(response, 501, 'MethodNotImplemented')
}

function answerRepo({ repos }: State, did: string, response: ServerResponse): void {
  const repo = repos.get(did) ?? 'RepoNotFound'
  if (typeof repo === 'string') return refuse(response, 400, repo)
  response.writeHead(200, { 'content-type': 'application/vnd.ipld.car' }).end(repo)
}

function answerPage(
  { pageSize }: State,
  all: readonly object[],
  parameters: URLSearchParams,
  response: ServerResponse,
): void {
  const start = Number(parameters.get('cursor') ?? 0)
  const end = start + pageSize
  const repos = all.slice(start, end)
  answerJson(response, { repos, ...(end < all.length && { cursor: String(end) }) })
}

export function answerJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

export function refuse(
  response: ServerResponse,
  status: number,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify({ error, message: `It is ${error}.` }))
}
