import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { startServer } from '../../../test/support/server/http-server.ts'
import { createStandInEngine } from '../../../test/support/service/stand-in-engine.ts'

test('the server loads no compiler of JSON Schema', () => {
  const program = `
    import { createRequire } from 'node:module'
    import { startServer } from ${JSON.stringify(new URL('../../../test/support/server/http-server.ts', import.meta.url).href)}
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

test('nothing but Node listens to an answer that is on its way', async () => {
  const { execute } = createStandInEngine()
  let response: ServerResponse | undefined
  const listeners: number[] = []
  const engine: { execute: typeof execute } = {
    execute: (...question) => {
      for (const event of ['finish', 'error']) listeners.push(response?.listenerCount(event) ?? -1)
      return execute(...question)
    },
  }
  const note = (message: unknown): void => {
    response = (message as { response: ServerResponse }).response
  }
  subscribe('http.server.request.start', note)
  await using server = await startServer({ engine })
  await server.post({ query: '{ hello }' })
  unsubscribe('http.server.request.start', note)
  assert.deepEqual(listeners, [1, 0])
})
