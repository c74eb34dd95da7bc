/**
 * The real server over a real primary and its replica, with callers who never stop asking, while one of them stops,
 * falls behind, loses its connections or is killed. TEST_SEED replays whose connections are cut.
 */
import assert from 'node:assert/strict'
import { after, before, type TestContext } from 'node:test'
import pg from 'pg'
import { createRandom } from '../../demo/random.ts'
import { parseConfig } from '../../src/cli/settings/config.ts'
import { openService } from '../../src/cli/service/service.ts'
import { type Service, startService } from '../network/service.ts'
import { demo, writeLines } from '../support/demo-databases.ts'
import { rounds, seed, someForms } from '../support/rounds.ts'
import { commandsInTurn } from '../support/server/commands.ts'
import { accountStatus } from '../support/service/service.ts'
import { onPostgres, onPostgresLong } from '../support/store/databases.ts'
import { connected } from '../support/store/postgres-layout.ts'
import { type Cluster, databases, startCluster } from '../support/store/postgres.ts'
import { temporaryFolder } from '../support/store/store.ts'
import { until } from '../support/until.ts'
import { startTraffic, type Traffic } from './traffic.ts'

const inFolder = temporaryFolder()
const runCommand = commandsInTurn()
const [late, ...corpus] = demo.toReversed().filter((_, index) => index % 2 === 0)
let primary: Cluster
let replica: Cluster
/** Each for two tests in a row; the second one ends it. */
let first: Service | undefined
let alone: Service | undefined
before(async () => {
  if (!databases.includes('postgres')) return
  primary = await startCluster({ settings: { max_connections: 40 } })
  await importRecords(primary, corpus)
  replica = await primary.standby()
})
after(async () => {
  await first?.[Symbol.asyncDispose]()
  await alone?.[Symbol.asyncDispose]()
  await replica?.[Symbol.asyncDispose]()
  await primary?.[Symbol.asyncDispose]()
})

onPostgres('answers go on while the replica is stopped, and it is used again afterwards', async (t) => {
  const service = await firstService()
  await using traffic = await startTraffic(service)
  await isReadBy(replica, service)
  for (const mode of someForms(['immediate', 'fast'] as const)) {
    await replica.stop(mode)
    await until(() => leavesReplicaOut(service))
    await goesOn(traffic)
    await replica.start()
    await isReadBy(replica, service)
    report(t, traffic, `replica stopped (${mode})`)
  }
  await traffic.stop()
})

onPostgres('connections cut again and again harm no answer', async (t) => {
  t.diagnostic(`TEST_SEED=${seed}`)
  const random = createRandom(seed)
  await using service = await firstService()
  first = undefined
  await using traffic = await startTraffic(service)
  let cuts = 0
  await using stack = new AsyncDisposableStack()
  const servers = [stack.use(await connected(primary.url)), stack.use(await connected(replica.url))]
  for (let round = 0; round < rounds(30); round++)
    for (const server of servers) {
      const { rows } = await server.query(`select pid from pg_stat_activity where ${ofService}`)
      // All at once, or some of them.
      const chosen = random.chance(0.3) ? rows : random.sample(rows, 2)
      const pids = chosen.map(({ pid }) => Number(pid))
      await server.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [pids])
      cuts += pids.length
    }
  await isWell(service, traffic)
  report(t, traffic, `${cuts} connections cut`)
  await traffic.stop()
})

onPostgresLong('a replica that does not go on is left out until it has caught up', async () => {
  await using service = await serve({ LEXIGRAPH_MAX_REPLICA_LAG: '1' })
  await isReadBy(replica, service)
  const look = (): Promise<number | null> =>
    service.query(`{ ${enrichments} }`).then(
      ({ techServiceNewsEnrichment: { totalCount } }) => totalCount,
      () => null,
    )
  /** A server that is held up is one that cannot be reached, which callers are told. */
  const count = (): Promise<number> => until(look)
  const before = await count()
  await replica.query('select pg_wal_replay_pause()')
  await importRecords(primary, [late])
  await until(async () => (await count()) === before + 1)
  // On a busy machine it may have been left out as one that did not answer before.
  await service.said(/is more than 1 second behind the primary/)
  await replica.query('select pg_wal_replay_resume()')
  await service.said(/is used again/)
  await isReadBy(replica, service)
  assert.equal(await count(), before + 1)
})

onPostgres('replicas that hide an account one after the other never show it again', async () => {
  await using far = await primary.standby()
  const replicas = `${replica.url},${far.url}`
  const args = ['--database', primary.url, '--read-database', replicas, '--max-replica-lag', '3600']
  await using service = await openService(parseConfig('serve', args, {}).config, root)
  const count = async (): Promise<number> => {
    // Also a process that is held up finds that the database is away.
    const answer = await until(async () => {
      const given = await service.engine.execute({ query: `{ ${enrichments} }` })
      return given.kind === 'errors' && given.code === 'UNAVAILABLE' ? null : given
    })
    assert.ok(answer.kind === 'data', JSON.stringify(answer))
    return JSON.parse(new TextDecoder().decode(answer.body)).data.techServiceNewsEnrichment.totalCount
  }
  const all = await count()
  const did = String(demo.at(-1)?.uri).split('/')[2] ?? ''
  await far.query('select pg_wal_replay_pause()')
  await service.database.write.applyBatch([accountStatus(did, false)])
  await until(async () => (await count()) < all)
  const later = await Promise.all(Array.from({ length: 40 }, count))
  assert.equal(new Set(later).size, 1)
  assert.ok((later[0] as number) < all)
  await service.database.write.applyBatch([accountStatus(did, true)])
})

