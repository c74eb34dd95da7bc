/**
 * The real `lexigraph backup` and `restore`: killed and stopped at random points, given damaged backups and databases that
 * are not empty. TEST_SEED replays a run.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { createDice } from './network/fake-server.ts'
import { countedInTime, startProgram } from './network/service.ts'
import { linesIn } from './network/support-index.ts'
import { demo, demoDatabases, writeLines } from './support/demo-databases.ts'
import { killUntilDone } from './support/kills.ts'
import { longTest, rounds, seed, someForms } from './support/rounds.ts'
import { commandsInTurn, printed } from './support/server/commands.ts'
import { onOneDatabase } from './support/store/databases.ts'
import { databases, type Engine } from './support/store/postgres.ts'
import { emptyDatabases, tamperWith, temporaryFolder } from './support/store/store.ts'
import { newsLexicons } from './golden/corpora.ts'
import { understand } from './support/records/understand.ts'
import { until } from './support/until.ts'

const inFolder = temporaryFolder()
const emptyUrl = emptyDatabases()
const filled = demoDatabases()
const runCommand = commandsInTurn()
const run = (args: readonly string[]) => printed(runCommand(args))
const [first, last] = [databases[0] as Engine, databases.at(-1) as Engine]
/** One way in `npm test`; a copy is killed on the other way there. */
const thereAndBack = new Map([
  [last, first],
  [first, last],
])
let lastFile = 0

longTest('a backup or a restoration that is killed leaves nothing that looks whole', {}, async (t) => {
  t.diagnostic(`TEST_SEED=${seed}`)
  const dice = createDice(seed)
  const signals = ['SIGKILL', 'SIGTERM'] as const
  for (let round = 0; round < rounds(); round += 1)
    for (const [from, to] of someForms([...thereAndBack])) {
      const source = await filled(from, 'often')
      const whole = await linesIn(source)
      const [path, target] = [newPath(), await emptyUrl(to)]
      // A file with the name of the backup is whole, as restoring it shows.
      const ofBackup = await killUntilDone(['backup', path, '--database', source], dice, {
        signals,
        look: async () => existsSync(path),
      })
      const ofRestore = await killUntilDone(['restore', path, '--database', target], dice, {
        signals,
        look: async () => {
          try {
            const present = await linesIn(target)
            // All of it is there, or nothing yet.
            if (present.length > 0) assert.deepEqual(present, whole)
          } catch (error) {
            if (error instanceof assert.AssertionError) throw error
            assert.match((error as Error).message, unfinished)
          }
          return false
        },
      })
      t.diagnostic(`${ofBackup} and ${ofRestore} kills (${from} to ${to}).`)
      assert.deepEqual(await linesIn(target), whole, `TEST_SEED=${seed}`)
    }
})

/** Why a database that is being restored cannot be opened. */
const unfinished =
  /unfinished copy of the backup of \S+ \(\w+\)\. The same `lexigraph restore` again|There is no database|is empty|other program|another version/

test('a backup that is told to stop says so, and leaves nothing', async () => {
  const source = await filled('sqlite', 'some')
  const path = newPath()
  const stopped = startProgram(['backup', path, '--database', source])
  await until(() => existsSync(`${path}.unfinished`) || existsSync(path))
  const status = await stopped.kill('SIGTERM')
  // The file is whole before the database is compared with its records.
  if (existsSync(path))
    return assert.ok(status === 0 || /is written, but .* stopped\.$/m.test(stopped.stderr()))
  assert.match(stopped.stderr(), /^The backup \S+ was not written: it was stopped\.$/m)
  assert.deepEqual([status, existsSync(`${path}.unfinished`)], [1, false])
})

