import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { test } from 'node:test'
import { line } from '../../../test/support/records/note-lines.ts'
import { someForms } from '../../../test/support/rounds.ts'
import { note, noteLexicons, openNotes, widerLexicons } from '../../../test/support/records/notes.ts'
import { temporaryFolder } from '../../../test/support/store/store.ts'
import { interrupted } from '../../../test/support/store/interrupted.ts'
import { understand } from '../../../test/support/records/understand.ts'
import { fill } from '../copy/database-copy.ts'
import { partsOf } from '../copy/parts.ts'
import { openCopyTarget, openSnapshot } from '../open.ts'
import { connect } from './connection.ts'
import { assertSameFile, identityOf, identityUnit, storedIdentity } from './open-file.ts'
import { addUsageToFile } from './usage-store.ts'

const inFolder = temporaryFolder()
const rowsIn = (path: string): unknown => {
  using database = connect(path, true)
  return database
    .prepare(`select rkey from "${note}" order by rkey`)
    .all()
    .map(({ rkey }) => rkey)
}

/** A closed file with one record. */
async function fileWith(name: string, rkey: string): Promise<string> {
  await using store = await openNotes(inFolder(name))
  await store.apply(line(rkey))
  return inFolder(name)
}

for (const way of ['replaced', 'moved away', 'deleted'] as const)
  test(`an open file that is ${way} is neither written nor read by a new connection, and keeps its log`, async () => {
    const other = await fileWith(`${way}-other.db`, 'z')
    const path = inFolder(`${way}.db`)
    const [kept, statement] = [`${path}.kept`, { text: `select 1 as version, x'' as body`, values: [] }]
    {
      await using store = await openNotes(path)
      await store.apply(line('a'))
      linkSync(path, kept)
      if (way === 'moved away') renameSync(path, inFolder(`${way}-away.db`))
      else if (way === 'deleted') rmSync(path)
      else renameSync(other, path)
      await assert.rejects(store.apply(line('b')), { name: 'ReplacedFileError' })
      const { signal } = new AbortController()
      const terms = {
        kind: 'long',
        signal,
        caller: 'a',
        cost: 0,
        deadline: Number.POSITIVE_INFINITY,
      } as const
      await assert.rejects(store.database.read.readAnswer(statement, terms), { code: 'UNAVAILABLE' })
    }
    assert.deepEqual(rowsIn(kept), ['a'])
    if (way === 'replaced') assert.deepEqual(rowsIn(path), ['z'])
    else assert.ok(!existsSync(path) && !existsSync(`${path}-wal`))
  })

for (const [part, size] of [
  ['whole', undefined],
  ['cut off', 20_000],
  ['empty', 0],
] as const)
  test(`another database over an open file, ${part}, is neither written nor read by a new connection`, async () => {
    const other = await fileWith(`${part}-other.db`, 'z')
    const path = await fileWith(`${part}.db`, 'a')
    if (size !== undefined) truncateSync(other, size)
    const identity = identityOf(path)
    {
      await using store = await openNotes(path)
      // The log makes the file longer.
      const text = 'text '.repeat(200)
      await store.apply(...Array.from({ length: 40 }, (_, n) => line(`b${n}`, { text })))
      copyFileSync(other, path)
      await assert.rejects(store.apply(line('c')), { name: 'ReplacedFileError' })
      await assert.rejects(addUsageToFile(path, [], 0, identity), { name: 'ReplacedFileError' })
      assert.throws(() => assertSameFile(path, identity), /was replaced by another/)
    }
    assert.ok(readFileSync(path).equals(readFileSync(other)))
    if (part === 'whole') assert.deepEqual(rowsIn(path), ['z'])
  })

/** Works that open a file with one record, and write to it. */
const works: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  opened: async (path) => (await openNotes(path))[Symbol.asyncDispose](),
  rebuilt: async (path) => (await openNotes(path, undefined, widerLexicons))[Symbol.asyncDispose](),
  'written to': async (path) => {
    await using store = await openNotes(path)
    await store.apply(line('c', { text: 'text '.repeat(50) }))
  },
  'given the usage of keys': (path) => addUsageToFile(path, [], 0, null),
  'copied to': (path) => copyTo(path, true),
}

