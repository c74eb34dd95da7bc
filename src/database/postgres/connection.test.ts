import assert from 'node:assert/strict'
import dns from 'node:dns'
import { readFileSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, before, test, type TestContext } from 'node:test'
import type { Client } from 'pg'
import { onPostgres } from '../../../test/support/store/databases.ts'
import { type Cluster, databases, startCluster } from '../../../test/support/store/postgres.ts'
import { assertServerVersion, connect } from './connection.ts'
import { DatabaseUnreachableError, isPassing } from './failures.ts'
import { hostsOf, withoutPassword } from './url.ts'

const started: Cluster[] = []
after(() => Promise.all(started.map((cluster) => cluster[Symbol.asyncDispose]())))
let server: Cluster
before(async () => {
  if (databases.includes('postgres')) server = await start(startCluster())
})

test('a URL with several hosts is one URL for each', () => {
  assert.deepEqual(hostsOf('postgres://u:p@h1:1,[::1]:2,h3/db?sslmode=verify-full'), [
    'postgres://u:p@h1:1/db?sslmode=verify-full',
    'postgres://u:p@[::1]:2/db?sslmode=verify-full',
    'postgres://u:p@h3/db?sslmode=verify-full',
  ])
  for (const url of [
    'postgresql://h',
    'postgres:///db?host=/run',
    'postgres://u@/db?host=/run',
    'postgres://%2Frun/db',
  ])
    assert.deepEqual(hostsOf(url), [url])
})

test('what is no URL of PostgreSQL is refused without showing its password', () => {
  for (const url of [
    'postgres://u:secret@h:port/db',
    'postgres://u:sec/ret@h/db',
    'postgres:u:secret@h',
    'mysql://u:secret@h/db',
  ])
    assert.throws(
      () => hostsOf(url),
      ({ message }: Error) =>
        /is not a valid URL of a database: write postgres:\/\/USER:PASSWORD@/.test(message) &&
        !/sec/.test(message),
    )
})

test('no password is shown, wherever it stands', () => {
  for (const [url, shown] of [
    ['postgres://u:secret@h1:5432,h2/db', 'postgres://u@h1:5432,h2/db'],
    ['postgres://u:se@cr:e/t#?@h/db', 'postgres://u@h/db'],
    ['postgres://u@h/db?password=secret&sslmode=disable', 'postgres://u@h/db?sslmode=disable'],
    ['postgres://h/db?user=u&password=secret', 'postgres://h/db?user=u'],
    ['postgres://h:5432/db', 'postgres://h:5432/db'],
    ['POSTGRES://u:secret@h/db', 'POSTGRES://u@h/db'],
    ['postgresql+driver://u:secret@h/db', 'postgresql+driver://u@h/db'],
    ["host=h password='se cret' dbname=x", 'host=h password=… dbname=x'],
    ['./lexigraph.db', './lexigraph.db'],
  ] as const)
    assert.equal(withoutPassword(url), shown)
})

test('a server that is too old is refused by its version', () => {
  for (const version of ['15.18 (Debian 15.18-0+deb12u1)', '15.0', '18beta1', '19devel'])
    assertServerVersion(version)
  for (const [version, number] of [
    ['13.4', '13.4'],
    ['14.19 (Ubuntu 14.19-0ubuntu0.22.04.1)', '14.19'],
    ['9.6.24', '9.6.24'],
  ] as const)
    assert.throws(() => assertServerVersion(version), {
      message: `The server is PostgreSQL ${number}; Lexigraph needs 15 or newer.`,
    })
})

onPostgres('a connection’s settings override the defaults of its role', async () => {
  const role = await server.addRole('odd', 'x')
  for (const setting of [
    `search_path = 'elsewhere'`,
    `timezone = 'Asia/Tokyo'`,
    'jit = on',
    `statement_timeout = '1s'`,
    `idle_in_transaction_session_timeout = '1s'`,
  ])
    await server.query(`alter role odd set ${setting}`)
  const shown = async (client: Client, ...names: readonly string[]) => {
    const values: unknown[] = []
    for (const name of names) values.push(await valueOf(client, 'select current_setting($1)', name))
    return values
  }
  const both = ['search_path', 'timezone', 'jit', 'application_name', 'statement_timeout']
  await using reading = await opened(connect(role, 'read', 1234))
  assert.deepEqual(await shown(reading.client, ...both, 'default_transaction_read_only', 'enable_seqscan'), [
    'lexigraph, lexigraph_records, public',
    'UTC',
    'off',
    'lexigraph',
    '1234ms',
    'on',
    'off',
  ])
  // Each was measured: bench/notes/statements-on-postgresql.md.
  const planner = ['join_collapse_limit', 'hash_mem_multiplier', 'plan_cache_mode']
  assert.deepEqual(await shown(reading.client, ...planner, 'max_parallel_workers_per_gather'), [
    '1',
    '16',
    'force_generic_plan',
    '0',
  ])
  await using writing = await opened(connect(role, 'write'))
  assert.deepEqual(await shown(writing.client, ...both, 'idle_in_transaction_session_timeout'), [
    'lexigraph, lexigraph_records, public',
    'UTC',
    'off',
    'lexigraph',
    '0',
    '0',
  ])
})

