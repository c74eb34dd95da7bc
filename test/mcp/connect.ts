/** The official client, connected to the agents' server in a revision of the protocol. */
import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { programFile } from '../network/service.ts'

export const revisions = ['2025-11-25', '2026-07-28'] as const
export type Revision = (typeof revisions)[number]

/** Without a revision, the one that clients speak by themselves. */
export async function connect(
  transport: StreamableHTTPClientTransport | StdioClientTransport,
  revision: Revision = '2025-11-25',
): Promise<Client & AsyncDisposable> {
  const mode = revision === '2025-11-25' ? 'legacy' : ({ pin: revision } as const)
  const client = new Client({ name: 'lexigraph-tests', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  assert.equal(client.getNegotiatedProtocolVersion(), revision)
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}

/** `url` of the service, without the path of agents. */
export function overHttp(url: string, headers: Record<string, string> = {}): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } })
}

/** The program `mcp`, for the service at `url`. */
export function onStdio(url: string, ...more: readonly string[]): StdioClientTransport {
  const args = [programFile, 'mcp', '--endpoint', `${url}/api/graphql`, ...more]
  return new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' })
}

/** What a tool answered, as text. */
export async function textOf(
  client: Client,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<{ readonly text: string; readonly isError: boolean }> {
  const { content, isError = false, structuredContent } = await client.callTool({ name, arguments: args })
  assert.equal(structuredContent, undefined)
  const [block, ...others] = content
  const isText = block?.type === 'text' && others.every(({ type }) => type === 'resource_link')
  assert.ok(isText, JSON.stringify(content))
  return { text: block.text, isError }
}
