import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import { onPostgres } from '../../../../test/support/store/databases.ts'
import { apply, openNotes, put, spot } from '../../../../test/support/records/notes.ts'
import { type Cluster, databases, startCluster } from '../../../../test/support/store/postgres.ts'
import { signalIfThere } from '../../../../test/support/processes.ts'
import { stopTimers } from '../../../../test/support/stopped-timers.ts'
import { patience, until } from '../../../../test/support/until.ts'
import { ServiceError } from '../../../errors.ts'
import { runPrepared } from '../prepared.ts'
import { defaultQueryOptions, type QueryOptions, Servers } from './servers.ts'

let primary: Cluster
let replica: Cluster
before(async () => {
  if (!databases.includes('postgres')) return
  primary = await startCluster()
  replica = await primary.standby()
})
after(async () => {
  await replica?.[Symbol.asyncDispose]()
  await primary?.[Symbol.asyncDispose]()
})

onPostgres('near replicas answer in turn, and the primary does not', async () => {
  await using other = await primary.standby()
  await using servers = open({ readDatabases: [replica.url, other.url] })
  await until(async () => {
    const ports = [await servers.read(port), await servers.read(port), await servers.read(port)]
    return new Set(ports).size === 2 && !ports.includes(primary.port)
  })
})

onPostgres('a replica over the bound is left out until it is near, and each is told once', async () => {
  const notices: string[] = []
  await using servers = open({
    readDatabases: [replica.url],
    // A busy machine alone puts it a second or two behind.
    maxReplicaLag: 5,
    onNotice: (sentence) => notices.push(sentence),
  })
  await until(async () => (await servers.read(port)) === replica.port)
  await replica.query('select pg_wal_replay_pause()')
  await until(async () => {
    // Whatever is written counts; nothing of Lexigraph is.
    await primary.query('select pg_logical_emit_message(true, $1, $1)', ['lag'])
    return (await servers.read(port)) === primary.port && beyondSilences(notices).length === 1
  })
  await replica.query('select pg_wal_replay_resume()')
  await until(async () => (await servers.read(port)) === replica.port)
  assert.deepEqual(beyondSilences(notices), [
    `The replica 127.0.0.1:${replica.port} is not used: It is more than 5 seconds behind the primary (--max-replica-lag).`,
    `The replica 127.0.0.1:${replica.port} is used again.`,
  ])
})

onPostgres('a server that is no copy of the primary is not used', async () => {
  const notices: string[] = []
  const otherDatabase = replica.url.replace(/postgres$/, 'template1')
  await using servers = open({
    readDatabases: [primary.url, otherDatabase],
    onNotice: (sentence) => notices.push(sentence),
  })
  assert.equal(await servers.read(port), primary.port)
  // What is no copy can only be told once the primary has been heard of.
  await until(() => beyondSilences(notices).length === 2)
  assert.deepEqual(
    beyondSilences(notices).toSorted(),
    [
      `The replica 127.0.0.1:${primary.port} is not used: It takes writes itself; a new primary is found when --database names its host too.`,
      `The replica 127.0.0.1:${replica.port} is not used: It is no copy of the database that --database names.`,
    ].toSorted(),
  )
})

onPostgres('a role that may not ask what a server is a copy of can still be used', async () => {
  const url = await primary.addRole('plain', 'secret')
  await primary.query('revoke execute on function pg_control_system() from public')
  await using servers = open({ database: url, readDatabases: [asRole(replica)] })
  await until(async () => (await servers.read(port).catch(() => null)) === replica.port)

  function asRole({ port: there }: Cluster): string {
    return url.replace(String(primary.port), String(there))
  }
})

onPostgres('a statement that the server does not end in time is not run again', async (t) => {
  const timers = stopTimers(t)
  await using servers = open({ statementTimeout: 60_000 })
  const started = Promise.withResolvers<void>()
  let runs = 0
  const reading = servers.read(async (client) => {
    runs += 1
    await client.query('set statement_timeout = 0')
    const answer = client.query('select pg_sleep(600)')
    started.resolve()
    await answer
  })
  const refused = assert.rejects(reading, { code: 'TIMEOUT' })
  await started.promise
  timers.advance(65_000)
  await refused
  assert.equal(runs, 1)
})

onPostgres('who waits too long for a connection is told that all are busy', async (t) => {
  const timers = stopTimers(t)
  await using servers = open({ poolSize: 1 })
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = servers.read(() => {
    begun.resolve()
    return held.promise
  })
  await begun.promise
  const refused = assert.rejects(servers.read(port), {
    code: 'UNAVAILABLE',
    message: 'All connections to the database are busy.',
    details: { retryAfter: 1 },
  })
  // By then it waits.
  await setImmediate()
  timers.advance(5_000)
  await refused
  held.resolve()
  await holding
  assert.equal(await servers.read(port), primary.port)
})

