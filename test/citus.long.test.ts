/** What only a real cluster shows: TEST_CITUS_URL names one (test/support/clusters/citus.ts). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { createDice } from './network/fake-server.ts'
import { type Program, runProgram, startProgram, startService } from './network/service.ts'
import { outlet } from './network/support-news.ts'
import { linesIn } from './network/support-index.ts'
import { citusUrl } from './support/clusters/citus.ts'
import { demo, writeLines } from './support/demo-databases.ts'
import { hasEnded, workOf } from './support/processes.ts'
import { noteLexicons } from './support/records/notes.ts'
import { rounds, seed } from './support/rounds.ts'
import { openTestService } from './support/service/service.ts'
import { emptyDatabases, temporaryFolder } from './support/store/store.ts'
import { until } from './support/until.ts'

const skip = citusUrl === undefined && 'TEST_CITUS_URL names no cluster'
const inFolder = temporaryFolder()
const emptyUrl = emptyDatabases()
const notes = 100
const query = '{ orgExampleNote(first: 100) { totalCount nodes { text } } }'

/** Which are hidden from other programs. */
const showsShards = encodeURIComponent('-c citus.show_shards_for_app_name_prefixes=*')
const sampled = `select concat(tablename, '.', attname) as of, concat(most_common_vals::text, histogram_bounds::text) as texts from pg_stats
  where schemaname like 'lexigraph%'`

interface Piece {
  readonly name: string
  readonly nodename: string
  readonly nodeport: number
  readonly groupid: number
}

test('connections to workers that are lost cost answers at most, and the next ones come', {
  skip,
}, async () => {
  await using service = await notesService()
  const whole = await service.data(query)
  assert.equal(whole.orgExampleNote.totalCount, notes)
  const workers = await workersOf(await urlOf(service))
  for (let round = 0; round < 5; round += 1) {
    const asked = Array.from({ length: 8 }, () => service.query(query))
    for (const worker of workers) await loseConnections(worker)
    for (const answer of await Promise.all(asked))
      if (answer.errors === undefined) assert.deepEqual(answer.data, whole)
      else assert.equal(answer.code, 'UNAVAILABLE')
    assert.deepEqual(await service.data(query), whole)
  }
})

test('what a node has missed of a commit is resolved before anything is read', { skip }, async () => {
  await using service = await notesService()
  const texts = async (): Promise<ReadonlySet<string>> =>
    new Set((await service.data(query)).orgExampleNote.nodes.map(({ text }: { text: string }) => text))
  const url = await urlOf(service)
  await using coordinator = await opened(url)
  const { rows: pieces } = await coordinator.client.query<Piece>(
    `select shard_name as name, nodename, nodeport, groupid from citus_shards join pg_dist_node using (nodename, nodeport)
     where table_name = 'lexigraph_records."org.example.note"'::regclass order by shardid`,
  )
  assert.ok(pieces.length > 1)
  // A small collection is one piece, with a copy on each node; of another each node has some pieces.
  const shards = [...Map.groupBy(pieces, ({ name }) => name).values()]
  let number = 0
  for (const copies of shards)
    for (const isCommitted of [false, true]) {
      const left = new Set(await texts())
      const prepared: { readonly node: pg.Client; readonly transaction: string }[] = []
      await using nodes = new AsyncDisposableStack()
      for (const { name, nodename, nodeport, groupid } of copies) {
        const { client: node } = nodes.use(await opened(url, nodename, nodeport))
        // As the coordinator names the parts of its transactions.
        const transaction = `citus_0_${process.pid}_${++number}_0`
        await node.query('begin')
        const { rows } = await node.query(`delete from ${name} returning record ->> 'text' as text`)
        assert.ok(rows.length > 0)
        await node.query(`prepare transaction '${transaction}'`)
        prepared.push({ node, transaction })
        // What it has not entered here it has not committed, and rolls back some time.
        if (!isCommitted) continue
        await coordinator.client.query('insert into pg_dist_transaction values ($1, $2)', [
          groupid,
          transaction,
        ])
        for (const { text } of rows) left.delete(text)
      }
      assert.deepEqual(await texts(), left)
      for (const { node, transaction } of prepared) {
        const { rows: open } = await node.query('select from pg_prepared_xacts where gid = $1', [transaction])
        if (isCommitted) assert.equal(open.length, 0)
        else if (open.length > 0) await node.query(`rollback prepared '${transaction}'`)
      }
    }
  assert.equal((await texts()).size, 0)
})

test('statistics of no node keep what is purged', { skip }, async () => {
  const url = await emptyUrl('postgres')
  const [one, two] = ['did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', 'did:plc:aaaaaaaaaaaaaaaaaaaaaaab']
  const outlets = Array.from({ length: 500 }, (_, n) => ({
    uri: `at://${n < 498 ? one : two}/tech.service.news.source/r${n}`,
    value: outlet(n < 498 ? `quagmire ${n}` : 'left'),
  }))
  await imported(writeLines(inFolder('purged.jsonl'), outlets), url)
  const nodes = [url, ...(await workersOf(url))].map((node) => `${node}?options=${showsShards}`)
  const sampledFrom = async (word: string): Promise<readonly string[]> => {
    const rows = (await Promise.all(nodes.map((node) => rowsOn(node, sampled)))).flat()
    return rows.filter(({ texts }) => texts?.includes(word)).map(({ of }) => of ?? '')
  }
  await rowsOn(url, 'analyze')
  assert.ok((await sampledFrom('quagmire')).length > 0)
  const purged = await runProgram(['purge', one, '--reason', 'A test.', '--by', 'ann', '--database', url])
  assert.equal(purged.status, 0, purged.stderr)
  assert.deepEqual(await sampledFrom('quagmire'), [])
  assert.ok((await sampledFrom('left')).length > 0)
})

