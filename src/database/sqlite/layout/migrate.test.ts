import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { assertOutcome } from '../../../../test/support/store/note-stores.ts'
import { understand } from '../../../../test/support/records/understand.ts'
import { temporaryFolder } from '../../../../test/support/store/store.ts'
import { fill, line, open, size, thing } from '../../../../test/support/records/things.ts'
import { connect } from '../connection.ts'
import { isCurrent } from './layout.ts'
import { migrate } from './migrate.ts'
import { isAtWork } from './rebuild-state.ts'

const inFolder = temporaryFolder()

test('a rebuild waits for the lock as long as another process is at work on it, and no longer', async () => {
  const path = inFolder('locked.db')
  await fill(path, [thing(size)], [line('a', { size: 1 })])
  const { set, tables } = understand([thing({ ...size, text: { type: 'string' } })], {})
  using other = new DatabaseSync(path)
  using own = connect(path, false, { timeout: 0 })
  let clock = 1_800_000_000_000_000n
  /** From its first step on, another connection holds the lock. */
  const migrateBeside = (whileHeld: () => void): Promise<void> => {
    let isFirst = true
    const options = {
      tables,
      fingerprint: set.fingerprint,
      check: () => null,
      onProgress: () => {
        if (isFirst) other.exec('begin immediate')
        isFirst = false
      },
      now: () => {
        if (other.isTransaction) whileHeld()
        return clock
      },
    }
    return migrate(own, options, () => {})
  }
  await assert.rejects(
    migrateBeside(() => (clock += 31_000_000n)),
    {
      name: 'DatabaseBusyError',
      message: 'Another process is writing to the database. Try again when it is done.',
    },
  )
  other.exec('rollback')
  let attempts = 0
  await migrateBeside(() => {
    attempts += 1
    if (attempts === 5) other.exec('rollback')
  })
  assert.equal(attempts, 5)
  assert.ok(isCurrent(own, set.fingerprint))
})

test('a text file is refused and left alone', async () => {
  const path = inFolder('text.db')
  writeFileSync(
    path,
    'This is not a database, but a text that is long enough to be taken for one. '.repeat(50),
  )
  const before = readFileSync(path)
  await assert.rejects(open(path, [thing(size)]), /not a database/)
  assert.ok(before.equals(readFileSync(path)))
})

test('an empty file becomes a database', async () => {
  const path = inFolder('empty.db')
  writeFileSync(path, '')
  await using store = await open(path, [thing(size)])
  await assertOutcome(store.apply(line('a', { size: 1 })), { stored: 1 })
})

test('a directory, and a folder that does not exist, are named as what they are', async () => {
  const directory = inFolder('directory.db')
  mkdirSync(directory)
  await assert.rejects(open(directory, [thing(size)]), /is a directory\. Name a file\.$/)
  await assert.rejects(open(inFolder('no/where.db'), [thing(size)]), /There is no folder \S+no\./)
})

test('a folder that may not be written to is an error, not a crash', async (t) => {
  if (process.getuid?.() === 0) return t.skip('root may write everywhere')
  const folder = inFolder('read-only')
  mkdirSync(folder)
  chmodSync(folder, 0o555)
  await assert.rejects(open(`${folder}/x.db`, [thing(size)]), /unable to open/)
})

test('a rebuild counts as abandoned after half a minute of silence, by whichever clock', () => {
  const heardAt = 1_770_000_000_000_000n
  const silences = [0n, 29_999_999n, 30_000_000n, -29_999_999n, -30_000_000n]
  assert.deepEqual(
    silences.map((silence) => isAtWork({ derivation: 'd', heardAt }, heardAt + silence)),
    [true, true, false, true, false],
  )
})
