/**
 * Several processes that follow the same source into one database: one at a time does, and one that dies, hangs or is cut
 * off is replaced, with nothing lost and nothing applied twice. TEST_SEED replays what is written and when a process is
 * killed.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { parseConfig } from '../../src/cli/settings/config.ts'
import { loadProject, openStore } from '../../src/cli/store/project.ts'
import { createDice } from '../network/fake-server.ts'
import { type Program, startProgram, startService } from '../network/service.ts'
import { differences, packageLexicons, storedIn } from '../network/support-index.ts'
import { longTest, rounds, seed } from '../support/rounds.ts'
import { type Cluster, databases, freshDatabase, startCluster } from '../support/store/postgres.ts'
import { connected } from '../support/store/postgres-layout.ts'
import { moment, until } from '../support/until.ts'
import { type Outlets, startOutlets } from './outlets.ts'

const skip = !databases.includes('postgres') && 'PostgreSQL is left out'

test('one of two processes follows, and the other when that one hangs', { skip }, async (t) => {
  await using followed = await followedIndex(t, await freshIndex())
  const { outlets, index, env } = followed
  await using first = await startLeader(followed)
  await using second = await startService(['serve', '--ingest', outlets.source], { env })
  await second.said(/Waits: another process follows the sources\.\n/)
  await goesOn(index)
  assert.deepEqual(
    outlets.server.connections.map(({ open }) => open),
    [true],
  )
  const ready = (await (await fetch(`${second.url}/readyz`)).json()) as { sources: { state: string }[] }
  assert.deepEqual(
    ready.sources.map(({ state }) => state),
    ['live'],
  )

  const beforeHanging = await writersOf(index)
  process.kill(first.pid, 'SIGSTOP')
  await takesOver(index, beforeHanging)
  assert.match(second.stderr(), /Took over\. Following jetstream:/)
  process.kill(first.pid, 'SIGCONT')
  await first.said(/connection to the database is lost[^]*Waits: another process/)
  await goesOn(index)

  await agreement(followed)
  await first.stop()
})

longTest(
  'leaders may be killed, and connections cut, at any moment and lose nothing',
  { skip },
  async (t) => {
    await using followed = await followedIndex(t, await freshIndex())
    const { index } = followed
    const dice = createDice(seed)
    await using stack = new AsyncDisposableStack()
    let living: readonly Program[] = [stack.use(await startLeader(followed))]
    for (let round = 0; round < rounds(); round += 1) {
      // Two others, which both try to take over.
      while (living.length < 3) {
        const other = stack.use(startIngest(followed))
        living = [...living, other]
        await other.said(/Waits/)
      }
      await goesOn(index)
      const leader = await until(() => living.find(leads))
      await moment(600 * dice.draw())
      await leader.kill('SIGKILL')
      living = living.filter((one) => one !== leader)
      await until(() => living.find(leads))
    }
    for (let cut = 0; cut < rounds(2); cut += 1) {
      await goesOn(index)
      await moment(100 * dice.draw())
      const whose = cut % 2 === 0 ? '' : `and pid in (select pid from pg_locks where locktype = 'advisory')`
      await index.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'lexigraph' and datname = current_database() ${whose}`,
      )
    }
    await goesOn(index)
    await agreement(followed)
  },
)

longTest(
  'after the primary is lost, its standby is followed into from the cursor it has',
  {
    skip,
  },
  async (t) => {
    await using primary = await startCluster()
    await using standby = await primary.standby()
    const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`
    const url = `postgres://postgres@${hosts}/postgres`
    await using followed = await followedIndex(t, primary, url)
    await using first = await startLeader(followed)
    await using second = startIngest(followed)
    await second.said(/Waits/)
    await goesOn(followed.index)
    // From now on the standby hears of nothing.
    await standby.query(`alter system set primary_conninfo = ''`)
    await standby.query('select pg_reload_conf()')
    await until(async () => (await standby.query('select from pg_stat_wal_receiver')).length === 0)
    // What it has received it may have to replay yet.
    const replayed = 'select 1 where pg_last_wal_replay_lsn() >= pg_last_wal_receive_lsn()'
    await until(async () => (await standby.query(replayed)).length === 1)
    const heard = await eventsIn(standby)
    await until(async () => (await eventsIn(primary)) > heard + 50)
    await primary.kill()
    assert.equal(await eventsIn(standby), heard)
    const before = await writersOf(standby)
    await standby.promote()
    await takesOver(standby, before)
    await agreement({ ...followed, index: standby })
    await first.stop()
    await second.stop()
  },
)

/** A database on one server, in which it is noted who writes. */
interface Index {
  readonly url: string
  readonly query: Cluster['query']
}

