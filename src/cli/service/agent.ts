/** The parts of the agents' server that `serve --mcp` and `mcp` share. */
import { isIP } from 'node:net'
import type { AgentGiven } from '../../mcp/protocol/server.ts'
import type { ProjectContext } from '../store/project.ts'
import { readVersion } from '../command.ts'

export function agentParts(
  { model, lexicons, schema }: Pick<ProjectContext, 'model' | 'lexicons'> & Pick<AgentGiven, 'schema'>,
  root: URL,
): Pick<AgentGiven, 'model' | 'lexicons' | 'schema' | 'now' | 'version'> {
  return { model, lexicons, schema, now: () => new Date(), version: readVersion(root) }
}

/** Whether only this host can reach a server that listens there. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