onPostgresLong(
  'when no connection is left, callers are told; and all is well when there are some',
  async (t) => {
    const service = await serviceAlone()
    await using traffic = await startTraffic(service)
    const holders: pg.Client[] = []
    await using admin = await connected(primary.url)
    try {
      const before = traffic.unavailable()
      await until(async () => {
        await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${ofService}`)
        await hold(primary, holders)
        return traffic.unavailable() > before
      })
    } finally {
      await Promise.all(holders.map((client) => client.end()))
    }
    await isWell(service, traffic)
    report(t, traffic, `${holders.length} connections held by others`)
    await traffic.stop()
  },
)

onPostgresLong('a server that is alone is used again after its restart', async (t) => {
  await using service = await serviceAlone()
  alone = undefined
  await using traffic = await startTraffic(service)
  for (let round = 0; round < rounds(); round++) {
    await primary.restart()
    await isWell(service, traffic)
    report(t, traffic, 'restarted')
  }
  await traffic.stop()
})

onPostgres(
  'after the primary was killed its replica answers, promoted too, and takes its place',
  async (t) => {
    const hosts = `127.0.0.1:${primary.port},127.0.0.1:${replica.port}`
    const database = `postgres://postgres@${hosts}/postgres`
    await using reading = await serve({ LEXIGRAPH_DATABASE: database })
    await using withoutReplica = await serve({
      LEXIGRAPH_DATABASE: database,
      LEXIGRAPH_READ_DATABASE: '',
    })
    await using traffic = await startTraffic(reading, 2)
    await using trafficAlone = await startTraffic(withoutReplica, 2)
    await isReadBy(replica, reading)
    await primary.kill()
    await until(() => trafficAlone.unavailable() > 0)
    assert.equal((await fetch(`${withoutReplica.url}/readyz`)).status, 503)
    await goesOn(traffic)
    await replica.promote()
    await isWell(withoutReplica, trafficAlone)
    report(t, trafficAlone, 'without replicas')
    await isWell(reading, traffic)
    report(t, traffic, 'with the replica')
    await trafficAlone.stop()
    await traffic.stop()
  },
)

const root = new URL('../../', import.meta.url)
const enrichments = 'techServiceNewsEnrichment { totalCount }'

const ofService = `application_name = 'lexigraph' and backend_type = 'client backend' and pid <> pg_backend_pid()`

function serve(env: Readonly<Record<string, string>> = {}): Promise<Service> {
  return startService(['serve'], {
    env: {
      LEXIGRAPH_DATABASE: primary.url,
      LEXIGRAPH_READ_DATABASE: replica.url,
      ...env,
    },
  })
}

async function firstService(): Promise<Service> {
  return (first ??= await serve())
}

async function serviceAlone(): Promise<Service> {
  return (alone ??= await serve({ LEXIGRAPH_READ_DATABASE: '' }))
}

async function importRecords({ url }: Cluster, records: readonly object[]): Promise<void> {
  const file = writeLines(inFolder('records.jsonl'), records)
  const { status, stderr } = await runCommand(['import', '--database', url, file])
  assert.equal(status, 0, stderr)
}

/** By the last that it has said; on a busy machine it may have done so before, and says it once. */
function leavesReplicaOut(service: Service): boolean {
  const [last] = [...service.stderr().matchAll(/The replica .* is (not used|used again)/g)].slice(-1)
  return last?.[1] === 'not used'
}

/** Asks until that server is asked for something from now on. */
async function isReadBy(server: Cluster, service: Service): Promise<void> {
  const [now] = await server.query('select clock_timestamp()::text as time')
  await until(async () => {
    await service.query('{ techServiceNewsArticle(first: 1) { nodes { uri } } }').catch(() => null)
    const [row] = await server.query(
      `select count(*) as count from pg_stat_activity where ${ofService} and query like '%tech.service.news%'
       and query_start > '${String(now?.['time'])}'`,
    )
    return Number(row?.['count']) > 0
  })
}

/** Some more right answers come. */
async function goesOn(traffic: Traffic): Promise<void> {
  const before = traffic.right()
  await until(() => traffic.right() > before + 50)
}

/** It is ready, and a good while passes without a refusal. */
async function isWell({ url }: Service, traffic: Traffic): Promise<void> {
  await until(async () => {
    const [before, refusals] = [traffic.right(), traffic.unavailable()]
    const isRefused = (): boolean => traffic.unavailable() > refusals
    await until(() => isRefused() || traffic.right() > before + 50)
    return !isRefused() && (await fetch(`${url}/readyz`)).ok
  })
}

/** Takes all the connections that are left. */
async function hold({ url }: Cluster, holders: pg.Client[]): Promise<void> {
  for (;;) {
    const client = new pg.Client(url)
    client.on('error', () => undefined)
    try {
      await client.connect()
      holders.push(client)
    } catch {
      return
    }
  }
}

function report(t: TestContext, { right, unavailable }: Traffic, what: string): void {
  t.diagnostic(`${what}; ${right()} right answers, ${unavailable()} refusals`)
}
