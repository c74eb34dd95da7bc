/**
 * The real `lexigraph copy`: killed at random moments, refused, lied to by a database, and followed by a source that
 * goes on. CRASH_SEED replays a run, CRASH_RUNS says how many copies are killed for each pair of engines.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { buildDemoCorpus } from '../demo/corpus.ts'
import { parseConfig } from '../src/cli/settings/config.ts'
import { openService } from '../src/cli/service/service.ts'
import { connect } from '../src/database/postgres/connection.ts'
import { startFakeJetstream } from './network/fake-jetstream.ts'
import { createDice } from './network/fake-server.ts'
import { runProgram, startProgram } from './network/service.ts'
import { linesIn, startIngest, storedIn } from './network/support-index.ts'
import { asksNobody, publishOutlet } from './network/support-outlets.ts'
import type { Json } from './reference/shapes.ts'
import { databases, type Engine, freshDatabase } from './support/store/postgres.ts'
import { emptyDatabases, temporaryFolder } from './support/store/store.ts'
import { until } from './support/until.ts'

const seed = Number(process.env.CRASH_SEED ?? Date.now() % 2 ** 31)
const runs = Number(process.env.CRASH_RUNS ?? 1)
const inFolder = temporaryFolder()
const emptyUrl = emptyDatabases()
const pairs = databases.flatMap((from) => databases.map((to) => [from, to] as const))
const mixed = pairs.filter(([from, to]) => from !== to || databases.length === 1)

for (const [from, to] of mixed)
  test(`a copy from ${from} to ${to} may be killed at any moment, and the same command ends it`, async (t) => {
    t.diagnostic(`CRASH_SEED=${seed}`)
    const source = await filled(from, 'often')
    const whole = await linesIn(source)
    const started = performance.now()
    await copied(source, await emptyUrl(to))
    let took = performance.now() - started
    const dice = createDice(seed)
    for (let run = 0; run < runs; run += 1) {
      let target = await emptyUrl(to)
      let kills = 0
      for (;;) {
        await using copying = startProgram(['copy', '--from', source, '--to', target])
        // A moment is what this is about, from the program's start to its end, later in each attempt.
        const moment = took * (0.15 + 0.85 * dice.draw()) * (1 + kills / 4)
        const isOver = await Promise.race([
          copying.ended,
          delay(moment, undefined, { ref: false }).then(() => undefined),
        ])
        if (isOver !== undefined) {
          assert.equal(isOver, 0, copying.stderr())
          if (kills > 0) break
          // The machine was faster this time.
          took /= 2
          target = await emptyUrl(to)
          continue
        }
        await copying.kill('SIGKILL')
        kills += 1
      }
      t.diagnostic(`${kills} kills.`)
      assert.deepEqual(await linesIn(target), whole)
      assert.deepEqual(await answer(target), await answer(source))
    }
  })

for (const [from, to] of mixed)
  test(`following goes on from a copy where it stopped (${from} to ${to})`, async () => {
    await using server = await startFakeJetstream()
    const source = `jetstream:${server.url}`
    const envOf = (database: string) => ({ LEXIGRAPH_DATABASE: database, ...asksNobody })
    const [first, second] = [await emptyUrl(from), await emptyUrl(to)]
    {
      await using ingest = await startIngest(source, envOf(first))
      for (let number = 0; number < 20; number += 1) publishOutlet(server, number)
      await until(async () => (await storedIn(first)).size === 20)
      await ingest.stop()
    }
    await copied(first, second)
    const [before] = (await status(second)).sources
    assert.equal(before.cursor, (await status(first)).sources[0].cursor)
    for (let number = 20; number < 30; number += 1) publishOutlet(server, number)
    await using ingest = await startIngest(source, envOf(second))
    await until(async () => (await storedIn(second)).size === 30)
    // From the cursor on, not from the beginning.
    const asked = server.connections.map(({ url }) => url.searchParams.get('cursor'))
    assert.equal(asked[0], null)
    // A few seconds before, as always.
    const back = Number(before.cursor) - Number(asked.at(-1))
    assert.ok(back >= 0 && back < 30_000_000, `${asked.at(-1)} was asked, ${before.cursor} was kept`)
    await ingest.stop()
  })

for (const [from, to] of mixed)
  test(`a database that keeps something else than it is given is found out (${from} to ${to})`, async () => {
    const source = await filled(from, 'some')
    const target = await emptyUrl(to)
    await run(['import', file('nothing.jsonl', []), '--database', target])
    const table = '"tech.service.news.article"'
    const lie = `begin update ${table} set rev = 'x' where id = new.id and rkey > '3k'; end`
    await change(
      target,
      `create trigger liar after insert on ${table} ${lie};
       create trigger persistent after update of record on ${table} ${lie}`,
      `create function lie() returns trigger language plpgsql as
         $$ begin if new.rkey > '3k' then new.rev = 'x'; end if; return new; end $$;
       create trigger liar before insert or update on lexigraph_records.${table} for each row execute function lie()`,
    )
    const args = ['copy', '--from', source, '--to', target]
    const failed = await runProgram(args)
    assert.equal(failed.status, 1, failed.stderr)
    assert.match(failed.stdout, /^tech\.service\.news\.article +[\d,]+ +differs$/m)
    assert.match(failed.stdout, /^tech\.service\.news\.source +[\d,]+ +[0-9a-f]{16}$/m)
    assert.match(failed.stdout, /at:\/\/did:[^ ]+\/tech\.service\.news\.article\/[^ ]+\n/)
    assert.match(failed.stdout, /stays unfinished; the same command again mends it\.\n$/)
    const told = JSON.parse((await runProgram([...args, '--json'])).stdout)
    assert.deepEqual(
      told.parts.filter(({ differing }: Json) => differing > 0).map(({ name }: Json) => name),
      ['tech.service.news.article'],
    )
    assert.equal(told.same, false)
    const serving = await runProgram(['status', '--database', target])
    assert.match(serving.stderr, /cannot be opened: it is an unfinished copy of .*again completes it\.\n$/)
    await change(
      target,
      'drop trigger liar; drop trigger persistent',
      `drop trigger liar on lexigraph_records.${table}`,
    )
    assert.match(
      await run(args),
      /\nBoth databases hold the same\. Copying took [\d.]+ s, comparing [\d.]+ s\.\n$/,
    )
    assert.deepEqual(await linesIn(target), await linesIn(source))
  })

test('whatever a copy cannot be made of, or in, is told in a sentence and left alone', async () => {
  const source = await filled('sqlite', 'some')
  const target = inFolder('never.db')
  const refused = async (from: string, to: string, what: RegExp): Promise<void> => {
    const { stdout, stderr, status } = await runProgram(['copy', '--from', from, '--to', to])
    assert.match(stderr, what)
    assert.match(stderr, /^[^\n]+\.\n$/)
    assert.deepEqual([stdout, status, existsSync(target)], ['', 1, false], stderr)
  }
  const alone = await runProgram(['copy', '--from', source])
  assert.match(
    alone.stderr,
    /^copy needs two databases: --from \S+ --to \S+; docs\/moving\.md says more\.\n$/,
  )
  assert.equal(alone.status, 2)
  await refused(
    inFolder('nowhere.db'),
    target,
    /^The database \S+nowhere\.db cannot be opened: There is no file/,
  )
  await refused('jetstream:wss://example.com', target, /"jetstream:" is not a scheme of a database/)
  await refused(file('text.db', [{}]), target, /cannot be opened: it is not a SQLite file\./m)
  await refused(
    'postgres://u:secret@127.0.0.1:1/db',
    target,
    /postgres:\/\/u@127\.0\.0\.1:1\/db cannot be opened/,
  )
  await refused(
    source,
    'postgres://u:secret@127.0.0.1:1/db',
    /postgres:\/\/u@127\.0\.0\.1:1\/db cannot be opened/,
  )
  await refused(source, source, /cannot be opened: it is the very database that is to be copied\./)
  const link = inFolder('link.db')
  symlinkSync(source, link)
  await refused(source, `sqlite:${link}`, /cannot be opened: it is the very database that is to be copied\./)
  await refused(source, ':memory:', /it would end with this process\. Name a file\./)
  await refused(source, inFolder('none/x.db'), /There is no folder/)

  const others = inFolder('others.db')
  const standard = new URL('schemas/site-standard/lexicons', import.meta.url).pathname
  await run(['import', file('nothing.jsonl', []), '--database', others, '--lexicons', standard])
  await refused(others, target, /was built with other lexicons or by another version/)
  await refused(
    source,
    others,
    /was built with other lexicons or by another version\. Name an empty database/,
  )
  const full = inFolder('full.db')
  await run(['import', file('one.jsonl', lines.slice(0, 1)), '--database', full])
  const before = readFileSync(full)
  await refused(
    source,
    full,
    /^The database \S+full\.db has records or other content, and not the same as sqlite:\S+\. Name an empty one/,
  )
  assert.deepEqual(readFileSync(full), before)
  const foreign = inFolder('foreign.db')
  new DatabaseSync(foreign).exec('create table customer (name text)')
  await refused(source, foreign, /is a SQLite database of another program/)
})

test('records of collections that the lexicons no longer have stay behind, and that is told', async () => {
  const source = inFolder('former.db')
  const standard = new URL('schemas/site-standard/lexicons', import.meta.url).pathname
  const empty = file('nothing.jsonl', [])
  await run(['import', file('one.jsonl', lines.slice(0, 1)), '--database', source])
  await run(['import', empty, '--database', source, '--lexicons', standard, '--rebuild'])
  const args = ['copy', '--from', source, '--to', inFolder('present.db'), '--lexicons', standard]
  const { stderr, status } = await runProgram(args)
  assert.equal(status, 0)
  assert.match(
    stderr,
    /^The records of tech\.service\.news\.article stay behind: the lexicons no longer have/m,
  )
})

test('a PostgreSQL database is recognised by whatever name it is given', async (t) => {
  if (!databases.includes('postgres')) return t.skip('PostgreSQL is left out')
  await using database = await freshDatabase()
  await run(['import', file('one.jsonl', lines.slice(0, 1)), '--database', database.url])
  const other = `${database.url}?application_name=another`
  const { stderr, status } = await runProgram(['copy', '--from', database.url, '--to', other])
  assert.equal(status, 1)
  assert.match(stderr, /cannot be opened: it is the very database that is to be copied\./)
})

const demo: readonly Json[] = [...buildDemoCorpus()]
const amounts = {
  /** Of every collection and on both sides of any key. */
  some: linesOf(['aaaa']).filter((_, index) => index % 3 === 0),
  /** Enough for several transactions in one of the collections. */
  often: linesOf(['aaaa', 'bbbb', 'cccc']),
}
const lines = amounts.some
const known = new Map<string, Promise<string>>()
const root = new URL('../', import.meta.url)