onPostgres('readings of a silent replica are repeated on the primary', async () => {
  await using servers = open({ readDatabases: [replica.url], statementTimeout: patience })
  await until(async () => (await servers.read(port)) === replica.port)
  const started = Promise.withResolvers<void>()
  const underWay = servers.read(async (client) => {
    const answer = client.query('select pg_sleep(case when pg_is_in_recovery() then 60 else 0 end)')
    started.resolve()
    await answer
    return port(client)
  })
  await started.promise
  const thaw = await freeze(replica)
  try {
    const answers = Promise.all([underWay, servers.read(port), servers.read(port)])
    assert.deepEqual(await within(answers), [primary.port, primary.port, primary.port])
    assert.equal(await within(servers.read(port)), primary.port)
  } finally {
    thaw()
  }
  await until(async () => (await servers.read(port)) === replica.port)
})

onPostgres('a primary that falls silent is used again when it answers again', async () => {
  await using servers = open({ statementTimeout: patience })
  assert.equal(await servers.read(port), primary.port)
  const thaw = await freeze(primary)
  try {
    await assert.rejects(servers.read(port), isUnavailable)
  } finally {
    thaw()
  }
  await until(() => servers.read(port).catch(() => null))
})

onPostgres('closing does not wait for a server that is silent', async () => {
  await primary.query(`create database closing encoding 'UTF8' template template0`)
  const store = await openNotes(primary.url.replace(/postgres$/, 'closing'))
  await apply(store, put(store, spot('a'), 0))
  const { read } = store.database
  await read.readStatus()
  const rows = read.readRows({ text: 'select 1 as n', values: [] })[Symbol.asyncIterator]()
  await rows.next()
  const thaw = await freeze(primary)
  try {
    await within(Promise.all([rows.return?.(), store[Symbol.asyncDispose]()]))
  } finally {
    thaw()
  }
})

onPostgres('of several hosts the primary is read, and the newer of two primaries', async () => {
  await using own = await startCluster()
  await using copy = await own.standby()
  const database = `postgres://postgres@127.0.0.1:${own.port},127.0.0.1:${copy.port}/postgres`
  const notices: string[] = []
  await using servers = open({ database, onNotice: (sentence) => notices.push(sentence) })
  assert.equal(await servers.read(port), own.port)
  await own.kill()
  await assert.rejects(servers.read(port), isUnavailable)
  await copy.promote()
  await until(() => servers.read(port).catch(() => null))
  assert.equal(await servers.read(port), copy.port)
  assert.ok(notices.includes(`The primary is 127.0.0.1:${copy.port} now.`), notices.join('\n'))
  // It does not know that its time is over.
  await own.start()
  const looks = new Set<string>()
  await until(async () => {
    const rows = await own.query(
      `select query_start::text as at from pg_stat_activity where query like '%pg_walfile%' and pid <> pg_backend_pid()`,
    )
    for (const { at } of rows) looks.add(String(at))
    return looks.size > 2
  })
  assert.equal(await servers.read(port), copy.port)
})

onPostgres('a reading whose connection is lost is repeated once', async (t) => {
  stopTimers(t)
  await using servers = open({})
  let runs = 0
  const answer = await servers.read(async (client) => {
    if (++runs === 1) await client.query('select pg_terminate_backend(pg_backend_pid())')
    return port(client)
  })
  assert.equal(answer, primary.port)
  assert.equal(runs, 2)
})

onPostgres('when its connection is lost again, the caller is told when to come back', async (t) => {
  stopTimers(t)
  await using servers = open({})
  const lost = servers.read((client) => client.query('select pg_terminate_backend(pg_backend_pid())'))
  await assert.rejects(lost, isUnavailable)
  assert.equal(await servers.read(port), primary.port)
})

onPostgres('a reading that is in the way of a replica is repeated on the primary', async () => {
  await using own = await startCluster({ settings: { max_standby_streaming_delay: 0 } })
  await using copy = await own.standby()
  await own.query('create table kept as select n from generate_series(1, 100) n')
  await using servers = open({
    database: own.url,
    readDatabases: [copy.url],
    statementTimeout: patience,
  })
  await until(async () => (await servers.read(port)) === copy.port)
  const ports: number[] = []
  const answer = await servers.read(async (client) => {
    ports.push(await port(client))
    await client.query('begin isolation level repeatable read')
    await client.query('select count(*) from kept')
    if (ports.length === 1) {
      let end: unknown = null
      client.query('select pg_sleep(600)').catch((error: unknown) => (end = error))
      // Rows that this reading may still see. What anything on the primary may still see is kept, by a look too.
      await until(async () => {
        await own.query('insert into kept values (0)')
        await own.query('delete from kept')
        await own.query('vacuum kept')
        return end !== null
      })
      throw end
    }
    await client.query('commit')
    return port(client)
  })
  assert.equal(answer, own.port)
  assert.deepEqual(ports, [copy.port, own.port])
})