test('what a backup cannot be made of, or restored to, is told in a sentence and left alone', async () => {
  const source = await filled('sqlite', 'some')
  const path = newPath()
  const told = await run(['backup', path, '--database', source])
  assert.match(told, /^tech\.service\.news\.article +[\d,]+ +[0-9a-f]{16}$/m)
  assert.match(
    told,
    /\n\S+\.backup has [\d,]+ bytes, and is the database as it was at \S+Z\. It was read back/,
  )
  assert.equal(statSync(path).mode & 0o777, 0o600)

  const refused = async (what: RegExp, expected: number, ...args: readonly string[]): Promise<void> => {
    const { stdout, stderr, status } = await runCommand(args)
    assert.match(stderr, what)
    assert.match(stderr, expected === 1 ? /^[^\n]+\.\n$/ : /^[^\n]+\.\n/)
    assert.deepEqual([stdout, status], ['', expected], stderr)
  }
  const backUp = (what: RegExp, to: string, from: string, ...more: readonly string[]) =>
    refused(what, to === '-' ? 2 : 1, 'backup', to, '--database', from, ...more)
  const restoreTo = (what: RegExp, from: string, to: string, ...more: readonly string[]) =>
    refused(what, from === '-' ? 2 : 1, 'restore', from, '--database', to, ...more)
  const standard = new URL('schemas/site-standard/lexicons', import.meta.url).pathname
  const bytes = readFileSync(path)
  await backUp(/^backup writes to a file, not to standard output: /, '-', source)
  await backUp(/was not written: a file of that name is there already/, path, source)
  assert.deepEqual(readFileSync(path), bytes)
  await backUp(/^There is no database at/, newPath(), inFolder('nowhere.db'))
  await backUp(/was not written: there is no folder/, inFolder('none/x'), source)
  await backUp(/was built with other lexicons/, newPath(), source, '--lexicons', standard)

  const target = inFolder('never.db')
  const cut = newPath()
  writeFileSync(cut, bytes)
  truncateSync(cut, Math.floor(bytes.length / 2))
  await restoreTo(/^restore reads a file, not standard input: /, '-', target)
  await restoreTo(
    /under other lexicons\. Its collections .*tech\.service/,
    path,
    target,
    '--lexicons',
    standard,
  )
  await restoreTo(
    /^The backup \S+ cannot be restored: it is damaged or incomplete\. Nothing was/,
    cut,
    target,
  )
  await restoreTo(/it is not a backup by `lexigraph backup`\. Nothing/, source, target)
  await restoreTo(/there is no such file\. Nothing was written/, newPath(), target)
  await restoreTo(/it would end with this process\. Name a file\./, path, ':memory:')
  assert.equal(existsSync(target), false)

  const restore = ['restore', path, '--database', target]
  const verified = /is what it was at \S+Z\. Verified: the backup's digests/
  assert.match(await run(restore), verified)
  assert.deepEqual(await linesIn(target), await linesIn(source))
  // Again it only verifies.
  const restored = readFileSync(target)
  assert.match(await run(restore), verified)
  assert.deepEqual(readFileSync(target), restored)
  const line = writeLines(inFolder('one.jsonl'), demo.slice(0, 1))
  const full = inFolder('full.db')
  await run(['import', line, '--database', full])
  const before = readFileSync(full)
  await restoreTo(
    /has records or other content, and not the same as the backup of .* Name an empty one/,
    path,
    full,
  )
  assert.deepEqual(readFileSync(full), before)
})

onOneDatabase('check and backup name what a database has not as its records have it', async (engine) => {
  const [database, standard] = [await emptyUrl(engine), new URL('../lexicons', import.meta.url).pathname]
  const { documents, references } = newsLexicons
  const { tables } = understand(documents, references)
  const [article] = tables.filter(({ name }) => name.endsWith('.article'))
  const [first] = demo.filter(({ uri }) => uri.includes('.article/'))
  const file = writeLines(inFolder(`${engine}.jsonl`), [...demo.slice(-9), first, { uri: 'x', value: {} }])
  await run(['import', file, '--database', database])
  const counted = countedInTime(() => runCommand(['status', '--database', database]))
  assert.match(await printed(counted), /^refused for .*\nbad-uri +1 +1$/m)
  const ofWords =
    engine === 'sqlite'
      ? `update "${article?.words?.name}/lengths" set words = words + 1`
      : `update "${article?.name}" set word_count = word_count + 1`
  const statements = [
    [
      `update "${article?.name}" set ".language" = 'xx'`,
      /article\/\S+: Columns differ from it: \.language\.$/m,
    ],
    [ofWords, /another number of words/],
    [`delete from "${article?.counts[0]?.name}"`, /counts or sums are not those of the records/],
    [`delete from "${article?.arrays[0]?.name}"`, /has other elements/],
  ] as const
  const check = ['check', '--database', database, '--lexicons', standard]
  assert.match(await run(check), /^The database agrees with its records\.$/m)
  for (const [statement, says] of statements) {
    await tamperWith(database, statement)
    const { stdout, status } = await runCommand(check)
    assert.match(stdout, says, statement)
    assert.equal(status, 1)
  }
  const path = newPath()
  const { stdout, status } = await runCommand(['backup', path, '--database', database, '--json'])
  assert.deepEqual([existsSync(path), status], [true, 1])
  const { database: checked } = JSON.parse((await runCommand([...check, '--json'])).stdout)
  assert.deepEqual(JSON.parse(stdout).damage, checked.damage)
  assert.ok(checked.damage.length >= 2)
})

function newPath(): string {
  lastFile += 1
  return inFolder(`${lastFile}.backup`)
}