onPostgres('integers come as bigint, decimals and JSON as text, bytes as bytes', async () => {
  await using connection = await opened(connect(server.url, 'read'))
  const { rows } = await connection.client.query(
    `select 1::int2 as a, 2::int4 as b, 9223372036854775807::int8 as c, 1.50::numeric as d, 0.5::float8 as e,
       '\\x00ff'::bytea as f, '{"a":1}'::jsonb as g`,
  )
  const [a, b, c, d, e, f, g] = [1n, 2n, 9223372036854775807n, '1.50', 0.5, Buffer.of(0, 255), '{"a": 1}']
  assert.deepEqual(rows, [{ a, b, c, d, e, f, g }])
})

onPostgres('what the connections that only read are asked to write fails', async () => {
  await using connection = await opened(connect(server.url, 'read'))
  await assert.rejects(connection.client.query('create table t (x int)'), /read-only transaction/)
})

onPostgres('a connection that cannot be made is explained, with what to do', async (t) => {
  const role = await server.addRole('Some One', 'right')
  const { port } = server
  await server.query(
    'create role barred; create role stranger login; create role full_house login connection limit 0',
  )
  await server.query(
    `create database latin encoding 'LATIN1' locale 'C' locale_provider libc template template0`,
  )
  await server.query('revoke connect on database latin from public')
  // With something unread it would reset the connection.
  const closing = createServer((socket) => socket.once('data', () => socket.destroy())).listen(0, '127.0.0.1')
  after(() => closing.close())
  await once(closing, 'listening')
  const closingPort = (closing.address() as { port: number }).port
  forgetName(t, 'no.where.invalid')
  const at = `127.0.0.1:${port}`
  for (const [url, message] of [
    [
      role.replace('right', 'wrong'),
      `The server at ${at} refuses the password of the user "Some One": write the right one in the URL, postgres://USER:PASSWORD@HOST/DATABASE, with @ : / ? # % as %40 %3A %2F %3F %23 %25.`,
    ],
    [
      role.replace(':right', ''),
      `The server at ${at} wants a password of the user "Some One": write it in the URL, postgres://USER:PASSWORD@HOST/DATABASE.`,
    ],
    [
      `postgres://nobody@${at}/postgres`,
      `The server at ${at} refuses the user "nobody" (role "nobody" does not exist): create it with \`create role "nobody" login\`, or name another in the URL.`,
    ],
    [
      `postgres://barred@${at}/postgres`,
      `The server at ${at} refuses the user "barred" (role "barred" is not permitted to log in): create it with \`create role "barred" login\`, or name another in the URL.`,
    ],
    [
      `postgres://postgres@${at}/none`,
      `The server at ${at} has no database "none": create it with \`create database "none" encoding 'UTF8' template template0\`, or name another in the URL.`,
    ],
    [
      `postgres://full_house@${at}/postgres`,
      `The server at ${at} has no connection left (too many connections for role "full_house"): close some, or raise its max_connections.`,
    ],
    [
      `postgres://stranger@${at}/latin`,
      `The user "stranger" may not connect to the database "latin": have an administrator run \`grant connect on database "latin" to "stranger"\`.`,
    ],
    [
      `postgres://postgres@${at}/latin`,
      `The database "latin" has the encoding LATIN1, which cannot hold all text: name one that was made with \`create database NAME encoding 'UTF8' template template0\`.`,
    ],
    [
      `postgres://postgres@${at}/postgres?sslmode=require`,
      `The server at ${at} does not speak TLS: write sslmode=disable in the URL, or set up TLS on the server.`,
    ],
    [
      `postgres://postgres@${at}/postgres?sslmode=verify-full&sslrootcert=/no/where.pem`,
      `The URL of the database cannot be used: ENOENT: no such file or directory, open '/no/where.pem'.`,
    ],
    [
      'postgres://postgres@127.0.0.1:1/postgres',
      'The server at 127.0.0.1:1 cannot be reached (ECONNREFUSED): start it, or correct host and port in the URL.',
    ],
    [
      'postgres://postgres@no.where.invalid/postgres',
      'The host of no.where.invalid:5432 is not known (ENOTFOUND): correct the host in the URL.',
    ],
    [
      'postgres:///postgres?host=/no/where&user=postgres',
      'There is no PostgreSQL socket in /no/where: start the server, or correct the host in the URL.',
    ],
    [
      `postgres://postgres@127.0.0.1:${closingPort}/postgres`,
      `The server at 127.0.0.1:${closingPort} closed the connection: see its log, and whether host and port in the URL are PostgreSQL's.`,
    ],
  ] as const)
    await assert.rejects(connect(url, 'write'), { message }, url)
})