onPostgres('a connection that is lost while it is held without a statement harms nothing else', async (t) => {
  stopTimers(t)
  await using servers = open({})
  const answer = await servers.read(async (client) => {
    const [row] = (await client.query('select pg_backend_pid() as id')).rows
    await primary.query('select pg_terminate_backend($1)', [Number(row.id)])
    return port(client).catch(() => 'lost')
  })
  assert.equal(answer, 'lost')
  assert.equal(await servers.read(port), primary.port)
})

onPostgres('a statement that takes too long is ended, and the caller told what to do', async (t) => {
  stopTimers(t)
  // The server has a clock of its own.
  const limit = 1_000
  await using servers = open({ statementTimeout: limit })
  await assert.rejects(
    servers.read((client) => client.query('select pg_sleep(60)')),
    {
      code: 'TIMEOUT',
      message:
        'The operation took longer than it may. Narrow `where`, ask for fewer groups, or for a smaller page.',
    },
  )
  await until(() => servers.read(port).catch(() => null))
})

onPostgres('what a connection has prepared is bounded', async (t) => {
  stopTimers(t)
  await using servers = open({ poolSize: 1 })
  const backends = new Set<number>()
  for (let index = 0; index < 700; index++)
    await servers.read(async (client) => {
      await runPrepared(client, { text: `select ${index}::int as n`, values: [] })
      const { rows } = await client.query(
        'select pg_backend_pid() as id, (select count(*) from pg_prepared_statements) as count',
      )
      assert.ok(Number(rows[0].count) <= 300)
      backends.add(Number(rows[0].id))
    })
  assert.equal(backends.size, 3)
})

onPostgres('a statement that could not be prepared is prepared when it can be', async (t) => {
  stopTimers(t)
  await using servers = open({ poolSize: 1 })
  const statement = { text: 'select count(*) as n from made_later', values: [] }
  const count = (client: PoolClient): Promise<bigint> =>
    runPrepared(client, statement).then(({ rows }) => rows[0].n)
  await assert.rejects(servers.read(count), { code: '42P01' })
  await primary.query('create table made_later (id int)')
  assert.equal(await servers.read(count), 0n)
})

onPostgres('a transaction that was left open does not outlive its reading', async (t) => {
  stopTimers(t)
  await using servers = open({ poolSize: 1 })
  await servers.read((client) => client.query('begin'))
  const state = await servers.read(
    async (client) => (await client.query('select now() = statement_timestamp() as own')).rows[0],
  )
  assert.equal(state.own, true)
})

function open(options: Partial<QueryOptions> & { readonly database?: string }): Servers {
  return new Servers({ ...defaultQueryOptions, database: primary.url, ...options })
}

async function port(client: PoolClient): Promise<number> {
  return Number((await client.query('select inet_server_port() as port')).rows[0].port)
}

/** A server may not answer a busy machine in time: without that, and without what is told once more after it. */
function beyondSilences(notices: readonly string[]): readonly string[] {
  const silent = new Set<string>()
  const latest = new Map<string, string>()
  return notices.filter((notice) => {
    const [server = ''] = /^The \w+ \S+/.exec(notice) ?? []
    if (notice.includes('did not answer within')) {
      silent.add(server)
      return false
    }
    const before = latest.get(server)
    if (silent.delete(server) && (before === undefined ? notice.endsWith(' again.') : notice === before))
      return false
    latest.set(server, notice)
    return true
  })
}

function isUnavailable(error: unknown): boolean {
  assert.ok(error instanceof ServiceError, String(error))
  assert.equal(error.code, 'UNAVAILABLE')
  assert.deepEqual(error.details, { retryAfter: 1 })
  return true
}

/** It neither answers nor ends connections, like a machine that is cut off. Returns what ends that. */
async function freeze(cluster: Cluster): Promise<() => void> {
  const rows = await cluster.query(
    `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()
     union select split_part(pg_read_file('postmaster.pid'), e'\n', 1)::int`,
  )
  const signal = (name: NodeJS.Signals): void => {
    for (const { pid } of rows) signalIfThere(Number(pid), name)
  }
  signal('SIGSTOP')
  return () => signal('SIGCONT')
}

async function within<Result>(promise: Promise<Result>): Promise<Result> {
  let result: { readonly value: Result } | null = null
  promise.then((value) => (result = { value }))
  return (await until(() => result)).value
}
