import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { startServer } from '../../test/support/http-server.ts'

test('the server loads no compiler of JSON Schema', async () => {
  await using server = await startServer()
  assert.equal((await server.post({ query: '{ hello }' })).status, 200)
  const loaded = Object.keys(createRequire(import.meta.url).cache)
  assert.ok(loaded.some((path) => path.includes('/fastify/')))
  assert.deepEqual(
    loaded.filter((path) => path.includes('/ajv/')),
    [],
  )
})