/** A whole copy, or one that is begun: until then its file has no identity. */
async function copyTo(path: string, isWhole: boolean): Promise<void> {
  const { set, tables } = understand(noteLexicons, {})
  const options = {
    tables,
    fingerprint: set.fingerprint,
    check: () => null,
    now: () => 1_780_000_000_000_000n,
  }
  await using source = await openSnapshot(await fileWith('source.db', 'c'), options)
  await using target = await openCopyTarget(path, source, options)
  if (!isWhole) return
  await fill(source, target, partsOf(tables), () => {})
  await target.finish()
}

for (const [what, work] of Object.entries(works))
  for (const [way, others] of someForms([
    ['overwritten', true],
    ['replaced', true],
    ['overwritten', false],
    ['replaced', false],
  ] as const))
    test(`a file that is ${way} between any two statements while it is ${what} is not written${others ? ', nor by others that have it open' : ''}`, async () => {
      const other = await fileWith(`${what}-${way}-${others}-other.db`, 'z')
      const content = readFileSync(other)
      // The first one finds which file it is.
      let statements = 1
      const attempt = async (statement: number): Promise<boolean> => {
        const path = await fileWith(`${what}-${way}-${others}-${statement}.db`, 'a')
        if (what === 'copied to') {
          rmSync(path)
          await copyTo(path, false)
        }
        rmSync(`${path}-owner`, { force: true })
        const store = others && what !== 'copied to' ? await openNotes(path) : null
        // The log has no first page, so that the work reads that of the file.
        await store?.database.write.applyBatch([], { source: 'test', cursor: null, eventAt: 1n })
        const swap = (): void => {
          copyFileSync(other, way === 'overwritten' ? path : `${path}.new`)
          if (way === 'replaced') renameSync(`${path}.new`, path)
        }
        const done = () =>
          work(path).then(
            () => null,
            (error: unknown) => error,
          )
        const { result, wasInterrupted } = await interrupted(statement, swap, done)
        await store?.[Symbol.asyncDispose]()
        if (wasInterrupted && !readFileSync(path).equals(content))
          assert.fail(`before statement ${statement}: ${String(result)}`)
        return wasInterrupted
      }
      while (await attempt((statements += 1 + Math.floor(statements / 5)))) {}
      assert.ok(statements > 5, String(statements))
    })

test('a file that a checkpoint makes longer is the same', async () => {
  const path = await fileWith('longer.db', 'a')
  const identity = identityOf(path)
  // The first page has the new size before the other pages are there.
  truncateSync(path, statSync(path).size - 8192)
  assertSameFile(path, identity)
})

for (const way of ['another file', 'another file with its inode', 'an older copy'] as const)
  test(`the log of a killed process is not applied to ${way}`, async () => {
    const other = await fileWith(`${way}-other.db`, 'z')
    const path = await fileWith(`${way}.db`, 'a')
    const older = `${path}.older`
    copyFileSync(path, older)
    {
      await using store = await openNotes(path)
      await store.apply(line('b'))
      linkSync(`${path}-wal`, `${path}.log`)
    }
    // As after a kill: the log is there, with transactions.
    assert.ok(statSync(`${path}.log`).size > 0)
    renameSync(`${path}.log`, `${path}-wal`)
    assert.deepEqual(rowsIn(path), ['a', 'b'])
    if (way === 'another file with its inode') copyFileSync(other, path)
    else renameSync(way === 'another file' ? other : older, path)
    assert.throws(() => connect(path, true), /-wal is the log of another file that was here before\. Give it/)
    rmSync(`${path}-wal`)
    assert.deepEqual(rowsIn(path), [way === 'an older copy' ? 'a' : 'z'])
  })

test('a file of an earlier version is given an identity when it is opened to write', async () => {
  const path = await fileWith('earlier.db', 'a')
  const identity = storedIdentity(path)
  {
    using database = connect(path, false)
    database.exec(`pragma user_version = ${Number(identity) % identityUnit}`)
  }
  assert.equal(storedIdentity(path), '')
  await (await openNotes(path))[Symbol.asyncDispose]()
  assert.notEqual(storedIdentity(path), '')
  assert.deepEqual(rowsIn(path), ['a'])
})
