import assert from 'node:assert/strict'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { DatabaseBusyError } from './database.ts'
import { openDatabase, openReadyDatabase, openReadDatabase, readRebuildProgress } from './open.ts'
import { until } from '../../test/support/until.ts'
import { temporaryFolder } from '../../test/support/store/store.ts'
import { openAwaited } from './awaited-database.ts'

const inFolder = temporaryFolder()
const folder = inFolder('')

const now = (): bigint => 0n
const options = { tables: [], fingerprint: 'f', check: () => null, now }

test('what has to be made, rebuilt or refused first is not ready, and is left as it is', async () => {
  const path = inFolder('other.db')
  await (await openDatabase(path, options))[Symbol.asyncDispose]()
  assert.equal(await openReadyDatabase(path, { fingerprint: 'g', now }), null)
  const foreign = inFolder('foreign.db')
  const database = new DatabaseSync(foreign)
  database.exec('create table theirs (x)')
  database.close()
  assert.equal(await openReadyDatabase(foreign, { fingerprint: 'f', now }), null)
  const missing = inFolder('missing.db')
  assert.equal(await openReadyDatabase(missing, { fingerprint: 'f', now }), null)
  assert.equal(existsSync(missing), false)
  const before = readdirSync(folder)
  assert.equal(await openReadyDatabase(':memory:', { fingerprint: 'f', now }), null)
  assert.deepEqual(readdirSync(folder), before)
})

test('a file that another process has locked is busy, not unready', async () => {
  const path = inFolder('busy.db')
  await (await openDatabase(path, options))[Symbol.asyncDispose]()
  const other = new DatabaseSync(path)
  other.exec('pragma journal_mode = delete; begin exclusive')
  await assert.rejects(openReadyDatabase(path, { fingerprint: 'f', now, lockTimeout: 0 }), DatabaseBusyError)
  other.exec('rollback')
  other.close()
  await using ready = await openReadyDatabase(path, { fingerprint: 'f', now })
  assert.notEqual(ready, null)
})

test('a database that cannot be opened is unavailable, and each reason is reported once', async () => {
  const path = inFolder('absent.db')
  const reported: string[] = []
  let looks = 0
  await using database = await openAwaited({
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
  const path = inFolder('other.db')
  await (await openDatabase(path, options))[Symbol.asyncDispose]()
  const reported: unknown[] = []
  await using database = await openAwaited({
    isRemote: false,
    open: () => openReadDatabase(path, { fingerprint: 'g', now }),
    readProgress: () => readRebuildProgress(path),
    onFailure: (error) => reported.push(error),
  })
  await assert.rejects(database.readPlanState(), /The index is being rebuilt for these lexicons/)
  assert.deepEqual(reported, [])
})
