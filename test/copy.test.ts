/**
 * The real `lexigraph copy`: killed at random points, refused, given a database that stores something else, and
 * followed by a source that goes on, as `restore` is. TEST_SEED replays a run.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { parseConfig } from '../src/cli/settings/config.ts'
import { openService } from '../src/cli/service/service.ts'
import { isPostgres } from '../src/database/open.ts'
import { type FakeJetstream, startFakeJetstream } from './network/fake-jetstream.ts'
import { createDice } from './network/fake-server.ts'
import { countedInTime } from './network/service.ts'
import { linesIn, startIngest, storedIn } from './network/support-index.ts'
import { collections } from './network/support-news.ts'
import { asksNobody, publishOutlet } from './network/support-outlets.ts'
import type { Json } from './reference/shapes.ts'
import { demoDatabases, lines, writeLines } from './support/demo-databases.ts'
import { killUntilDone } from './support/kills.ts'
import { longTest, rounds, seed, someForms } from './support/rounds.ts'
import { commandsInTurn, printed } from './support/server/commands.ts'
import { databases, type Engine, freshDatabase } from './support/store/postgres.ts'
import { emptyDatabases, tamperWith, temporaryFolder } from './support/store/store.ts'
import { until } from './support/until.ts'

const inFolder = temporaryFolder()
const emptyUrl = emptyDatabases()
const filled = demoDatabases()
const runCommand = commandsInTurn()
const run = (args: readonly string[]) => printed(runCommand(args))
const [first, last] = [databases[0] as Engine, databases.at(-1) as Engine]
/** There and back: one way for each claim, and by the long command both. */
const mixed =
  first === last
    ? [[first, last] as const]
    : ([
        [first, last],
        [last, first],
      ] as const)

for (const [from, to] of someForms(mixed))
  longTest(
    `a copy from ${from} to ${to} may be killed at any moment, and the same command ends it`,
    {},
    async (t) => {
      t.diagnostic(`TEST_SEED=${seed}`)
      const source = await filled(from, 'often')
      const whole = await linesIn(source)
      const dice = createDice(seed)
      for (let round = 0; round < rounds(); round += 1) {
        const target = await emptyUrl(to)
        const kills = await killUntilDone(['copy', '--from', source, '--to', target], dice)
        t.diagnostic(`${kills} kills.`)
        assert.deepEqual(await linesIn(target), whole, `TEST_SEED=${seed}`)
        assert.deepEqual(await answer(target), await answer(source))
      }
    },
  )

longTest('following goes on from a copy where it stopped', {}, () =>
  followsOn(first, last, async ({ source, target }) => {
    return async () => {
      await copied(source, target)
      const [before] = (await status(source)).sources
      assert.equal((await status(target)).sources[0].cursor, before.cursor)
    }
  }),
)

longTest('following goes on from a backup where it was taken, and nothing is lost or doubled', {}, () =>
  followsOn(last, first, async ({ source, target, server, isFollowed }) => {
    const path = inFolder('followed.backup')
    // While it is written to.
    for (let number = 20; number < 30; number += 1) publishOutlet(server, number)
    const told = JSON.parse(await run(['backup', path, '--json', '--database', source]))
    await isFollowed(30)
    return async () => {
      const restored = JSON.parse(await run(['restore', path, '--json', '--database', target]))
      assert.deepEqual([restored.same, restored.takenAt, restored.problems], [true, told.takenAt, []])
      const { rows } = restored.parts.find(({ name }: Json) => name === collections.source).target
      assert.ok(rows >= 20 && rows <= 30, `${rows} records`)
      assert.equal(told.bytes, statSync(path).size)
      const [before] = (await status(target)).sources
      assert.deepEqual(told.sources, [
        { source: before.name, cursor: before.cursor, lastEventAt: before.lastEventAt },
      ])
    }
  }),
)

for (const [from, to] of someForms(mixed.toReversed()))
  test(`a database that keeps something else than it is given is found out (${from} to ${to})`, async () => {
    const source = await filled(from, 'some')
    const target = await emptyUrl(to)
    await run(['import', nothing, '--database', target])
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
    const failed = await runCommand(args)
    assert.equal(failed.status, 1, failed.stderr)
    assert.match(failed.stdout, /^tech\.service\.news\.article +[\d,]+ +differs$/m)
    assert.match(failed.stdout, /^tech\.service\.news\.source +[\d,]+ +[0-9a-f]{16}$/m)
    assert.match(failed.stdout, /at:\/\/did:[^ ]+\/tech\.service\.news\.article\/[^ ]+\n/)
    assert.match(failed.stdout, /stays unfinished; the same command again mends it\.\n$/)
    const told = JSON.parse((await runCommand([...args, '--json'])).stdout)
    assert.deepEqual(
      told.parts.filter(({ differing }: Json) => differing > 0).map(({ name }: Json) => name),
      ['tech.service.news.article'],
    )
    assert.equal(told.same, false)
    const serving = await runCommand(['status', '--database', target])
    assert.match(serving.stderr, /cannot be opened: it is an unfinished copy of .*again completes it\.\n$/)
    await change(
      target,
      'drop trigger liar; drop trigger persistent',
      `drop trigger liar on lexigraph_records.${table}`,
    )
    assert.match(await run(args), /\nBoth databases hold the same\. That took [\d.]+ s\.\n$/)
    assert.deepEqual(await linesIn(target), await linesIn(source))
    // Again it only compares; what has changed since is not overwritten.
    assert.match(await run(args), /\nBoth databases hold the same\./)
    const set = `${table} set rev = 'y'`
    await change(target, `update ${set}`, `update lexigraph_records.${set}`)
    const refused = await runCommand(args)
    assert.match(refused.stderr, /has records or other content, and not the same as \S+\. Name an empty one/)
    assert.equal(refused.status, 1)
  })

