import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import { ReadableStream } from 'node:stream/web'
import { test } from 'node:test'
import {
  answerJson,
  type Fault,
  refuse,
  type RepoHost,
  startRepoHost,
} from '../../../../test/support/network/repo-host.ts'
import { until } from '../../../../test/support/until.ts'
import { createHosts, HostError, type Hosts } from './hosts.ts'
import { gather } from '../../../util/async/gather.ts'

const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const others = Array.from({ length: 9 }, (_, index) => `did:plc:${'abcdefghij'[index]?.repeat(24)}`)
const [book, person] = ['org.example.book', 'org.example.person']
const forever = new AbortController().signal

test('what is no XRPC error is told without a name, and its text cannot break a line', async () => {
  await using host = await startRepoHost()
  const bodies = [
    '<h1>Not found</h1>',
    '[]',
    'null',
    '{"error":7,"message":{}}',
    `{"error":"a\\u0000\\nb${'c'.repeat(5000)}"}`,
  ]
  for (const body of bodies) {
    const { status, message } = await meet(host, (response) => response.writeHead(404).end(body))
    assert.equal(status, 404)
    assert.match(message, /^http:\/\/127\.0\.0\.1:\d+ answers with status 404( a\uFFFD{2}bc{0,200}…)?\.$/)
  }
})

test('what a host refuses is told with its status and name, and whether another attempt may go better', async () => {
  await using host = await startRepoHost()
  const passing = [408, 425, 429, 500, 502, 503]
  for (const status of [400, 401, 404, 501, ...passing]) {
    const retry = passing.includes(status)
    const error = await meet(host, (response) => refuse(response, status, 'Odd'))
    assert.deepEqual([error.status, error.code, error.shouldRetry()], [status, 'Odd', retry])
    assert.equal(error.message, `${host.url} answers with status ${status} Odd: It is Odd.`)
  }
})

test('a host that asks for a pause is left alone as long as it asks', async (t) => {
  await using host = await startRepoHost()
  host.repos.set(did, Buffer.from('x'))
  const pauses: number[] = []
  let now = 1_800_000_000_000
  t.mock.method(Date, 'now', () => now)
  // No time passes: pauses only set the clock.
  const sleep = t.mock.method(
    process.getBuiltinModule('node:timers/promises'),
    'setTimeout',
    async (pause: number) => {
      pauses.push(pause)
      now += pause
    },
  )
  syncBuiltinESMExports()
  t.after(() => {
    sleep.mock.restore()
    syncBuiltinESMExports()
  })
  const ask = (headers: Readonly<Record<string, string>>): Promise<unknown> => {
    host.faults.push(limited(headers))
    return fetching.fetchRepo(host.url, did, forever)
  }
  const fetching = hosts()
  await ask({ 'retry-after': '1' })
  await ask({ 'retry-after': new Date(now + 300_000).toUTCString() })
  await ask({ 'ratelimit-reset': String(now / 1_000 + 3) })
  assert.deepEqual(pauses, [1_000, 300_000, 3_000])
  await Promise.all([1, 2, 3].map(() => ask({ 'retry-after': '1' })))
  assert.equal(host.asked.length, 12)
})

test('a pause that is too long is told instead of waited for', async (t) => {
  await using host = await startRepoHost()
  const now = 1_800_000_000_000
  t.mock.method(Date, 'now', () => now)
  const inAnHour = now + 3_600_000
  for (const headers of [
    { 'retry-after': '3600' },
    { 'retry-after': new Date(inAnHour).toUTCString() },
    { 'ratelimit-reset': String(inAnHour / 1_000) },
  ]) {
    const error = await meet(host, limited(headers))
    assert.deepEqual([error.retryAt, error.shouldRetry()], [inAnHour, true])
  }
  const { retryAt } = await meet(host, limited({ 'retry-after': '9'.repeat(30) }))
  assert.equal(retryAt, now + 24 * 3_600_000)
  for (const odd of ['soon', '-1', ''])
    assert.equal((await meet(host, limited({ 'retry-after': odd }))).retryAt, null)
})

