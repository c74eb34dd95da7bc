import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { until } from '../support/until.ts'
import { versions } from './binaries.ts'
import { startCluster } from './cluster.ts'

for (const version of versions) {
  test(`PostgreSQL ${version} starts and says so`, async () => {
    await using cluster = await startCluster({ version, settings: { work_mem: '5MB' } })
    const [row] = await cluster.query(`select version(), current_setting('work_mem') as memory`)
    assert.match(String(row?.['version']), new RegExp(`^PostgreSQL ${version}\\.`))
    assert.equal(row?.['memory'], '5MB')
  })

  test(`a standby of PostgreSQL ${version} follows, and takes writes when its primary is lost`, async () => {
    await using primary = await startCluster({ version })
    await primary.query('create table note (text text)')
    await primary.query(`insert into note values ('before')`)
    await using standby = await primary.standby()
    await primary.query(`insert into note values ('after')`)
    await until(async () => (await standby.query('select from note')).length === 2)
    await assert.rejects(standby.query(`insert into note values ('too soon')`), { code: '25006' })
    await primary.kill()
    await assert.rejects(primary.query('select 1'), { code: 'ECONNREFUSED' })
    await standby.promote()
    await standby.query(`insert into note values ('promoted')`)
    assert.equal((await standby.query('select from note')).length, 3)
  })
}

test('a server that was killed keeps what was committed', async () => {
  await using cluster = await startCluster()
  await cluster.query('create table note (text text)')
  await cluster.query(`insert into note select 'kept' from generate_series(1, 1000)`)
  await cluster.kill()
  await cluster.start()
  assert.equal((await cluster.query('select from note')).length, 1000)
  await cluster.restart()
  assert.equal((await cluster.query('select from note')).length, 1000)
})

test('a role with a password is let in by nothing else', async () => {
  await using cluster = await startCluster()
  const url = await cluster.addRole('reader', 'open & shut')
  const client = new pg.Client(url)
  await client.connect()
  await client.end()
  const stranger = new pg.Client(url.replace('shut', 'closed'))
  await assert.rejects(stranger.connect(), { code: '28P01' })
})

test('it sorts by the rules of a language, unlike SQLite, and knows the letters of all scripts', async () => {
  await using cluster = await startCluster()
  const [row] = await cluster.query(`select 'a' < 'B' as language, '語' ~ '\\w' as letters`)
  assert.deepEqual(row, { language: true, letters: true })
})