interface FollowedIndex extends AsyncDisposable {
  readonly outlets: Outlets
  readonly index: Index
  readonly env: Readonly<Record<string, string>>
}

/** The programs are given `hosts`, which may name more servers than the one that the index is on now. */
async function followedIndex(t: TestContext, index: Index, hosts = index.url): Promise<FollowedIndex> {
  t.diagnostic(`TEST_SEED=${seed}`)
  const { config } = parseConfig('ingest', ['--database', index.url], {})
  await using _laidOut = await openStore(config, await loadProject(packageLexicons))
  await index.query(noteWriters)
  const outlets = await startOutlets(seed)
  return {
    outlets,
    index,
    // Handles cannot be looked up, which fails at once.
    env: { LEXIGRAPH_DATABASE: hosts, LEXIGRAPH_PLC: 'http://127.0.0.1:1', LEXIGRAPH_WORKERS: '1' },
    [Symbol.asyncDispose]: () => outlets[Symbol.asyncDispose](),
  }
}

const noteWriters = `
  create table writing (turn bigint generated always as identity, pid int default pg_backend_pid());
  create function note_writer() returns trigger language plpgsql
    as 'begin insert into public.writing default values; return null; end';
  create trigger note_writer after insert or update on lexigraph.source execute function note_writer()`

async function freshIndex(): Promise<Index> {
  const { url } = await freshDatabase()
  return {
    url,
    query: async (text) => {
      await using client = await connected(url)
      return (await client.query(text)).rows
    },
  }
}

function startIngest({ outlets, env }: FollowedIndex): Program {
  return startProgram(['ingest', '--from', outlets.source], { env })
}

async function startLeader(followed: FollowedIndex): Promise<Program> {
  const program = startIngest(followed)
  await program.said(/ is live\./)
  followed.outlets.begin()
  return program
}

/** As long as no connection is cut, who follows goes on with it. */
function leads(program: Program): boolean {
  return program.stderr().includes('Following ')
}

/** Server processes in the order in which they wrote; none comes again after another. */
async function writersOf(index: Index): Promise<readonly unknown[]> {
  const rows = await index.query(
    `select pid from (select turn, pid, lag(pid) over (order by turn) as last from writing) as writings
     where pid is distinct from last order by turn`,
  )
  const writers = rows.map(({ pid }) => pid)
  assert.equal(new Set(writers).size, writers.length, `Two wrote at once: ${writers.join(', ')}`)
  return writers
}

/** `before`: who had written when the last writer was still well. */
async function takesOver(index: Index, before: readonly unknown[]): Promise<void> {
  await until(async () => (await writersOf(index)).length > before.length)
}

async function outcomesIn(index: Index): Promise<Readonly<Record<string, number>>> {
  const rows = await index.query(
    'select outcome, sum(records)::int as records from lexigraph.outcome group by 1',
  )
  return Object.fromEntries(rows.map(({ outcome, records }) => [outcome, records]))
}

async function eventsIn(index: Index): Promise<number> {
  return Object.values(await outcomesIn(index)).reduce((sum, records) => sum + records, 0)
}

/** More events are stored. */
async function goesOn(index: Index): Promise<void> {
  const before = await eventsIn(index)
  await until(async () => (await eventsIn(index)) > before)
}

/** When all has been written, the index holds it, and each event has had its effect once. */
async function agreement({ outlets, index }: FollowedIndex): Promise<void> {
  await outlets.rest()
  let different: readonly string[] = []
  await until(async () => {
    different = differences(outlets.records, await storedIn(index.url))
    return different.length === 0
  }).catch((cause: unknown) => {
    const some = different.slice(0, 20).join('\n')
    throw new Error(`TEST_SEED=${seed}: ${different.length} differ.\n${some}`, { cause })
  })
  const { stored = 0, updated = 0, deleted = 0 } = await outcomesIn(index)
  assert.deepEqual({ stored, updated, deleted }, outlets.counts, `TEST_SEED=${seed}`)
  await writersOf(index)
}
