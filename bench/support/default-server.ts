/** A server as operators start it, with all workers and default tiers, and keys without limits for its callers. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../bin/lexigraph.js', import.meta.url))

/** With the agents' server, and almost without logs. The caller kills it. */
export async function startDefaultServer(database: string, port: number): Promise<ChildProcess> {
  const args = [program, 'serve', '--mcp', '--database', database, '--port', String(port)]
  const quiet = ['--request-log', 'none', '--slow-query', '60000']
  const server = spawn(process.execPath, [...args, ...quiet], { stdio: ['ignore', 'ignore', 'pipe'] })
  await once(server.stderr, 'data')
  server.stderr.resume()
  return server
}

export function createKey(database: string, name: string): string {
  const args = ['keys', 'create', '--name', name, '--tier', 'unlimited', '--database', database]
  return execFileSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
}
