import assert from 'node:assert/strict'
import { test } from 'node:test'
import { versions } from './binaries.ts'
import { startCluster } from './cluster.ts'
import { run } from '../support/store/postgres-layout.ts'
import { freshDatabase, postgresUrl } from '../support/store/postgres.ts'

for (const version of versions)
  test(`PostgreSQL ${version} is set up unlike SQLite: it sorts by the rules of a language`, async () => {
    await using cluster = await startCluster({ version, settings: { work_mem: '5MB' } })
    const [row] = await cluster.query(
      `select current_setting('server_version') as version, current_setting('work_mem') as memory,
         'a' < 'B' as language, '語' ~ '\\w' as letters`,
    )
    const { version: found, ...rest } = row ?? {}
    assert.equal(Number.parseInt(String(found), 10), version)
    assert.deepEqual(rest, { memory: '5MB', language: true, letters: true })
  })

test('each database is empty and its own, and is gone once it is disposed of', async () => {
  const first = await freshDatabase()
  await run(first.url, 'create table note (text text)')
  await run(await postgresUrl(), 'create table note (text text)')
  await first[Symbol.asyncDispose]()
  await assert.rejects(run(first.url, 'select 1'), { code: '3D000' })
})
