import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { createBodyReader, headProblem, prefersHtml, responseType } from './requests.ts'

// The table of attacks sends other heads to the real program.
test('a head of HTTP/1.0 may have no Host, but not two', () => {
  const problem = (...rawHeaders: string[]) =>
    headProblem({ httpVersion: '1.0', rawHeaders, headers: {} })?.code
  assert.equal(problem('x-a', 'host'), undefined)
  assert.equal(problem('host', 'x', 'HOST', 'x'), 'BAD_REQUEST')
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
