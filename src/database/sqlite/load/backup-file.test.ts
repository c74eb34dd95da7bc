import assert from 'node:assert/strict'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { openEverything, received } from '../../../../test/support/store/everything.ts'
import { keptState } from '../../../../test/support/store/kept-state.ts'
import {
  assertDerived,
  noteLexicons,
  openNotes,
  visibleRecords,
} from '../../../../test/support/records/notes.ts'
import { databases } from '../../../../test/support/store/postgres.ts'
import { emptyDatabases, temporaryFolder } from '../../../../test/support/store/store.ts'
import { understand } from '../../../../test/support/records/understand.ts'
import { rounds, seed } from '../../../../test/support/rounds.ts'
import { compare, fill, type OnProgress, type Snapshot } from '../../copy/database-copy.ts'
import { partsOf, type CopyRow } from '../../copy/parts.ts'
import { openCopyTarget, openSnapshot } from '../../open.ts'
import { writeBackup } from './backup-file.ts'
import { openBackup } from './open-backup.ts'

const emptyUrl = emptyDatabases()
const inFolder = temporaryFolder()
const { set, tables } = understand(noteLexicons, {})
const parts = partsOf(tables)
const options = { tables, fingerprint: set.fingerprint, check: () => null, now: () => 1_780_000_000_000_000n }
const about = {
  version: '0.0.0',
  takenAt: '2026-11-22T12:00:00.000Z',
  source: 'a test',
  fingerprint: set.fingerprint,
  collections: tables.map(({ collection }) => collection.nsid),
}
const ignore: OnProgress = () => {}
const { signal } = new AbortController()
let lastFile = 0

for (const from of databases)
  for (const to of databases)
    test(`a database restored from a backup has everything that was in the other (${from} to ${to})`, async () => {
      await using store = await openEverything(from)
      const state = await keptState(store)
      const path = await backUp(store.path)
      const url = await emptyUrl(to)
      await restore(path, url)
      await using restored = await openNotes(url)
      assert.deepEqual(await keptState(restored), received(state))
      assert.deepEqual(await visibleRecords(restored), await visibleRecords(store))
      await assertDerived(restored)
    })

test('numbers, texts and what is missing come back from a backup as they were', async () => {
  const columns = ['key', 'value']
  const part = { name: 'anything', columns, key: 1, table: null }
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.constant(null),
  )
  const row = fc.tuple(fc.string(), value)
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
      const path = newPath()
      await writeBackup({ path, source: snapshotOf(rows), parts: [part], about, onProgress: ignore, signal })
      await using backup = openBackup(path)
      await backup.verify([part], ignore, signal)
      assert.deepEqual(await Array.fromAsync(backup.rows(part)), rows)
    }),
    { seed, numRuns: rounds(30) },
  )
})

test('rows of many blocks come in order, and columns by their names', async () => {
  const part = { name: 'anything', columns: ['key', 'value'], key: 1, table: null }
  // Two of them are more than a block takes.
  const text = 'x'.repeat(600_000)
  const path = newPath()
  const source = snapshotOf([...'abc'].map((key) => [key, text]))
  await writeBackup({ path, source, parts: [part], about, onProgress: ignore, signal })
  await using backup = openBackup(path)
  await backup.verify([part], ignore, signal)
  for (const [columns, row] of [
    [
      ['value', 'key'],
      [text, 'a'],
    ],
    // A column that an older program did not know is null.
    [
      ['key', 'added', 'value'],
      ['a', null, text],
    ],
  ] as const) {
    const [first] = await Array.fromAsync(backup.rows({ ...part, columns }))
    assert.deepEqual(first, row)
  }
})

test('a backup that was cut off or changed anywhere is refused, unless it holds the same', async () => {
  const path = await someBackup()
  const whole = readFileSync(path)
  const rows = await rowsOf(path)
  const damage = fc.oneof(
    fc.record({ kind: fc.constant('cut'), at: fc.nat(whole.length - 1), bits: fc.constant(0) }),
    fc.record({
      kind: fc.constant('flip'),
      at: fc.nat(whole.length - 1),
      bits: fc.integer({ min: 1, max: 255 }),
    }),
    fc.record({ kind: fc.constant('zeros'), at: fc.nat(whole.length - 1), bits: fc.constant(0) }),
  )
  let refused = 0
  await fc.assert(
    fc.asyncProperty(damage, async ({ kind, at, bits }) => {
      const damaged = newPath()
      if (kind === 'cut') {
        copyFileSync(path, damaged)
        truncateSync(damaged, at)
      } else {
        const bytes = Buffer.from(whole)
        if (kind === 'flip') bytes[at] = (bytes[at] ?? 0) ^ bits
        else bytes.fill(0, at, Math.min(at + 600, bytes.length))
        writeFileSync(damaged, bytes)
      }
      try {
        assert.deepEqual(await rowsOf(damaged), rows)
      } catch (error) {
        const { message } = error as Error
        assert.match(
          message,
          /^it (is damaged or incomplete|is not a backup by|has format \d+; this program)/,
        )
        refused += 1
      }
    }),
    { seed, numRuns: rounds(120) },
  )
  assert.ok(refused > 50, `${refused} were refused, TEST_SEED=${seed}`)
})

