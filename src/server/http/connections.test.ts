import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { InFlightLimit } from './connections.ts'

const mebibyte = 1024 * 1024

test('large answers have room up to a bound for each caller and one for all, until they have been taken', async (t) => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const inFlight = new InFlightLimit(60_000)
  const reserve = async (megabytes: number, caller: string): Promise<ServerResponse> => {
    const asked = request({ port, host: '127.0.0.1' })
    asked.on('error', () => undefined)
    asked.on('response', (answer) => answer.resume())
    asked.end()
    const [, response] = (await once(server, 'request')) as [unknown, ServerResponse]
    inFlight.reserve(megabytes * mebibyte, response, caller)
    return response
  }
  const isFull = { code: 'UNAVAILABLE', details: { retryAfter: 5 } }

  const first = await reserve(60, 'a')
  await assert.rejects(reserve(8, 'a'), isFull)
  for (const caller of ['b', 'c', 'd']) await reserve(64, caller)
  await reserve(4, 'e')
  await assert.rejects(reserve(8, 'f'), isFull)
  first.end('taken')
  await once(first, 'close')
  await reserve(8, 'f')
  await reserve(50, 'a')
})
