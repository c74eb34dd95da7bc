import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run } from './postgres-layout.ts'
import { freshDatabase, postgresUrl } from './postgres.ts'

test('each database is empty and its own, and is gone once it is disposed of', async () => {
  const first = await freshDatabase()
  await run(first.url, 'create table note (text text)')
  await run(await postgresUrl(), 'create table note (text text)')
  await first[Symbol.asyncDispose]()
  await assert.rejects(run(first.url, 'select 1'), { code: '3D000' })
})
