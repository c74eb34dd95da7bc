import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import type { FinishedPage } from '../../explorer/explorer.ts'
import { failedTags, sendPage } from './send-page.ts'

test('the rest of a page follows what was sent before its data, which is not sent twice', async () => {
  for (const [start, body] of [
    ['<head><title>Storm</title>', '<head><title>Storm</title>the rest'],
    ['<title>It failed</title>', '<head>the rest'],
  ] as const) {
    const { promise, resolve } = Promise.withResolvers<FinishedPage>()
    const app = fastify()
    app.get('/', (request, reply) => sendPage({ start: '<head>', status: 200 }, promise, request, reply))
    const response = await fetch(await app.listen({ port: 0 }))
    resolve({ status: 200, media: 'text/html', name: null, start, rest: 'the rest', retryAfter: null })
    assert.equal(await response.text(), body)
    await app.close()
  }
})

test('the tag of a page that fails after its start was sent is not taken for that of a page', async () => {
  for (const [status, retryAfter, isFailed] of [
    [200, null, false],
    [200, 7, true],
    [429, 7, true],
    // The same page, when it succeeds later.
    [200, null, false],
  ] as const) {
    const tag = 'W/"page"'
    const { promise, resolve } = Promise.withResolvers<FinishedPage>()
    const app = fastify()
    app.get('/', (request, reply) => {
      reply.header('etag', tag)
      return sendPage({ start: '<head>', status: 200 }, promise, request, reply)
    })
    const response = await fetch(await app.listen({ port: 0 }))
    assert.equal(response.headers.get('etag'), tag)
    resolve({ status, media: 'text/html', name: null, start: '<head>', rest: 'the rest', retryAfter })
    await response.text()
    assert.equal(failedTags.has(tag), isFailed, tag)
    await app.close()
  }
})

test('of too many tags of failed pages the oldest is forgotten', () => {
  failedTags.clear()
  const tags = Array.from({ length: 1_001 }, (_, at) => `"${at}"`)
  for (const tag of tags) failedTags.set(tag, true)
  assert.deepEqual([...failedTags.rkeys()], tags.slice(1))
})
