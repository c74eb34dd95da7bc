import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { until } from '../../test/support/until.ts'
import { AwaitedDatabase } from './awaited-database.ts'
import { openDatabase, openReadDatabase, readRebuildProgress } from './open.ts'

const folder = mkdtempSync(join(tmpdir(), 'lexigraph-awaited-'))
after(() => rmSync(folder, { recursive: true }))

const now = (): bigint => 0n
const options = { tables: [], fingerprint: 'f', check: () => null, now }

test('a database that cannot be opened is unavailable, and each reason is reported once', async () => {
  const path = join(folder, 'absent.db')
  const reported: string[] = []
  let looks = 0
  await using database = await AwaitedDatabase.open({
    isRemote: false,
    open: () => {
      looks += 1
      return openReadDatabase(path, { fingerprint: 'f', now })
    },
    readProgress: () => readRebuildProgress(path),
    onFailure: (error) => reported.push(String(error)),
  })
  await until(() => looks >= 2)
  await assert.rejects(database.readPlanState(), ({ code, message, cause }: Error & { code: string }) => {
    assert.deepEqual([code, message], ['UNAVAILABLE', 'The database does not answer at the moment.'])
    assert.match(String(cause), /There is no file/)
    return true
  })
  assert.equal(reported.length, 1)
  writeFileSync(path, 'not a database'.repeat(1_000))
  await until(() => reported.length >= 2)
  rmSync(path)
  await (await openDatabase(path, options))[Symbol.asyncDispose]()
  await until(() =>
    database.readPlanState().then(
      () => true,
      () => false,
    ),
  )
  assert.deepEqual(
    reported.map((text) => /There is no file|not a database/.exec(text)?.[0]),
    ['There is no file', 'not a database'],
  )
})

test('a database of other lexicons that nobody has begun to rebuild is reported as being rebuilt', async () => {
  const path = join(folder, 'other.db')
  await (await openDatabase(path, options))[Symbol.asyncDispose]()
  const reported: unknown[] = []
  await using database = await AwaitedDatabase.open({
    isRemote: false,
    open: () => openReadDatabase(path, { fingerprint: 'g', now }),
    readProgress: () => readRebuildProgress(path),
    onFailure: (error) => reported.push(error),
  })
  await assert.rejects(database.readPlanState(), /The index is being rebuilt for these lexicons/)
  assert.deepEqual(reported, [])
})
