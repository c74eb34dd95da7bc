/**
 * The attacks where nginx is in front of the service: their bytes over TLS, and over HTTP/2 those that are requests at
 * all. nginx answers some itself; what comes through has the outcome that it has without nginx.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { after, before, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { type Nginx, noNginx, startNginx } from '../support/server/proxies.ts'
import { temporaryFolder } from '../support/store/store.ts'
import { until } from '../support/until.ts'
import type { Attack, Given } from './attack.ts'
import { type Answer, Connection } from './exchange.ts'
import { families } from './families.ts'
import { codeOf, errorLine, launch, leaksOf } from './launch.ts'
import { bytesOf } from './requests/mutations.ts'
import { type AttackedServers, openServers, type Target } from './servers.ts'

/** What is wrong with HTTP itself, and with keys: nginx says who calls, so that all wrong ones are one caller's. */
const inBytes = new Set(['HTTP', 'keys'])

const inFolder = temporaryFolder()
let servers: AttackedServers
let target: Target
let nginx: Nginx
if (noNginx === undefined) {
  before(async () => {
    servers = await openServers()
    target = await servers.target('roomy')
    nginx = await startNginx(target.url, inFolder, 2)
    await until(() =>
      openTls(nginx.tls).then(
        () => true,
        () => false,
      ),
    )
  })
  after(async () => {
    await nginx?.[Symbol.asyncDispose]()
    await servers?.[Symbol.asyncDispose]()
  })
}

for (const [family, all] of families.filter(([name]) => inBytes.has(name)))
  test(`attacks on ${family} behind nginx, over TLS: no fault, and the next request is the next`, {
    skip: noNginx,
  }, async (t) => {
    let answeredByNginx = 0
    for (const attack of all) {
      const { answers, leaves, sent } = await launch(nginx.tls, attack, servers.given, openTls)
      // What the service hangs up on, nginx answers.
      if (answers.some((answer) => !isOfNginx(answer))) assert.notEqual(leaves, 'desynchronised', attack.name)
      for (const answer of answers) {
        if (isOfNginx(answer)) answeredByNginx += 1
        else {
          assert.ok(answer.status < 500, `${attack.name}: ${answer.status}`)
          if (answer.status >= 400) assert.deepEqual(leaksOf(answer.body, sent), [], attack.name)
        }
      }
    }
    t.diagnostic(`nginx answered ${answeredByNginx} of ${all.length} itself.`)
    await assertHealthy()
  })

for (const [family, all] of families.filter(([name]) => !inBytes.has(name)))
  test(`attacks on ${family} behind nginx, over HTTP/2: the same outcome`, { skip: noNginx }, async () => {
    const requests = all.flatMap((attack) => requestOf(attack, servers.given) ?? [])
    assert.ok(requests.length > 0.9 * all.length, `${requests.length} of ${all.length}`)
    for (const { attack, ...request } of requests) {
      const answer = await overHttp2(request)
      assert.ok(answer !== null, `${attack.name}: no answer`)
      // It refuses what is larger than the service takes, and paths that lead above the root or have a NUL.
      if (isOfNginx(answer)) assert.ok([400, 413].includes(answer.status), `${attack.name}: ${answer.status}`)
      else assert.deepEqual([answer.status, codeOf(answer)], [attack.status, attack.code], attack.name)
    }
    await assertHealthy()
  })

interface Request {
  readonly attack: Attack
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Characters that nginx takes with its usual buffers. */
const longestPath = 8_000

/** Null of what HTTP/2 has no words for, and of what nginx does not pass on. */
function requestOf(attack: Attack, given: Given): Request | null {
  const bytes = bytesOf(attack.send, given)
  const end = bytes.indexOf('\r\n\r\n')
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const [, method, path] = /^(GET|POST|HEAD|OPTIONS|DELETE|PUT) (\/\S*) HTTP\/1\.1$/.exec(first) ?? []
  if (end === -1 || method === undefined || path === undefined || (attack.answers ?? 1) !== 1) return null
  // nginx ends the whole connection.
  if (path.length > longestPath) return null
  const headers: Record<string, string> = { ':method': method, ':path': path }
  const body = bytes.subarray(end + 4)
  for (const line of lines) {
    const [, name, value = ''] = /^([\w-]+): ?([\x20-\x7e]*)$/.exec(line) ?? []
    if (name === undefined || name.toLowerCase() in headers) return null
    if (['transfer-encoding', 'expect', 'upgrade', 'http2-settings'].includes(name.toLowerCase())) return null
    if (name.toLowerCase() === 'content-length' && value !== String(body.length)) return null
    if (!['host', 'connection', 'content-length'].includes(name.toLowerCase()))
      headers[name.toLowerCase()] = value
  }
  return { attack, headers, body }
}

/** Null when the stream or the connection was closed instead. */
async function overHttp2({ headers, body }: Omit<Request, 'attack'>): Promise<Answer | null> {
  const session = connectHttp2(`https://127.0.0.1:${nginx.tls}`, {
    rejectUnauthorized: false,
    servername: 'localhost',
  })
  session.on('error', () => undefined)
  try {
    const stream = session.request(headers, { endStream: false })
    let status = 0
    const answered = new Map<string, string>()
    stream.on('response', (found) => {
      status = Number(found[':status'])
      for (const [name, value] of Object.entries(found)) answered.set(name, String(value))
    })
    stream.on('error', () => undefined)
    stream.end(body)
    const pieces: Buffer[] = []
    stream.on('data', (piece: Buffer) => pieces.push(piece))
    await once(stream, 'close')
    return status === 0 ? null : { status, headers: answered, body: Buffer.concat(pieces).toString() }
  } finally {
    session.destroy()
  }
}

async function openTls(port: number): Promise<Connection> {
  const socket = connectTls({ port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false })
  const connection = new Connection(socket)
  await once(socket, 'secureConnect')
  return connection
}

function isOfNginx({ body }: Answer): boolean {
  return body.includes('<hr><center>nginx')
}

async function assertHealthy(): Promise<void> {
  assert.ok(target.isUp(), 'the server has ended')
  assert.doesNotMatch(target.stderr(), errorLine)
  assert.deepEqual(await target.query('{ __typename }'), { __typename: 'Query' })
}
