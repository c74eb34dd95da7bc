import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { DatabaseBusyError } from './database.ts'
import { openDatabase, openReadyDatabase } from './open.ts'

const folder = mkdtempSync(join(tmpdir(), 'lexigraph-open-'))
after(() => rmSync(folder, { recursive: true }))

const now = (): bigint => 0n
const options = { tables: [], fingerprint: 'f', check: () => null, now }

test('a file that is laid out for the lexicons is ready to be read', async () => {
  const path = join(folder, 'ready.db')
  await (await openDatabase(path, options))[Symbol.asyncDispose]()
  await using ready = await openReadyDatabase(path, { fingerprint: 'f', now })
  assert.equal((await ready?.readPlanState())?.version, 1)
})

test('what has to be made, rebuilt or refused first is not ready, and is left as it is', async () => {
  const path = join(folder, 'other.db')
  await (await openDatabase(path, options))[Symbol.asyncDispose]()
  assert.equal(await openReadyDatabase(path, { fingerprint: 'g', now }), null)
  const foreign = join(folder, 'foreign.db')
  const database = new DatabaseSync(foreign)
  database.exec('create table theirs (x)')
  database.close()
  assert.equal(await openReadyDatabase(foreign, { fingerprint: 'f', now }), null)
  const missing = join(folder, 'missing.db')
  assert.equal(await openReadyDatabase(missing, { fingerprint: 'f', now }), null)
  assert.equal(existsSync(missing), false)
  const before = readdirSync(folder)
  assert.equal(await openReadyDatabase(':memory:', { fingerprint: 'f', now }), null)
  assert.deepEqual(readdirSync(folder), before)
})

test('whoever asks whether a file is ready while another process has locked it is told to come again', async () => {
  const path = join(folder, 'busy.db')
  await (await openDatabase(path, options))[Symbol.asyncDispose]()
  const other = new DatabaseSync(path)
  other.exec('pragma journal_mode = delete; begin exclusive')
  await assert.rejects(openReadyDatabase(path, { fingerprint: 'f', now, lockTimeout: 0 }), DatabaseBusyError)
  other.exec('rollback')
  other.close()
  await using ready = await openReadyDatabase(path, { fingerprint: 'f', now })
  assert.notEqual(ready, null)
})