test('an answer that is cut, or never ends or begins, and a host that is away are failures that may pass', async () => {
  const host = await startRepoHost()
  const faults: Fault[] = [
    (response) => response.destroy(),
    (response) => response.writeHead(200, { 'content-length': '1000' }).write('x', () => response.destroy()),
    (response) => response.writeHead(200).write('x', () => response.destroy()),
    () => {},
    (response) => void response.writeHead(200).write('x'),
    (response) => response.socket?.end('HTTP/1.1 200 OK\r\nnonsense\r\n\r\n'),
  ]
  for (const fault of faults) {
    host.faults.push(fault)
    const error = await failure(createHosts(fetch, 200).fetchRepo(host.url, did, forever))
    assert.deepEqual([error.status, error.shouldRetry()], [null, true], String(fault))
    assert.match(error.message, /^http:.* could not be asked: .+\.$/)
  }
  await host[Symbol.asyncDispose]()
  // Never asked before: a kept connection may not have noticed its end yet.
  const away = await startRepoHost()
  await away[Symbol.asyncDispose]()
  const gone = await failure(hosts().fetchRepo(away.url, did, forever))
  assert.match(gone.message, /ECONNREFUSED/)
  assert.equal(gone.shouldRetry(), true)
  assert.equal((await failure(hosts().fetchRepo('nonsense', did, forever))).shouldRetry(), false)
})

test('a slow answer is waited for as long as something comes', async (t) => {
  let now = 0
  const limit = { due: 0, abort: () => {} }
  t.mock.method(globalThis, 'setTimeout', (abort: () => void, wait: number) => {
    Object.assign(limit, { due: now + wait, abort, refresh: () => (limit.due = now + wait) })
    return limit
  })
  const fetchInPieces = (pauses: readonly number[]) =>
    createHosts(async (_url, { signal } = {}) => {
      async function* body() {
        for (const pause of pauses) {
          now += pause
          if (now >= limit.due) limit.abort()
          signal?.throwIfAborted()
          yield Buffer.from('x')
        }
      }
      return new Response(ReadableStream.from(body()) as never)
    }, 3_000).fetchRepo('http://host.test', did, forever)
  assert.equal((await fetchInPieces(Array(10).fill(2_999))).length, 10)
  assert.match((await failure(fetchInPieces([2_999, 3_000]))).message, /nothing came for 3 seconds\.$/)
})

test('redirects lead to the host that has the repository, whose pauses are none of the one that redirects', async () => {
  await using relay = await startRepoHost()
  await using host = await startRepoHost()
  host.repos.set(did, Buffer.from('x'))
  const redirect: Fault = (response) =>
    response.writeHead(302, { location: `${host.url}/xrpc/com.atproto.sync.getRepo?did=${did}` }).end()
  relay.faults.push(redirect, redirect)
  assert.equal((await hosts().fetchRepo(relay.url, did, forever)).length, 1)
  host.faults.push(limited({ 'retry-after': '60' }))
  const error = await failure(hosts().fetchRepo(relay.url, did, forever))
  assert.deepEqual([error.status, error.retryAt], [429, null])
})

test('an answer ends with the signal, and so does a pause', async () => {
  await using host = await startRepoHost()
  const stop = new AbortController()
  host.faults.push(() => stop.abort(new Error('Stopped.')))
  await assert.rejects(hosts().fetchRepo(host.url, did, stop.signal), { message: 'Stopped.' })
  const again = new AbortController()
  host.faults.push(limited({ 'retry-after': '60' }))
  const fetching = hosts().fetchRepo(host.url, did, again.signal)
  await until(() => host.asked.length >= 2)
  again.abort()
  await assert.rejects(fetching, { name: 'AbortError' })
})

test('bytes are gathered up to a limit and no further', async () => {
  let made = 0
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for (; made < 100; made++) yield new Uint8Array(1000).fill(made)
  }
  assert.equal(await gather(chunks(), 4_500), null)
  assert.equal(made, 4)
  made = 0
  const bytes = await gather(chunks(), 100_000)
  assert.equal(bytes?.length, 100_000)
  assert.deepEqual([bytes?.[0], bytes?.[99_999]], [0, 99])
})

test('the accounts of a lone host come page by page, those that are not active apart', async () => {
  await using host = await startRepoHost()
  for (const other of others) host.repos.set(other, '')
  host.listed.set(others[1] as string, { active: false, status: 'deactivated' })
  host.listed.set(others[7] as string, { active: false })
  host.pageSize = 4
  const [pages, inactive] = await listAll(host)
  assert.deepEqual(pages, [[others[0], others[2], others[3]], [others[4], others[5], others[6]], [others[8]]])
  assert.deepEqual(inactive, ['deactivated', 'inactive'])
})