onPostgres('a server whose pg_hba.conf lets nobody in from here is told from an unknown role', async () => {
  const [{ hba_file }] = (await server.query('show hba_file')) as [{ hba_file: string }]
  const before = readFileSync(hba_file, 'utf8')
  await server.query('create role outsider login')
  writeFileSync(hba_file, `host all outsider 127.0.0.1/32 reject\n${before}`)
  await server.query('select pg_reload_conf()')
  await assert.rejects(
    connect(`postgres://outsider@127.0.0.1:${server.port}/postgres`, 'write'),
    /does not let the user "outsider" into the database "postgres" from here \(.+\): add a line to its pg_hba\.conf/,
  )
  writeFileSync(hba_file, before)
})

onPostgres('of several hosts that one is found which takes writes, after a failover too', async () => {
  const primary = await start(startCluster())
  const standby = await start(primary.standby())
  const [first, second, none] = [standby.port, primary.port, 1].map((port) => `127.0.0.1:${port}`)
  const url = (...hosts: readonly unknown[]) => `postgres://postgres@${hosts.join()}/postgres`
  const portOf = async (urls: string, use: 'read' | 'write') => {
    await using connection = await opened(connect(urls, use))
    return connection.client.port
  }
  assert.equal(await portOf(url(none, first, second), 'write'), primary.port)
  assert.equal(await portOf(url(none, first, second), 'read'), standby.port)
  await assert.rejects(connect(url(first), 'write'), {
    name: 'DatabaseUnreachableError',
    message: `The server at ${first} is a standby and takes no writes: name the primary in the URL, or all hosts, postgres://USER@HOST1:PORT,HOST2:PORT/DATABASE.`,
  })
  await assert.rejects(connect(url(none, first), 'write'), (error: Error) => {
    assert.ok(error instanceof DatabaseUnreachableError)
    assert.match(error.message, /^None of the 2 hosts takes writes\. The server at 127\.0\.0\.1:1 cannot be/)
    return true
  })
  await primary.kill()
  await standby.promote()
  assert.equal(await portOf(url(none, second, first), 'write'), standby.port)
  // It does not know that another took its place, and takes writes too.
  await primary.start()
  assert.equal(await portOf(url(second, first), 'write'), standby.port)
})

onPostgres('a wrong password is not tried at the next host', async () => {
  const role = await server.addRole('careful', 'right')
  const url = role.replace('right', 'wrong').replace('@127.0.0.1', `@127.0.0.1:${server.port},127.0.0.1`)
  await assert.rejects(connect(url, 'write'), /^Error: The server at \S+ refuses the password/)
})

test('what may pass by itself is told from what needs somebody', () => {
  const coded = (code: string) => Object.assign(new Error('x'), { code })
  for (const code of ['57P01', '57P03', '53300', '40P01', '40001', '25006', '55P03', '08006', 'ECONNRESET'])
    assert.ok(isPassing(coded(code)), code)
  for (const code of ['57014', '28P01', '42P01', '23505', '53100', 'ERR_ANY'])
    assert.ok(!isPassing(coded(code)), code)
  for (const other of [new Error('x'), 'x', null, undefined]) assert.ok(!isPassing(other))
})

/** The resolver says that nobody has this name, also where it cannot be asked or its answer is lost. */
function forgetName({ mock }: TestContext, unknown: string): void {
  const systems = dns.lookup
  mock.method(dns, 'lookup', (name: string, options: object, callback: (error: Error) => void) =>
    name === unknown
      ? setImmediate(callback, Object.assign(new Error('It is unknown.'), { code: 'ENOTFOUND' }))
      : Reflect.apply(systems, dns, [name, options, callback]),
  )
}

async function start(cluster: Promise<Cluster>): Promise<Cluster> {
  const one = await cluster
  started.push(one)
  return one
}

async function opened(connecting: Promise<Client>): Promise<AsyncDisposable & { readonly client: Client }> {
  const client = await connecting
  return { client, [Symbol.asyncDispose]: () => client.end() }
}

async function valueOf(client: Client, text: string, ...values: readonly unknown[]): Promise<unknown> {
  const { rows } = await client.query(text, [...values])
  return Object.values(rows[0])[0]
}
