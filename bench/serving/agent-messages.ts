/**
 * CPU of the service for messages of agents that ask nothing of the database, in microseconds: handshakes, lists, and
 * calls that are refused for lack of points. Each is sent one at a time over one connection, in rounds of all kinds in
 * turn; the least of the rounds counts, so that other work on the machine and compiling do not.
 * Usage: node bench/serving/agent-messages.ts DATABASE [program=bin/lexigraph.js] [messages=300] [rounds=5]
 * `program`: of another checkout, to compare. Reads /proc.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sumOfFamily } from '../../test/support/processes.ts'
import { mainThreadCpuOf } from '../support/cpu-time.ts'
import { ask, type Sent } from '../support/fixed-rate.ts'

const own = fileURLToPath(new URL('../../bin/lexigraph.js', import.meta.url))
const [database = '', program = own, messages = '300', rounds = '5'] = process.argv.slice(2)
const port = 4692
const clientInfo = { name: 'bench', version: '1' }
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
}
const older = (method: string, params: object = {}): Sent => sent({ method, params })
const newer = (method: string): Sent =>
  sent({ method, params: { _meta } }, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method })

const kinds: Readonly<Record<string, Sent>> = {
  initialize: older('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }),
  'ping, 2025-11-25': older('ping'),
  'tools/list, 2025-11-25': older('tools/list'),
  'server/discover': newer('server/discover'),
  'tools/list, 2026-07-28': newer('tools/list'),
}

function sent(message: object, headers: Readonly<Record<string, string>> = {}): Sent {
  const accept = 'application/json, text/event-stream'
  return {
    path: '/mcp',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    headers: { accept, ...headers },
  }
}

const tiers = join(tmpdir(), `lexigraph-bench-tiers-${process.pid}.json`)
writeFileSync(tiers, JSON.stringify({ public: { pointsPerMinute: 1_000_000_000 } }))
const args = [
  'serve',
  '--mcp',
  '--database',
  database,
  '--port',
  String(port),
  '--workers',
  '1',
  '--tiers',
  tiers,
]
const server = spawn(process.execPath, [program, ...args, '--request-log', 'none'], {
  stdio: ['ignore', 'ignore', 'pipe'],
})
await once(server.stderr, 'data')
server.stderr.resume()
/** Milliseconds of all processes of the server. */
const cpu = (): number => sumOfFamily(server.pid ?? 0, mainThreadCpuOf)
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
try {
  const least = new Map<string, number>()
  for (let round = 0; round <= Number(rounds); round += 1)
    for (const [name, message] of Object.entries(kinds)) {
      const before = cpu()
      for (let count = 0; count < Number(messages); count += 1) await ask(port, message, { agent })
      const each = ((cpu() - before) / Number(messages)) * 1_000
      if (round > 0) least.set(name, Math.min(least.get(name) ?? Number.POSITIVE_INFINITY, each))
    }
  for (const [name, microseconds] of least)
    console.log(`${name.padEnd(28)} ${microseconds.toFixed(0).padStart(6)}`)
} finally {
  agent.destroy()
  server.kill()
  await once(server, 'exit')
}
