import assert from 'node:assert/strict'
import { test } from 'node:test'
import { versions } from './binaries.ts'
import { startCluster } from './cluster.ts'

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
