import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../../../test/support/http-server.ts'

const question = '{"query":"{ hello }"}'
const head =
  'POST /api/graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nconnection: close\r\n'

test('a body in chunks for each byte is read, and one of thousands of them is not', async () => {
  await using server = await startServer()
  const partialChunks = (body: string): string => [...body].map((byte) => `1\r\n${byte}\r\n`).join('')
  const send = (body: string) =>
    server.raw(`${head}transfer-encoding: chunked\r\n\r\n${partialChunks(body)}0\r\n\r\n`)
  assert.match(await send(question), /^HTTP\/1\.1 200 /)
  const refused = await send(`${question}${' '.repeat(2_000)}`)
  assert.match(refused, /^HTTP\/1\.1 400 [^]+too many small pieces/)
})

test('who sends too much is told so after the last byte, unless there is no end of it', async () => {
  await using server = await startServer({ maxBodyBytes: 1_000 })
  const bytes = 10_000_000
  const tooLarge = await server.raw(`${head}content-length: ${bytes}\r\n\r\n${' '.repeat(bytes)}`)
  assert.match(tooLarge, /^HTTP\/1\.1 413 [^]+PAYLOAD_TOO_LARGE/)
  const endless = await server.raw(`${head}content-length: 1000000000000\r\n\r\n${question}`)
  assert.match(endless, /^HTTP\/1\.1 413 [^]+PAYLOAD_TOO_LARGE/)
})