/** The demo's records in that many repositories. */
function linesOf(parts: readonly string[]): readonly Json[] {
  return demo.flatMap((line) =>
    parts.map((part) => ({
      ...line,
      uri: String(line.uri).replace(/^at:\/\/[^/]+/, `at://did:plc:${part.repeat(6)}`),
    })),
  )
}

/** A database of those records, and of one that was refused. */
function filled(engine: Engine, amount: keyof typeof amounts): Promise<string> {
  const key = `${engine} ${amount}`
  const fill = async (): Promise<string> => {
    const url = await emptyUrl(engine)
    const records = file(`${amount}.jsonl`, [...amounts[amount], { uri: 'nonsense', value: {} }])
    await run(['import', records, '--database', url])
    return url
  }
  const made = known.get(key) ?? fill()
  known.set(key, made)
  return made
}

async function copied(from: string, to: string): Promise<void> {
  await run(['copy', '--from', from, '--to', to])
}

async function answer(database: string): Promise<string> {
  const query = `{ techServiceNewsArticle(where: {title: {contains: "ar"}, source: {country: {eq: "JP"}}}, first: 5) {
    totalCount nodes { uri title sourceResolved { ... on TechServiceNewsSource { displayName } } } } }`
  const { config } = parseConfig('query', ['--database', database], {})
  await using service = await openService(config, root)
  const told = await service.engine.execute({ query })
  assert.ok(told.kind === 'data', JSON.stringify(told))
  return Buffer.from(told.body).toString()
}

async function status(database: string): Promise<Json> {
  return JSON.parse(await run(['status', '--json', '--database', database]))
}

async function run(args: readonly string[]): Promise<string> {
  const { stdout, stderr, status } = await runProgram(args)
  assert.equal(status, 0, stdout + stderr)
  return stdout
}

/** What nobody should do, in the words of the engine. */
async function change(url: string, sqlite: string, postgres: string): Promise<void> {
  if (url.startsWith('postgres')) {
    const client = await connect(url, 'write')
    await client.query(postgres)
    await client.end()
  } else {
    const database = new DatabaseSync(url)
    database.exec(sqlite)
    database.close()
  }
}

function file(name: string, content: readonly object[]): string {
  const path = inFolder(name)
  writeFileSync(path, content.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return path
}
