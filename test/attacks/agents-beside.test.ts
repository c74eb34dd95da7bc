/** The attacks on agents' servers, on one that runs beside its service: `lexigraph mcp --listen`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProgram } from '../network/service.ts'
import { agentAttacks } from './requests/agents.ts'
import { host } from './attack.ts'
import type { Bytes } from './exchange.ts'
import { errorLine, launch, leaksOf, piecesOf } from './launch.ts'
import { openWorld } from './world.ts'

test('attacks on an agents’ server beside its service: the same outcome, and the operator sees no error', async () => {
  await using world = await openWorld()
  const service = await world.target('roomy')
  const endpoint = `${service.url}/api/graphql`
  await using server = startProgram(['mcp', '--listen', '127.0.0.1:0', '--endpoint', endpoint])
  const [, port] = await server.said(/answers at http:\/\/127\.0\.0\.1:(\d+)/)
  for (const attack of agentAttacks) {
    // A server for this machine alone answers to its names alone.
    const send = piecesOf(attack.send, world.given).map(toLocalhost)
    const { answers, sent } = await launch(Number(port), { ...attack, send }, world.given)
    const statuses = answers.map(({ status }) => status)
    assert.deepEqual(statuses, [attack.status], attack.name)
    for (const { body, status } of answers)
      if (status >= 400) assert.deepEqual(leaksOf(body, sent), [], attack.name)
    assert.doesNotMatch(server.stderr(), errorLine, attack.name)
  }
  await server.stop()
})

function toLocalhost(piece: Bytes): Bytes {
  const bytes = Buffer.from(piece as Uint8Array)
  return Buffer.from(bytes.toString('latin1').replace(`\r\n${host}\r\n`, '\r\nhost: localhost\r\n'), 'latin1')
}