test('a backup whose rows were exchanged is refused', async () => {
  for (const damage of [
    `delete from block where part = 'tombstone'`,
    `delete from part where name = 'tombstone'`,
    `delete from part where name = 'tombstone'; delete from block where part = 'tombstone'`,
    `update block set rows = (select rows from block where part = 'actor') where part = 'source'`,
    `insert into block select part, number + 1, rows from block where part = 'actor'`,
    `update part set rows = rows + 1 where name = 'actor'`,
    `drop table block`,
    `update about set about = replace(about, '0.0.0', '0.0.1')`,
    `update block set rows = changed(rows) where part = 'tombstone'`,
  ]) {
    const path = await someBackup()
    const database = new DatabaseSync(path)
    database.function('changed', (block) =>
      zstdCompressSync(
        zstdDecompressSync(block as Uint8Array)
          .toString()
          .replace('gone', 'come'),
      ),
    )
    database.exec(damage)
    database.close()
    await assert.rejects(rowsOf(path), /^Error: it is damaged or incomplete\.$/, damage)
  }
})

test('a backup appears under its name when it is complete, readable by its owner alone', async () => {
  await using store = await openEverything('sqlite')
  await using source = await openSnapshot(store.path, options)
  const path = newPath()
  const look: OnProgress = ({ stage }) => {
    assert.equal(existsSync(path), false, stage)
    assert.equal(statSync(`${path}.unfinished`).mode & 0o777, 0o600)
  }
  await writeBackup({ path, source, parts, about, onProgress: look, signal })
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.equal(existsSync(`${path}.unfinished`), false)
  const again = writeBackup({ path, source, parts, about, onProgress: ignore, signal })
  await assert.rejects(again, /^Error: a file of that name is there already\. Name another\.$/)
})

test('of a backup that is stopped nothing is left, and what a killed one has left is replaced', async () => {
  await using store = await openEverything('sqlite')
  await using source = await openSnapshot(store.path, options)
  const path = newPath()
  const write = (signal: AbortSignal, onProgress = ignore) =>
    writeBackup({ path, source, parts, about, onProgress, signal })
  await assert.rejects(write(AbortSignal.abort(new Error('stopped'))), /^Error: stopped$/)
  assert.deepEqual([existsSync(path), existsSync(`${path}.unfinished`)], [false, false])
  writeFileSync(`${path}.unfinished`, readFileSync(await someBackup()).subarray(0, 20_000))
  let meanwhile: Promise<unknown> | undefined
  await write(signal, () => {
    meanwhile ??= assert.rejects(write(signal), /another process is writing a backup of that name\.$/)
  })
  await meanwhile
  await using backup = openBackup(path)
  await backup.verify(parts, ignore, signal)
})

test('what is not a backup, or is one of a newer program, is told', async () => {
  const text = newPath()
  writeFileSync(text, 'nothing of the kind')
  assert.throws(() => openBackup(text), /^Error: it is damaged or incomplete\.$/)
  assert.throws(() => openBackup(dirname(text)), /^Error: it is a folder\. Name the file/)
  const compressed = newPath()
  writeFileSync(compressed, gzipSync(readFileSync(await someBackup())))
  assert.throws(() => openBackup(compressed), /^Error: it is compressed\. Decompress it first/)
  const longer = await someBackup()
  appendFileSync(longer, 'more')
  assert.throws(
    () => openBackup(longer),
    /^Error: it is damaged or incomplete: it has 4 bytes more than were written\./,
  )
  const newer = await someBackup()
  const database = new DatabaseSync(newer)
  database.exec('pragma user_version = 2')
  database.close()
  assert.throws(() => openBackup(newer), /it has format 2; this program reads formats up to 1\. Use a newer/)
})

function newPath(): string {
  lastFile += 1
  return inFolder(`${lastFile}.backup`)
}

async function backUp(url: string): Promise<string> {
  const path = newPath()
  await using source = await openSnapshot(url, options)
  await writeBackup({ path, source, parts, about, onProgress: ignore, signal })
  return path
}

async function someBackup(): Promise<string> {
  await using store = await openEverything('sqlite')
  return await backUp(store.path)
}

async function restore(path: string, url: string): Promise<void> {
  await using backup = openBackup(path)
  await using target = await openCopyTarget(url, backup, options)
  await fill(backup, target, parts, ignore)
  for (const { part, differing, first } of await compare(backup, target, parts, ignore))
    assert.equal(differing, 0, `${part.name}: ${first}`)
  await target.finish()
}

/** Verified first, as a restoration does. */
async function rowsOf(path: string): Promise<readonly (readonly CopyRow[])[]> {
  await using backup = openBackup(path)
  await backup.verify(parts, ignore, signal)
  return await Promise.all(parts.map((part) => Array.fromAsync(backup.rows(part))))
}

function snapshotOf(rows: readonly CopyRow[]): Snapshot {
  return {
    identity: 'none',
    kind: 'database' as const,
    name: 'none',
    collections: async () => [],
    count: async () => rows.length,
    rows: async function* () {
      yield* rows
    },
    [Symbol.asyncDispose]: async () => {},
  }
}
