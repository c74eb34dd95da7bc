import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import type { FinishedPage } from '../../explorer/explorer.ts'
import { sendPage } from './send-page.ts'

test('the rest of a page follows what was sent before its data, which is not sent twice', async () => {
  for (const [start, body] of [
    ['<head><title>Storm</title>', '<head><title>Storm</title>the rest'],
    ['<title>It failed</title>', '<head>the rest'],
  ] as const) {
    const { promise, resolve } = Promise.withResolvers<FinishedPage>()
    const app = fastify()
    app.get('/', (request, reply) => sendPage({ start: '<head>', status: 200 }, promise, request, reply))
    const response = await fetch(await app.listen({ port: 0 }))
    resolve({ status: 200, media: 'text/html', name: null, start, rest: 'the rest' })
    assert.equal(await response.text(), body)
    await app.close()
  }
})
