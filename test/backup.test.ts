/** The backup that docs/backups.md gives for SQLite, taken while records are written: one moment of the index, whole. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { lexicons, note, roundOf, whileWriting } from './support/records/rounds.ts'
import { openTestStore, temporaryFolder } from './support/store/store.ts'

const padding = 'Wind and rain over the hills, and then again the sun. '.repeat(40)

/** Of both ways, that of Node and that of `sqlite3`. */
const commands = Array.from(
  readFileSync(new URL('../docs/backups.md', import.meta.url), 'utf8').matchAll(
    /^.*\b(node|sqlite3) .*vacuum into.*$/gm,
  ),
  ([command, tool = '']) => ({ command, tool }),
)
const inFolder = temporaryFolder()

test('docs/backups.md gives a backup by node and one by sqlite3', () => {
  assert.deepEqual(
    commands.map(({ tool }) => tool),
    ['sqlite3', 'node'],
  )
})

for (const { command, tool } of commands) {
  const isMissing = tool === 'sqlite3' && spawnSync('sqlite3', ['--version']).status !== 0
  const skip = isMissing && 'sqlite3 is not installed'
  test(`a backup by ${tool} is one moment of an index that is written to`, { skip }, async () => {
    const path = inFolder(`${tool}.db`)
    const backup = inFolder(`${tool}-backup.db`)
    const inDocs = (text: string): string =>
      text.replaceAll('lexigraph.db', path).replaceAll('backup.db', backup)
    const rounds = await whileWriting(path, () => run(inDocs(command)), padding)
    assert.ok(existsSync(backup))
    const round = await moment(backup)
    assert.ok(round >= 1 && round <= rounds)
    // Restored: written to like any other.
    await using store = await openTestStore({ path: backup, lexicons })
    assert.equal((await store.apply(note('later', 1, padding))).stored, 1)
    assert.equal((await store.apply(note('old7', 0, padding))).unchanged, 1)
  })
}

/** Runs a line of the page with the Node that runs this test. */
async function run(command: string): Promise<void> {
  const path = `${dirname(process.execPath)}:${process.env['PATH']}`
  await promisify(execFile)('sh', ['-c', command], { env: { ...process.env, PATH: path } })
}

/** The round whose end a file is; fails when it is that of none. */
async function moment(file: string): Promise<number> {
  {
    using database = new DatabaseSync(file, { readOnly: true })
    assert.deepEqual(database.prepare('pragma integrity_check').all().map(Object.values), [['ok']])
  }
  return roundOf(`sqlite:${file}`)
}