test('a host that knows collections is asked for those that are wanted, one after the other', async () => {
  await using host = await startRepoHost()
  host.pageSize = 2
  host.collections = new Map([
    [book, others.slice(0, 3)],
    [person, others.slice(2, 4)],
  ])
  const [pages] = await listAll(host)
  assert.deepEqual(pages, [[others[0], others[1]], [others[2]], [others[2], others[3]]])
  assert.deepEqual(
    host.asked.map((request) => new URLSearchParams(request.split('?')[1]).get('collection')),
    [book, book, person],
  )
})

test('a listing goes on where it ended, and starts over when its collection is no longer wanted', async () => {
  await using host = await startRepoHost()
  host.pageSize = 2
  host.collections = new Map([[book, others]])
  const first = await hosts().listAccounts(host.url, [book], null, forever)
  const second = await hosts().listAccounts(host.url, [book], first.cursor, forever)
  assert.deepEqual([second.dids, second.notice], [others.slice(2, 4), null])
  host.collections = new Map([[person, others]])
  const other = await hosts().listAccounts(host.url, [person], second.cursor, forever)
  assert.deepEqual(other.dids, others.slice(0, 2))
})

test('all accounts of a host are listed even if it cannot list by collection', async () => {
  await using host = await startRepoHost()
  host.repos.set(did, '')
  const says: Fault[] = [
    (response) => refuse(response, 401, 'AuthMissing'),
    (response) => refuse(response, 404, 'XRPCNotSupported'),
    (response) => refuse(response, 400, 'InvalidRequest'),
    (response) => response.writeHead(200).end('<h1>Welcome</h1>'),
    (response) => response.writeHead(405).end(),
  ]
  for (const fault of says) {
    host.faults.push(fault)
    const page = await hosts().listAccounts(host.url, [book, person], null, forever)
    assert.deepEqual(page.dids, [did])
    assert.match(page.notice ?? '', /^http:.* cannot say who has records of which collection/)
  }
  // One that is down has not said it.
  host.faults.push((response) => refuse(response, 502, 'Bad'))
  assert.equal((await failure(hosts().listAccounts(host.url, [book], null, forever))).status, 502)
})

test('lists that are none are a failure, and what is no DID in one is left out', async () => {
  await using host = await startRepoHost()
  for (const odd of [
    '[]',
    '7',
    'null',
    '{}',
    '{"repos":{}}',
    '{"repos":[',
    `{"repos":[],"cursor":"${'x'.repeat(3000)}"}`,
  ]) {
    host.faults.push((response) => response.writeHead(200).end(odd))
    const error = await failure(hosts().listAccounts(host.url, [], null, forever))
    assert.deepEqual([error.status, error.shouldRetry()], [200, false], odd)
  }
  host.faults.push((response) =>
    answerJson(response, { repos: [7, null, { did: 'alice.test' }, { did: 7 }, { did }], cursor: 7 }),
  )
  const { dids, cursor, inactive } = await hosts().listAccounts(host.url, [], null, forever)
  assert.deepEqual([dids, cursor, inactive.length], [[did], null, 4])
})

test('a host that answers with the same page again and again is left', async () => {
  await using host = await startRepoHost()
  const same: Fault = (response) => answerJson(response, { repos: [{ did }], cursor: 'same' })
  host.faults.push(same, same)
  const first = await hosts().listAccounts(host.url, [], null, forever)
  assert.match(
    (await failure(hosts().listAccounts(host.url, [], first.cursor, forever))).message,
    /again and again/,
  )
})

function hosts(): Hosts {
  return createHosts(fetch)
}

function limited(headers: Readonly<Record<string, string>>): Fault {
  return (response) => refuse(response, 429, 'RateLimitExceeded', headers)
}

/** What comes of fetching a repository from a host that has this fault. */
function meet(host: RepoHost, fault: Fault): Promise<HostError> {
  host.faults.push(fault)
  return failure(hosts().fetchRepo(host.url, did, forever))
}

async function failure(work: Promise<unknown>): Promise<HostError> {
  try {
    await work
  } catch (error) {
    assert.ok(error instanceof HostError, String((error as Error).stack))
    return error
  }
  return assert.fail('It did not fail.')
}

async function listAll({ url }: RepoHost) {
  const pages: (readonly string[])[] = []
  const inactive: string[] = []
  let cursor: string | null = null
  do {
    const page: ListPage = await hosts().listAccounts(url, [book, person], cursor, forever)
    pages.push(page.dids)
    inactive.push(...page.inactive)
    cursor = page.cursor
  } while (cursor !== null)
  return [pages, inactive] as const
}

type ListPage = Awaited<ReturnType<Hosts['listAccounts']>>
