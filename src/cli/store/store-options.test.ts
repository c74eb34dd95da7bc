import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { parseConfig } from '../settings/config.ts'
import { queryOptionsOf } from './store-options.ts'

const database = 'postgres://reader:secret@db1/records'

test('each host of each URL is a replica', () => {
  const urls = 'postgres://u:p@db2:5433,db3/records,postgresql://db4/records, postgres://db5/records'
  assert.deepEqual(readDatabases(database, urls), [
    'postgres://u:p@db2:5433/records',
    'postgres://u:p@db3/records',
    'postgresql://db4/records',
    'postgres://db5/records',
  ])
  assert.deepEqual(readDatabases(database), [])
})

test('what is no URL is told by the name of the setting, without a password', () => {
  assert.throws(
    () => readDatabases(database, 'db2:5433'),
    /^UsageError: --read-database: db2:5433 is not a valid URL of a database: write postgres:\/\//,
  )
  assert.throws(
    () => readDatabases(database, 'postgres://u:secret@db2:port/records'),
    (error: Error) => !error.message.includes('secret'),
  )
})

test('a file has no replicas', () => {
  assert.throws(
    () => readDatabases('sqlite:records.db', database),
    /^UsageError: --read-database is for PostgreSQL; name its primary with --database\.$/,
  )
})

test('starts no more processes for what takes long than there are cores, of all workers together', () => {
  const cores = availableParallelism()
  const readers = (...args: string[]) =>
    queryOptionsOf(parseConfig('serve', ['--database', 'a.db', ...args], {}).config).readers
  assert.equal(readers('--workers', '1'), Math.min(4, cores))
  assert.equal(readers('--workers', String(cores)), 1)
  assert.equal(readers(), 1)
  assert.equal(readers('--workers', '64'), 1)
})

function readDatabases(primary: string, replicas?: string): readonly string[] {
  const args = ['--database', primary, ...(replicas === undefined ? [] : ['--read-database', replicas])]
  return queryOptionsOf(parseConfig('serve', args, {}).config).reading.readDatabases
}
