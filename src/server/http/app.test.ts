import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

test('the server loads no compiler of JSON Schema', () => {
  const program = `
    import { createRequire } from 'node:module'
    import { startServer } from ${JSON.stringify(new URL('../../../test/support/http-server.ts', import.meta.url).href)}
    await using server = await startServer()
    const { status } = await server.post({ query: '{ hello }' })
    console.log(status, Object.keys(createRequire(import.meta.url).cache).join(' '))`
  // A process of its own: other tests load such compilers.
  const [status, ...loaded] = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  }).split(' ')
  assert.equal(status, '200')
  assert.ok(loaded.some((path) => path.includes('/fastify/')))
  assert.deepEqual(
    loaded.filter((path) => path.includes('/ajv/')),
    [],
  )
})
