/**
 * The files for operators in deploy/: what they name exists, and real proxies run with them in front of the real
 * service. Where nginx, Caddy, promtool or python3-yaml are not installed, tests of theirs are skipped; .ci/run installs them.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseConfig } from '../src/cli/settings/config.ts'
import { defaultTiers } from '../src/server/admission/tiers.ts'
import { type CommandName, commands } from '../src/cli/command-list.ts'
import { settings, variableOf } from '../src/cli/settings/settings.ts'
import { createMetrics } from '../src/server/observe/metrics.ts'
import { addIndexMetrics } from '../src/server/observe/metrics-index.ts'
import { gatherMetrics } from '../src/server/observe/metrics-workers.ts'
import { type Service, startService } from './network/service.ts'
import type { Json } from './reference/shapes.ts'
import { emptyStatus } from './support/server/http-server.ts'
import { temporaryFolder } from './support/store/store.ts'
import { freePort } from './support/free-port.ts'
import { patience, until } from './support/until.ts'
import { missing, noNginx, run, startNginx, startProxy } from './support/server/proxies.ts'

const folder = fileURLToPath(new URL('../deploy/', import.meta.url))
const inFolder = temporaryFolder()
const read = (name: string): string => readFileSync(`${folder}${name}`, 'utf8')

test('every metric that the rules and the dashboard name exists, and the dashboard shows all of ours', () => {
  const known = knownMetrics()
  for (const name of ['prometheus-rules.yml', 'prometheus-rules.test.yml', 'grafana-dashboard.json'])
    assert.deepEqual(unknownMetrics(read(name), known), [], name)
  // One that is renamed is found.
  for (const name of ['prometheus-rules.yml', 'grafana-dashboard.json']) {
    const renamed = read(name).replace('lexigraph_requests_total', 'lexigraph_request_total')
    assert.deepEqual(unknownMetrics(renamed, known), ['lexigraph_request_total'], name)
  }
  const shown = metricsIn(read('grafana-dashboard.json')).map(withoutSuffix)
  const ours = known.filter((name) => name.startsWith('lexigraph_'))
  assert.deepEqual(
    ours.filter((name) => !shown.includes(name)),
    [],
  )
})

test('labels that the rules and the dashboard ask for are those of the metrics', () => {
  const text = read('prometheus-rules.yml') + read('grafana-dashboard.json').replaceAll('\\"', '"')
  const labels = new Map(registered().map(({ name, labelNames }) => [name, labelNames]))
  const asked = [...text.matchAll(/\b((?:lexigraph|process|nodejs)_\w+)\{([^}]*)\}/g)]
  assert.ok(asked.length > 20)
  for (const [, name = '', selectors = ''] of asked)
    for (const [, label = ''] of selectors.matchAll(/(\w+)\s*(?:=|!=|=~|!~)\s*"/g))
      assert.ok(
        label === 'job' || labels.get(withoutSuffix(name))?.includes(label),
        `${name} has no label ${label}.`,
      )
})

test('the dashboard is one that Grafana imports: panels with ids, places and queries', () => {
  const { panels, templating, uid, schemaVersion } = JSON.parse(read('grafana-dashboard.json'))
  assert.deepEqual([uid, schemaVersion > 30, templating.list.length], ['lexigraph', true, 2])
  assert.equal(new Set(panels.map(({ id }: Json) => id)).size, panels.length)
  for (const { type, title, gridPos, targets } of panels) {
    assert.ok(gridPos.x + gridPos.w <= 24, title)
    if (type !== 'row')
      assert.ok(
        targets.every(({ expr }: Json) => expr.includes('job="$job"')),
        title,
      )
  }
})

test('the alerts of the page are the alerts of the file', () => {
  const page = readFileSync(new URL('../docs/operating.md', import.meta.url), 'utf8')
  const flat = (text: string): string => text.replaceAll(/[\s\\]+/g, '')
  const file = flat(read('prometheus-rules.yml').replaceAll('>-', ''))
  const rows = page.slice(page.indexOf('## Alerts worth having')).matchAll(/^\| [^|]+ \| `((?:[^`])+)`/gm)
  const shown = Array.from(rows, ([, expression = '']) => expression).filter((it) => /[><=]|absent/.test(it))
  assert.ok(shown.length >= 9, shown.join('\n'))
  for (const expression of shown) assert.ok(file.includes(flat(expression)), expression)
})

test('promtool takes the rules, and they fire when they should', { skip: missing('promtool') }, () => {
  run('promtool', ['check', 'config', `${folder}prometheus.yml`])
  run('promtool', ['test', 'rules', `${folder}prometheus-rules.test.yml`])
})

const noYaml = missing('python3', '-c', 'import yaml')

test('compose.yml gives settings that exist, with values that are taken', { skip: noYaml }, () => {
  const toJson = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))'
  const input = read('compose.yml')
  const compose: Json = JSON.parse(execFileSync('python3', ['-c', toJson], { input, encoding: 'utf8' }))
  const given = { POSTGRES_PASSWORD: 'secret', LEXIGRAPH_NAME: 'graphql.example.org' }
  const resolve = (value: unknown): string =>
    String(value).replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind = '', more = '') => {
      const found = (given as Record<string, string>)[name]
      assert.ok(found !== undefined || kind === '-', `${name} has no value.`)
      return found ?? more
    })
  const known = Object.entries(settings).map(([name, setting]) => variableOf(name, setting))
  let services = 0
  for (const [name, { image, command, environment }] of Object.entries<Json>(compose.services)) {
    const env = Object.fromEntries(
      Object.entries(environment ?? {}).map(([key, value]) => [key, resolve(value)]),
    )
    if (image !== 'lexigraph') continue
    services += 1
    const [program] = command as [CommandName]
    assert.ok(Object.hasOwn(commands, program), name)
    for (const key of Object.keys(env)) assert.ok(known.includes(key), key)
    const { config, problems } = parseConfig(program, [], env)
    assert.deepEqual(problems, [])
    assert.equal(config.database, 'postgres://lexigraph:secret@database/lexigraph')
  }
  assert.equal(services, 2)
  assert.equal(
    compose.services.serve.environment.LEXIGRAPH_TRUSTED_PROXIES,
    compose.networks.default.ipam.config[0].subnet,
  )
  for (const [variable] of input.matchAll(/(?<=\$\{)\w+(?=:\?)/g))
    assert.match(read('compose.env.example'), new RegExp(`^${variable}=`, 'm'))
})

test('deploy/README.md names every file of the folder', () => {
  const page = read('README.md')
  const named = new Set(
    Array.from(page.matchAll(/[\w@.-]+\.(?:yml|json|conf|service|example)|Caddyfile/g), String),
  )
  assert.deepEqual(
    readdirSync(folder).filter((name) => name !== 'README.md' && !named.has(name)),
    [],
  )
})

test('proxies wait longer than any tier of the program allows', () => {
  const longest = Math.max(...defaultTiers.map(({ seconds }) => seconds))
  const waits = [/proxy_read_timeout (\d+)s;/, /response_header_timeout (\d+)s/]
  for (const [index, name] of ['nginx.conf', 'Caddyfile'].entries()) {
    const [, seconds] = waits[index]?.exec(read(name)) ?? []
    assert.ok(Number(seconds) > longest, `${name} waits ${seconds} s.`)
  }
})

test('nginx in front of the service: TLS, HTTP/2, callers told apart, our own answers', {
  skip: noNginx,
}, async () => {
  await using service = await startServed()
  await using nginx = await startNginx(service.url, inFolder, patience / 1_000)
  await assertProxy(nginx.tls, service)
  const redirected = await until(async () =>
    fetch(`http://127.0.0.1:${nginx.plain}/`, { redirect: 'manual' }).catch(() => null),
  )
  assert.equal(redirected.status, 301)
})

test('Caddy in front of the service: TLS, HTTP/2, callers told apart, our own answers', {
  skip: missing('caddy', 'version'),
}, async () => {
  await using service = await startServed()
  const [tls, plain] = [await freePort(), await freePort()]
  const file = inFolder('Caddyfile')
  const storage = `storage file_system ${inFolder('caddy')}`
  // What belongs to the machine; the site is as it is given.
  writeFileSync(
    file,
    `{\nadmin off\nhttps_port ${tls}\nhttp_port ${plain}\nskip_install_trust\n${storage}\n}\n${read('Caddyfile')}`,
  )
  const env = {
    LEXIGRAPH_NAME: 'localhost',
    LEXIGRAPH_UPSTREAM: new URL(service.url).host,
    HOME: inFolder('home'),
  }
  run('caddy', ['validate', '--adapter', 'caddyfile', '--config', `${folder}Caddyfile`], { HOME: env.HOME })
  await using _proxy = startProxy('caddy', ['run', '--adapter', 'caddyfile', '--config', file], env)
  await assertProxy(tls, service)
})

/** What callers have of a service behind a proxy at that port. */
async function assertProxy(port: number, service: Service): Promise<void> {
  const body = JSON.stringify({ query: '{ __typename }' })
  const first = await until(async () => ask(port, { body }).catch(() => null))
  assert.deepEqual([first.status, JSON.parse(first.text).data], [200, { __typename: 'Query' }])

  // Each caller has limits of its own, whatever it says of itself.
  const left = async (from: string, headers: Record<string, string> = {}): Promise<number> => {
    const { headers: answered } = await ask(port, { body, from, headers })
    return Number(/r=(\d+)/.exec(String(answered.ratelimit))?.[1])
  }
  const full = await left('127.0.0.2')
  const next = await left('127.0.0.2', { 'x-forwarded-for': '198.51.100.7' })
  assert.ok(next < full, `${next} points were left after ${full}`)
  assert.equal(await left('127.0.0.3', { 'x-forwarded-for': '127.0.0.2' }), full)

  // What is too large or too long is refused by the service, in its own words.
  const large = await ask(port, {
    body: JSON.stringify({ query: `{ ${' '.repeat(1_100_000)} __typename }` }),
  })
  assert.deepEqual(
    [large.status, JSON.parse(large.text).errors[0].extensions.code],
    [413, 'PAYLOAD_TOO_LARGE'],
  )
  const long = await ask(port, { path: `/api/graphql?query=%7B__typename${','.repeat(12_000)}%7D` })
  assert.deepEqual([long.status, JSON.parse(long.text).data], [200, { __typename: 'Query' }])
  const schema = JSON.stringify({
    query: '{ __schema { types { name description fields { name description } } } }',
  })
  const page = await ask(port, { body: schema })
  assert.ok(page.text.length > 40_000, `${page.text.length} characters`)
  const direct = await fetch(`${service.url}/api/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: schema,
  })
  assert.equal(page.text, await direct.text())

  // Agents speak through it under the service's own name.
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '0' } },
  }
  const accept = 'application/json, text/event-stream'
  const agent = await ask(port, { path: '/mcp', body: JSON.stringify(initialize), headers: { accept } })
  assert.deepEqual([agent.status, agent.text.includes('"serverInfo"')], [200, true], agent.text)

  assert.equal((await ask(port, { path: '/healthz' })).status, 200)
  assert.equal((await ask(port, { path: '/readyz' })).status, 404)
}

interface Question {
  readonly path?: string
  /** Absent: GET. */
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The caller's address. */
  readonly from?: string
}

/** Over HTTP/2, which the proxy must have agreed to. */
async function ask(
  port: number,
  { path = '/api/graphql', body, headers = {}, from = '127.0.0.1' }: Question,
) {
  const session = connectHttp2(`https://localhost:${port}`, {
    rejectUnauthorized: false,
    ...({ host: '127.0.0.1', family: 4, localAddress: from } as object),
  })
  try {
    const { promise, resolve, reject } = Promise.withResolvers<{
      status: number
      headers: Json
      text: string
    }>()
    session.on('error', reject)
    session.on('close', () => reject(new Error('The connection was closed.')))
    const stream = session.request({
      ':path': path,
      ':method': body === undefined ? 'GET' : 'POST',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    })
    stream.setEncoding('utf8').on('error', reject)
    let answered: Json = {}
    let text = ''
    stream.on('response', (given) => (answered = given as Json))
    stream.on('data', (piece: string) => (text += piece))
    stream.on('end', () => resolve({ status: Number(answered[':status']), headers: answered, text }))
    stream.end(body)
    return await promise
  } finally {
    session.destroy()
  }
}

function startServed(): Promise<Service> {
  const args = ['serve', '--workers', '1', '--mcp', '--trusted-proxies', '127.0.0.1', '--request-log', 'none']
  return startService(args, { env: { LEXIGRAPH_DATABASE: inFolder(`served-${performance.now()}.db`) } })
}

function registered() {
  const { registry } = createMetrics()
  addIndexMetrics(registry, { readStatus: async () => emptyStatus, readSize: async () => 0 })
  using _workers = gatherMetrics(registry)
  return registry.getMetricsAsArray() as unknown as readonly { name: string; labelNames: readonly string[] }[]
}

function knownMetrics(): readonly string[] {
  return registered().map(({ name }) => name)
}

function metricsIn(text: string): readonly string[] {
  return text.match(/\b(lexigraph|nodejs|process)_\w+/g) ?? []
}

function unknownMetrics(text: string, known: readonly string[]): readonly string[] {
  return metricsIn(text).filter((name) => !known.includes(name) && !known.includes(withoutSuffix(name)))
}

function withoutSuffix(name: string): string {
  return name.replace(/_(bucket|sum|count)$/, '')
}
