/**
 * The real `lexigraph backup` and `restore`: beside a source that goes on, killed and stopped at random moments, given
 * damaged backups and databases that are not empty. CRASH_SEED replays a run.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { buildDemoCorpus } from '../demo/corpus.ts'
import { startFakeJetstream } from './network/fake-jetstream.ts'
import { createDice } from './network/fake-server.ts'
import { runProgram, startProgram } from './network/service.ts'
import { linesIn, startIngest, storedIn } from './network/support-index.ts'
import { collections } from './network/support-news.ts'
import { asksNobody, publishOutlet } from './network/support-outlets.ts'
import type { Json } from './reference/shapes.ts'
import { databases, type Engine } from './support/store/postgres.ts'
import { emptyDatabases, temporaryFolder } from './support/store/store.ts'
import { until } from './support/until.ts'

const seed = Number(process.env.CRASH_SEED ?? Date.now() % 2 ** 31)
const inFolder = temporaryFolder()
const emptyUrl = emptyDatabases()
const pairs = databases.flatMap((from) => databases.map((to) => [from, to] as const))
const mixed = pairs.filter(([from, to]) => from !== to || databases.length === 1)
let lastFile = 0

for (const [from, to] of mixed)
  test(`after a restoration following goes on where the backup was taken, and nothing is lost or doubled (${from} to ${to})`, async () => {
    await using server = await startFakeJetstream()
    const source = `jetstream:${server.url}`
    const envOf = (database: string) => ({ LEXIGRAPH_DATABASE: database, ...asksNobody })
    const [first, second] = [await emptyUrl(from), await emptyUrl(to)]
    const path = newPath()
    let told: Json
    {
      await using ingest = await startIngest(source, envOf(first))
      for (let number = 0; number < 20; number += 1) publishOutlet(server, number)
      await until(async () => (await storedIn(first)).size === 20)
      // While it is written to.
      for (let number = 20; number < 30; number += 1) publishOutlet(server, number)
      told = JSON.parse(await run(['backup', path, '--json', '--database', first]))
      await until(async () => (await storedIn(first)).size === 30)
      await ingest.stop()
    }
    const restored = JSON.parse(await run(['restore', path, '--json', '--database', second]))
    assert.deepEqual([restored.same, restored.takenAt, restored.problems], [true, told.takenAt, []])
    const { rows } = restored.parts.find(({ name }: Json) => name === collections.source).target
    assert.ok(rows >= 20 && rows <= 30, `${rows} records`)
    assert.equal(told.bytes, statSync(path).size)
    const [before] = JSON.parse(await run(['status', '--json', '--database', second])).sources
    assert.deepEqual(told.sources, [
      { source: before.name, cursor: before.cursor, lastEventAt: before.lastEventAt },
    ])
    for (let number = 30; number < 40; number += 1) publishOutlet(server, number)
    await using ingest = await startIngest(source, envOf(second))
    await until(async () => (await storedIn(second)).size === 40)
    const back = Number(before.cursor) - Number(server.connections.at(-1)?.url.searchParams.get('cursor'))
    assert.ok(back >= 0 && back < 30_000_000, `${back} microseconds before the cursor of the backup`)
    await ingest.stop()
  })

for (const [from, to] of mixed)
  test(`a backup or a restoration that is killed leaves nothing that looks whole (${from} to ${to})`, async (t) => {
    t.diagnostic(`CRASH_SEED=${seed}`)
    const dice = createDice(seed)
    const source = await filled(from)
    const whole = await linesIn(source)
    const [path, target] = [newPath(), await emptyUrl(to)]
    const kills = async (args: readonly string[], isOver: () => Promise<boolean>): Promise<number> => {
      let took = 1_000
      for (let count = 0; ; count += 1) {
        await using running = startProgram(args)
        const started = performance.now()
        // A moment is what this is about, from the program's start to its end.
        const moment = delay(took * dice.draw() * (1 + count / 4), undefined, { ref: false })
        const ended = await Promise.race([running.ended, moment.then(() => undefined)])
        if (ended !== undefined) {
          assert.equal(ended, 0, running.stderr())
          return count
        }
        const signal = dice.draw() < 0.5 ? 'SIGKILL' : 'SIGTERM'
        const status = await running.kill(signal)
        // It may have been done just before.
        if (status === 0) return count
        took = Math.max(took, performance.now() - started)
        if (await isOver()) return count
      }
    }
    // What has its name is whole, as restoring it shows.
    const ofBackup = await kills(['backup', path, '--database', source], async () => existsSync(path))
    const ofRestore = await kills(['restore', path, '--database', target], async () => {
      const { status, stderr } = await runProgram(['status', '--database', target])
      // All of it is there, or nothing yet.
      const present = status === 0 ? await linesIn(target) : []
      if (present.length > 0) assert.deepEqual(present, whole)
      if (status !== 0)
        assert.match(
          stderr,
          /unfinished copy of the backup of \S+ \(\w+\)\. The same `lexigraph restore` again|There is no database|is empty|other program|another version/,
        )
      return false
    })
    t.diagnostic(`${ofBackup} and ${ofRestore} kills.`)
    assert.deepEqual(await linesIn(target), whole)
  })

test('a backup that is told to stop says so, and leaves nothing', async () => {
  const source = await filled('sqlite')
  const path = newPath()
  const stopped = startProgram(['backup', path, '--database', source])
  await until(() => existsSync(`${path}.unfinished`) || existsSync(path))
  const status = await stopped.kill('SIGTERM')
  if (status === 0) return assert.ok(existsSync(path))
  assert.match(stopped.stderr(), /^The backup \S+ was not written: it was stopped\.$/m)
  assert.deepEqual([status, existsSync(path), existsSync(`${path}.unfinished`)], [1, false, false])
})

test('whatever a backup cannot be made of, or restored to, is told in a sentence and left alone', async () => {
  const source = await filled('sqlite')
  const path = newPath()
  const told = await run(['backup', path, '--database', source])
  assert.match(told, /^tech\.service\.news\.article +[\d,]+ +[0-9a-f]{16}$/m)
  assert.match(
    told,
    /\n\S+\.backup has [\d,]+ bytes, and is the database as it was at \S+Z\. It was read back/,
  )
  assert.equal(statSync(path).mode & 0o777, 0o600)

  const refused = async (args: readonly string[], what: RegExp, expected = 1): Promise<void> => {
    const { stdout, stderr, status } = await runProgram(args)
    assert.match(stderr, what)
    assert.match(stderr, expected === 1 ? /^[^\n]+\.\n$/ : /^[^\n]+\.\n/)
    assert.deepEqual([stdout, status], ['', expected], stderr)
  }
  await refused(
    ['backup', '-', '--database', source],
    /^backup writes to a file, not to standard output: /,
    2,
  )
  await refused(['restore', '-', '--database', source], /^restore reads a file, not standard input: /, 2)
  const bytes = readFileSync(path)
  await refused(
    ['backup', path, '--database', source],
    /was not written: a file of that name is there already/,
  )
  assert.deepEqual(readFileSync(path), bytes)
  await refused(['backup', newPath(), '--database', inFolder('nowhere.db')], /^There is no database at/)
  await refused(['backup', inFolder('none/x'), '--database', source], /was not written: there is no folder/)
  const standard = new URL('schemas/site-standard/lexicons', import.meta.url).pathname
  await refused(
    ['backup', newPath(), '--database', source, '--lexicons', standard],
    /was built with other lexicons/,
  )

  const target = inFolder('never.db')
  const restore = ['restore', path, '--database', target]
  await refused(
    [...restore, '--lexicons', standard],
    /under other lexicons\. Its collections .*tech\.service/,
  )
  const cut = newPath()
  writeFileSync(cut, bytes)
  truncateSync(cut, Math.floor(bytes.length / 2))
  await refused(
    ['restore', cut, '--database', target],
    /^The backup \S+ cannot be restored: it is damaged or incomplete\. Nothing was written\.$/m,
  )
  await refused(
    ['restore', source, '--database', target],
    /it is not a backup by `lexigraph backup`\. Nothing/,
  )
  await refused(['restore', newPath(), '--database', target], /there is no such file\. Nothing was written/)
  await refused(['restore', path, '--database', ':memory:'], /it would end with this process\. Name a file\./)
  assert.equal(existsSync(target), false)

  const verified = /is what it was at \S+Z\. Verified: the backup's digests/
  assert.match(await run(restore), verified)
  assert.deepEqual(await linesIn(target), await linesIn(source))
  // Again it only verifies.
  const restored = readFileSync(target)
  assert.match(await run(restore), verified)
  assert.deepEqual(readFileSync(target), restored)
  const line = inFolder('one.jsonl')
  writeFileSync(line, `${JSON.stringify(demo[0])}\n`)
  const full = inFolder('full.db')
  await run(['import', line, '--database', full])
  const before = readFileSync(full)
  await refused(
    ['restore', path, '--database', full],
    /holds records or other content already\. Name an empty one/,
  )
  assert.deepEqual(readFileSync(full), before)
})

const demo: readonly Json[] = [...buildDemoCorpus()]
const known = new Map<Engine, Promise<string>>()

/** A database of the demo's records in several repositories, and of one that was refused. */
function filled(engine: Engine): Promise<string> {
  const fill = async (): Promise<string> => {
    const url = await emptyUrl(engine)
    const lines = demo.flatMap((line) =>
      ['aaaa', 'bbbb', 'cccc'].map((part) => ({
        ...line,
        uri: String(line.uri).replace(/^at:\/\/[^/]+/, `at://did:plc:${part.repeat(6)}`),
      })),
    )
    const path = inFolder(`${engine}.jsonl`)
    const all = [...lines, { uri: 'nonsense', value: {} }]
    writeFileSync(path, all.map((line) => `${JSON.stringify(line)}\n`).join(''))
    await run(['import', path, '--database', url])
    return url
  }
  const made = known.get(engine) ?? fill()
  known.set(engine, made)
  return made
}

function newPath(): string {
  lastFile += 1
  return inFolder(`${lastFile}.backup`)
}

async function run(args: readonly string[]): Promise<string> {
  const { stdout, stderr, status } = await runProgram(args)
  assert.equal(status, 0, stdout + stderr)
  return stdout
}