test('a service starts while a node is away, and answers when it is back', { skip }, async () => {
  const database = await emptyUrl('postgres')
  await imported(writeLines(inFolder('away.jsonl'), demo), database)
  await using coordinator = await opened(database)
  // Nothing listens there.
  const move = (by: number) =>
    coordinator.client.query(`update pg_dist_node set nodeport = nodeport + ${by} where nodeport = (
      select ${by < 0 ? 'max' : 'min'}(nodeport) from pg_dist_node where groupid > 0)`)
  await move(-5_000)
  await using service = await startService(['serve', '--database', database, '--workers', '1'])
  const asked = '{ techServiceNewsArticle(first: 100) { totalCount nodes { title } } }'
  const refused = await service.query(asked).catch((error: unknown) => error)
  assert.match(String(refused), /The database does not answer at the moment/)
  await move(5_000)
  const { techServiceNewsArticle: found } = await until(() => service.query(asked).catch(() => null))
  assert.equal(found.nodes.length, 100)
  await service.stop()
})

test('imports whose writer, reader or worker is lost at any moment end with the same contents', {
  skip,
}, async (t) => {
  t.diagnostic(`TEST_SEED=${seed}`)
  const [some, all] = [demo.filter((_, index) => index % 2 === 0), demo].map((lines, at) =>
    writeLines(inFolder(`${at}.jsonl`), lines),
  ) as [string, string]
  const undisturbed = await emptyUrl('postgres')
  for (const file of [some, all]) await imported(file, undisturbed)
  const expected = await contentsOf(undisturbed)
  const dice = createDice(seed)
  const losses = { writer: 0, reader: 0, worker: 0 }
  for (let round = 0; round < rounds(); round += 1) {
    const url = await emptyUrl('postgres')
    for (const file of [some, all]) {
      // Each later than before, so that it is done some time.
      for (let tries = 0; ; tries += 1) {
        await using writer = startProgram(['import', file, '--database', url])
        await using reader = startProgram(['query', count, '--database', url])
        if (await hasEndedWithin(writer, untilFirst * (0.5 + dice.draw()) * (1 + tries))) break
        const lost = dice.pick(['writer', 'reader', 'worker'] as const)
        losses[lost] += 1
        if (lost === 'worker') for (const worker of await workersOf(url)) await loseConnections(worker)
        else await { writer, reader }[lost].kill('SIGKILL')
        if (lost !== 'writer' && (await writer.ended) === 0) break
      }
    }
    assert.deepEqual(await contentsOf(url), expected)
    const { stdout, status } = await runProgram(['check', '--database', url])
    assert.equal(status, 0, stdout)
  }
  console.log(JSON.stringify(losses))
})

/** Hundredths of a second of computing, of which a program takes about thirty to start. */
const untilFirst = 36
const count = '{ techServiceNewsArticle(first: 5) { totalCount nodes { title } } }'

/** True when the program is done before it has computed that many hundredths of a second. */
async function hasEndedWithin(program: Program, hundredths: number): Promise<boolean> {
  await until(() => hasEnded(program.pid) || workOf(program.pid) >= hundredths)
  return hasEnded(program.pid) && (await program.ended) === 0
}

/** Without what depends on the time of the import. */
async function contentsOf(database: string): Promise<readonly unknown[]> {
  const lines = (await linesIn(database)).map((line) => ({ ...JSON.parse(line), indexedAt: null, rev: null }))
  return lines.toSorted((a, b) => (a.uri < b.uri ? -1 : 1))
}

/** URLs of a database on all nodes but the first, which may be the coordinator. */
async function workersOf(url: string): Promise<readonly string[]> {
  const nodes = await rowsOn(
    url,
    'select nodename, nodeport from pg_dist_node where isactive order by groupid',
  )
  assert.ok(nodes.length > 1, 'The records lie on one node.')
  return nodes
    .slice(1)
    .map(({ nodename, nodeport }) => Object.assign(new URL(url), { hostname: nodename, port: nodeport }).href)
}

async function loseConnections(url: string): Promise<void> {
  await rowsOn(
    url,
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
}

async function rowsOn(url: string, statement: string): Promise<readonly Record<string, string>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

async function imported(file: string, database: string): Promise<void> {
  const { status, stderr } = await runProgram(['import', file, '--database', database])
  assert.equal(status, 0, stderr)
}

function notesService() {
  const records = Array.from({ length: notes }, (_, n) => ({
    uri: `at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/org.example.note/n${n}`,
    value: { $type: 'org.example.note', text: `note ${n}` },
  }))
  return openTestService({ lexicons: noteLexicons, database: 'postgres', records })
}

async function urlOf({ opened }: Awaited<ReturnType<typeof notesService>>): Promise<string> {
  const [database] = await opened.database.read.readSteps(function* () {
    return (yield { text: 'select current_database() as name', values: [] }) as readonly { name: string }[]
  })
  return Object.assign(new URL(citusUrl as string), { pathname: database?.name ?? '' }).href
}

/** A connection to the coordinator, or to the same database of a node. */
async function opened(
  url: string,
  hostname = new URL(url).hostname,
  port: string | number = new URL(url).port,
) {
  const client = new pg.Client(Object.assign(new URL(url), { hostname, port }).href)
  await client.connect()
  return { client, [Symbol.asyncDispose]: () => client.end() }
}
