import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type TestContext, test } from 'node:test'
import { anonymousCaller, startServer } from '../../../test/support/server/http-server.ts'
import type { ExplorerRoutes } from '../explorer/explorer-routes.ts'

const logo = { path: '/logo.png', type: 'image/png', content: Buffer.from('x') }
const explorer: ExplorerRoutes = {
  create: async () => ({
    robots: () => 'User-agent: *',
    sitemap: async () => '<urlset/>',
    open: () => ({ status: 200, language: 'en', location: '/', isEmbedded: false, start: '', finish }),
  }),
  dataVersion: () => 1,
  version: '1',
  imageHosts: [],
  logo,
}
const page = { status: 200, media: 'text/html', name: null, start: '', rest: 'a page', retryAfter: null }
const finish = () => Promise.reject(new Error('Every page is elsewhere.'))

/** Beginnings of requests to all routes, with what follows their path. */
const requests = [
  ...['/robots.txt', '/sitemap.xml', '/sitemap-pages.xml', '/schema.graphql', '/explorer/x']
    .concat(['/', '/c/x', '/nothing', '/%zz', logo.path, '/healthz', '/readyz', '/export/x', '/mcp'])
    .map((path) => ['GET', path, ''] as const),
  ['HEAD', '/robots.txt', ''],
  ['OPTIONS', '/api/graphql', ''],
  ['DELETE', '/c/x', ''],
  ['GET', '/nothing', 'accept: text/html\r\n'],
  ['POST', '/nothing', 'content-type: application/json\r\ncontent-length: 2\r\n\r\n{}'],
] as const

test('at every route the requests of one caller are answered in several turns of the event loop', async (t) => {
  stopTurns(t)
  await using server = await startServer({ explorer })
  for (const [method, path, more] of requests) {
    const head = `${method} ${path} HTTP/1.1\r\nhost: x\r\n${more}${more.includes('{') ? '' : '\r\n'}`
    const last = `GET /nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`
    // The first one loads files.
    await server.raw(head + last)
    const turns = await turnsOf(async () => {
      const answers = await server.raw(head.repeat(60) + last)
      assert.equal(answers.match(/HTTP\/1.1 \d/g)?.length, 61, `${method} ${path}`)
    })
    const most = Math.max(...turns.values())
    assert.ok(most <= 25, `${method} ${path}: there were ${[...turns.values()].join()} in a turn`)
  }
})

test('probes are answered while other requests of their network wait', async (t) => {
  stopTurns(t)
  await using server = await startServer({ explorer })
  let isOver = false
  const flood = server.raw(
    `${'GET /robots.txt HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(2_500)}GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
  )
  flood.finally(() => (isOver = true))
  const probes = ['/healthz', '/readyz', '/healthz', '/healthz', '/readyz'].map(async (path) => {
    const answer = await server.raw(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    assert.match(answer, /^HTTP\/1\.1 200 /)
  })
  await Promise.all(probes)
  assert.equal(isOver, false)
  await flood
})

test('what a page takes to be made counts as work of its reader, also where it is a problem or nothing', async (t) => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let made = 0
  const slow = await explorer.create('')
  const create = async () => ({
    ...slow,
    open: (...given: Parameters<typeof slow.open>) => {
      made += 1
      now += 70
      return { ...slow.open(...given), location: null, finish: async () => page }
    },
  })
  const authenticate = (header: unknown, network: string) => {
    const caller = anonymousCaller(header, network)
    return { ...caller, tier: { ...caller.tier, pointsPerMinute: 1_000 } }
  }
  const given = { explorer: { ...explorer, create }, authenticate, trustedProxies: ['127.0.0.1'] }
  await using server = await startServer(given)
  // The first one loads files.
  await server.get('/', { accept: 'text/html', 'x-forwarded-for': '192.0.2.100' })
  for (const [index, path] of ['/', '/c/x', '/nothing', '/c/x?apiKey=x'].entries()) {
    const before = made
    const headers = { accept: 'text/html', 'x-forwarded-for': `192.0.2.${index}` }
    const both = [0, 1].map(() => server.get(path, headers))
    await Promise.race(both)
    // Somebody else does not wait.
    assert.equal((await server.get('/robots.txt')).status, 200)
    assert.equal(made, before + 1, path)
    const rest = Promise.all(both).then(() => true)
    for (let isOver = false; !isOver; ) {
      t.mock.timers.tick(100)
      isOver = await Promise.race([rest, nextTurn(false)])
    }
  }
})

/** Each look at the clock is a millisecond later, so that one request of a caller begins in a turn. */
function stopTurns(t: TestContext): void {
  let now = 0
  t.mock.method(performance, 'now', () => (now += 1))
}

/** Answers that began in each turn of the event loop. */
async function turnsOf(work: () => Promise<void>): Promise<ReadonlyMap<number, number>> {
  const turns = new Map<number, number>()
  const count = (): void => {
    const turn = performance.nodeTiming.uvMetricsInfo.loopCount
    turns.set(turn, (turns.get(turn) ?? 0) + 1)
  }
  subscribe('http.server.response.finish', count)
  await work().finally(() => unsubscribe('http.server.response.finish', count))
  return turns
}