test('what a copy cannot be made of, or in, is told in a sentence and left alone', async () => {
  const source = await filled('sqlite', 'some')
  const [target, link] = [inFolder('never.db'), inFolder('link.db')]
  symlinkSync(source, link)
  const [others, full, foreign] = [inFolder('others.db'), inFolder('full.db'), inFolder('foreign.db')]
  await run(['import', nothing, '--database', others, '--lexicons', standard])
  await run(['import', one, '--database', full])
  new DatabaseSync(foreign).exec('create table customer (name text)')
  const before = readFileSync(full)
  const away = 'postgres://u:secret@127.0.0.1:1/db'
  const itself = /cannot be opened: it is the very database that is to be copied\./
  const urls: [from: string, to: string, what: RegExp][] = [
    [inFolder('nowhere.db'), target, /^The database \S+nowhere\.db cannot be opened: There is no file/],
    ['jetstream:wss://example.com', target, /"jetstream:" is not a scheme of a database/],
    [writeLines(inFolder('text.db'), [{}]), target, /cannot be opened: it is not a SQLite file\./],
    [away, target, /postgres:\/\/u@127\.0\.0\.1:1\/db cannot be opened/],
    [source, away, /postgres:\/\/u@127\.0\.0\.1:1\/db cannot be opened/],
    [source, source, itself],
    [source, `sqlite:${link}`, itself],
    [source, ':memory:', /it would end with this process\. Name a file\./],
    [source, inFolder('none/x.db'), /There is no folder/],
    [others, target, /was built with other lexicons or by another version/],
    [source, others, /was built with other lexicons or by another version\. Name an empty database/],
    [
      source,
      full,
      /^The database \S+full\.db has records or other content, and not the same as sqlite:\S+\. Name/,
    ],
    [source, foreign, /is a SQLite database of another program/],
  ]
  if (databases.includes('postgres')) {
    const { url } = await freshDatabase()
    await run(['import', one, '--database', url])
    urls.push([url, `${url}?application_name=another`, itself])
  }
  for (const [from, to, what] of urls) {
    const { stdout, stderr, status } = await runCommand(['copy', '--from', from, '--to', to])
    assert.match(stderr, what)
    assert.match(stderr, /^[^\n]+\.\n$/)
    assert.deepEqual([stdout, status, existsSync(target)], ['', 1, false], stderr)
  }
  assert.deepEqual(readFileSync(full), before)
  const alone = await runCommand(['copy', '--from', source])
  assert.match(
    alone.stderr,
    /^copy needs two databases: --from \S+ --to \S+; docs\/backups\.md says more\.\n$/,
  )
  assert.equal(alone.status, 2)
})

test('records of collections that the lexicons no longer have stay behind, and that is told', async () => {
  const source = inFolder('former.db')
  await run(['import', one, '--database', source])
  await run(['import', nothing, '--database', source, '--lexicons', standard, '--rebuild'])
  const args = ['copy', '--from', source, '--to', inFolder('present.db'), '--lexicons', standard]
  const { stderr, status } = await runCommand(args)
  assert.equal(status, 0)
  assert.match(
    stderr,
    /^The records of tech\.service\.news\.article stay behind: the lexicons no longer have/m,
  )
})

interface Followed {
  readonly source: string
  readonly target: string
  readonly server: FakeJetstream
  /** Resolves when the source has so many records. */
  readonly isFollowed: (records: number) => Promise<unknown>
}

/**
 * Follows a stream into one database and then into the other, which `move` makes of it: `move` is called while the source
 * is followed, and what it resolves to afterwards.
 */
async function followsOn(
  from: Engine,
  to: Engine,
  move: (followed: Followed) => Promise<() => Promise<void>>,
): Promise<void> {
  await using server = await startFakeJetstream()
  const events = `jetstream:${server.url}`
  const envOf = (database: string) => ({ LEXIGRAPH_DATABASE: database, ...asksNobody })
  const [source, target] = [await emptyUrl(from), await emptyUrl(to)]
  const follows = (database: string, records: number) =>
    until(async () => (await storedIn(database)).size === records)
  let moveOn: () => Promise<void>
  {
    await using ingest = await startIngest(events, envOf(source))
    for (let number = 0; number < 20; number += 1) publishOutlet(server, number)
    await follows(source, 20)
    moveOn = await move({ source, target, server, isFollowed: (records) => follows(source, records) })
    await ingest.stop()
  }
  await moveOn()
  const [{ cursor }] = (await status(target)).sources
  for (let number = 30; number < 40; number += 1) publishOutlet(server, number)
  const before = server.connections.length
  await using ingest = await startIngest(events, envOf(target))
  await follows(target, 10 + (await storedIn(source)).size)
  // From the cursor on, not from the beginning; a few seconds before, as always.
  const asked = server.connections.map(({ url }) => url.searchParams.get('cursor'))
  assert.equal(asked[0], null)
  const back = Number(cursor) - Number(asked[before])
  assert.ok(back >= 0 && back < 30_000_000, `${asked[before]} was asked, ${cursor} was kept`)
  await ingest.stop()
}

const root = new URL('../', import.meta.url)
const standard = new URL('schemas/site-standard/lexicons', import.meta.url).pathname
const nothing = writeLines(inFolder('nothing.jsonl'), [])
const one = writeLines(inFolder('one.jsonl'), lines.slice(0, 1))

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
  const args = ['status', '--json', '--database', database]
  return JSON.parse(await printed(countedInTime(() => runCommand(args))))
}

/** What nobody should do, in the words of the engine. */
function change(url: string, sqlite: string, postgres: string): Promise<void> {
  return tamperWith(url, isPostgres(url) ? postgres : sqlite)
}
