import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { ServiceError } from '../../../errors.ts'
import { derivationOf } from '../layout/ddl.ts'
import { SqliteReader } from './reader.ts'

const folder = mkdtempSync(join(tmpdir(), 'lexigraph-reader-'))
after(() => rmSync(folder, { recursive: true }))

test('a file that another process has locked is a passing fault, with the cause for the operator', async () => {
  const path = join(folder, 'locked.db')
  const other = new DatabaseSync(path)
  other.exec('create table state (plan_version, derivation)')
  other.prepare('insert into state values (1, ?)').run(derivationOf('f'))
  const reader = new SqliteReader(new DatabaseSync(path, { readOnly: true, timeout: 0 }), {
    fingerprint: 'f',
    now: () => 0n,
    idle: () => null,
    long: null,
  })
  other.exec('begin exclusive')
  const isPassing = (error: unknown): boolean =>
    error instanceof ServiceError &&
    error.code === 'UNAVAILABLE' &&
    error.details.retryAfter === 1 &&
    error.cause !== undefined
  await assert.rejects(reader.readPlanState(), isPassing)
  await assert.rejects(
    reader.readAnswer({ text: 'select plan_version from state', values: [] }, { kind: 'short' }),
    isPassing,
  )
  other.exec('commit')
  other.close()
  await reader[Symbol.asyncDispose]()
})
