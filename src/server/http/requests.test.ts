import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { startServer } from '../../../test/support/server/http-server.ts'
import { createBodyReader, headProblem, prefersHtml, responseType } from './requests.ts'

const head = (httpVersion: string, ...lines: readonly (readonly [name: string, value: string])[]) =>
  headProblem({
    httpVersion,
    rawHeaders: lines.flat(),
    headers: Object.fromEntries(lines.map(([name, value]) => [name.toLowerCase(), value])),
  })?.code

test('a head of HTTP/1.1 has one Host, an older one may have none', () => {
  assert.equal(head('1.1', ['Host', 'x'], ['X-Host', 'y']), undefined)
  assert.equal(head('1.1', ['x-a', 'host']), 'BAD_REQUEST')
  assert.equal(head('1.1', ['Host', 'x'], ['HOST', 'x']), 'BAD_REQUEST')
  assert.equal(head('1.0'), undefined)
  assert.equal(head('1.0', ['host', 'x'], ['host', 'x']), 'BAD_REQUEST')
})

test('HTTP/0.9 is not spoken', () => {
  assert.equal(head('0.9'), 'BAD_REQUEST')
})

test('bodies may come in chunks, but not compressed too', () => {
  const coded = (coding: string) => head('1.1', ['host', 'x'], ['transfer-encoding', coding])
  assert.equal(coded('chunked'), undefined)
  assert.equal(coded('Chunked'), undefined)
  assert.equal(coded('gzip, chunked'), 'UNSUPPORTED_MEDIA_TYPE')
  assert.equal(coded('gzip,CHUNKED'), 'UNSUPPORTED_MEDIA_TYPE')
})

test('what comes after the first 2,000 characters of Accept is not read', () => {
  const modern = 'application/graphql-response+json'
  const types = (count: number): string => `${'a/b,'.repeat(count)}${modern}`
  assert.equal(responseType(types(400)), modern)
  assert.equal(responseType(types(500)), 'application/json')
})

test('whoever likes pages as much as answers gets pages', () => {
  assert.equal(prefersHtml('text/html, application/graphql-response+json'), true)
  assert.equal(prefersHtml('text/html;q=0.9, application/graphql-response+json'), false)
})

const question = '{"query":"{ hello }"}'
const postHead =
  'POST /api/graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nconnection: close\r\n'

test('a body in chunks for each byte is read, and one of thousands of them is not', async () => {
  await using server = await startServer()
  const partialChunks = (body: string): string => [...body].map((byte) => `1\r\n${byte}\r\n`).join('')
  const send = (body: string) =>
    server.raw(`${postHead}transfer-encoding: chunked\r\n\r\n${partialChunks(body)}0\r\n\r\n`)
  assert.match(await send(question), /^HTTP\/1\.1 200 /)
  const refused = await send(`${question}${' '.repeat(2_000)}`)
  assert.match(refused, /^HTTP\/1\.1 400 [^]+too many small pieces/)
})

test('who sends too much is told so after the last byte, unless there is no end of it', async () => {
  await using server = await startServer({ maxBodyBytes: 1_000 })
  const bytes = 10_000_000
  const tooLarge = await server.raw(`${postHead}content-length: ${bytes}\r\n\r\n${' '.repeat(bytes)}`)
  assert.match(tooLarge, /^HTTP\/1\.1 413 [^]+PAYLOAD_TOO_LARGE/)
  const endless = await server.raw(`${postHead}content-length: 1000000000000\r\n\r\n${question}`)
  assert.match(endless, /^HTTP\/1\.1 413 [^]+PAYLOAD_TOO_LARGE/)
})

test('a body that comes in one piece of memory of its own is not copied', async () => {
  const text = '{"query":"{ hello }"}'
  const whole = Buffer.from(new TextEncoder().encode(text).buffer)
  const view = Buffer.concat([Buffer.from(text), Buffer.alloc(1_000)]).subarray(0, text.length)
  assert.ok((await readBody(whole)) === whole)
  const copied = await readBody(view)
  assert.deepEqual(copied, view)
  assert.ok(copied !== view)
  assert.equal(String(await readBody(whole.subarray(0, 5), whole.subarray(5))), text)
})

/** What is made of a body that arrives in these pieces. */
function readBody(...pieces: readonly Buffer[]): Promise<Buffer> {
  const message = new IncomingMessage(new Socket())
  const body = new Promise<Buffer>((resolve, reject) => {
    createBodyReader(1_000)({ headers: {} } as FastifyRequest, message, (error, body) =>
      error === null && body !== undefined ? resolve(body) : reject(error),
    )
  })
  for (const piece of pieces) message.push(piece)
  message.push(null)
  return body
}
