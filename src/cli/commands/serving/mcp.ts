/** `mcp`: the agents' server over a GraphQL service, on standard input and output or over HTTP. */
import { UsageError } from '../../../errors.ts'
import { once } from 'node:events'
import { createHttpEndpoint } from '../../../mcp/graphql/http-endpoint.ts'
import { createAgentHttp } from '../../../mcp/protocol/http.ts'
import { createAgentServers } from '../../../mcp/protocol/server.ts'
import { serveOnStdio } from '../../../mcp/protocol/stdio.ts'
import { buildGraphQLSchema } from '../../../schema/graphql/graphql.ts'
import { createAgentApp } from '../../../server/agents/agent-app.ts'
import { agentPath } from '../../../server/agents/agent-routes.ts'
import { listenAt, type ListenAddress } from '../../../server/http/listening.ts'
import { type CommandContext, CommandError, notify } from '../../command.ts'
import { lexiconDir, loadProject } from '../../store/project.ts'
import { agentParts } from '../../serve/explorer.ts'
import { isLoopback } from '../../../server/admission/limits/address.ts'
import { listenFailure } from '../../serve/listen.ts'
import { createLogs } from '../../log-stream.ts'
import { stopSignal } from '../../signals.ts'

export async function mcp({ config, root }: CommandContext): Promise<void> {
  const url = parseEndpoint(config.endpoint)
  assertKey(config['api-key'])
  const target = config.listen === null ? null : parseListenAddress(config.listen)
  const project = await loadProject(lexiconDir(config, root))
  const log = createLogs(config, null).framework
  const shared = await agentParts(project, root, config, log)
  const parts = { ...shared, schema: buildGraphQLSchema(project.model), website: null }
  const stop = stopSignal()
  if (target === null) {
    const endpoint = createHttpEndpoint({ url, apiKey: config['api-key'] })
    const servers = createAgentServers({ ...parts, endpoint })
    const onError = (error: Error): void => log.warn({ err: error }, 'A message could not be dealt with.')
    const streams = { input: process.stdin, output: process.stdout }
    await serveOnStdio(servers, streams, stop, onError)
    // A pipe that the other side keeps open would keep the process alive.
    process.stdin.destroy()
    return
  }
  const agent = createAgentHttp({ ...parts, isLocal: isLoopback(target.host) })
  const app = createAgentApp({
    agent,
    log,
    endpoint: ({ headers }) => {
      const own = headers['x-api-key']
      return createHttpEndpoint({ url, apiKey: own === undefined ? config['api-key'] : String(own) })
    },
  })
  const address = await listenAt(app, target).catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(listenFailure(cause, target.host, target.port, '--listen'), { cause })
  })
  const from = `${url.origin}${url.pathname}`
  notify(config, `The agents' server answers at ${address}${agentPath}, from ${from}.`)
  if (!stop.aborted) await once(stop, 'abort')
  await app.close()
}

function parseEndpoint(text: string): URL {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new UsageError(
      `--endpoint: ${JSON.stringify(text)} is not the address of a service; write one such as https://news.example/api/graphql.`,
    )
  if (url.username !== '' || url.password !== '')
    throw new UsageError('--endpoint takes no user and no password; a key is given with --api-key.')
  return url
}

/** A key that a header cannot carry would be revealed to callers of tools by the error of the request. */
function assertKey(key: string | null): void {
  if (key !== null && !/^[!-~]+$/.test(key))
    throw new UsageError('--api-key: this is not a key. A key has only letters, digits and _.')
}

function parseListenAddress(text: string): ListenAddress {
  const [, six, name, digits] = /^(?:\[([0-9a-f:]+)\]|([^:[\]/]+)):(\d{1,5})$/i.exec(text) ?? []
  const port = Number(digits)
  const host = six ?? name
  if (host === undefined || !(port <= 65_535))
    throw new UsageError(
      `--listen: ${JSON.stringify(text)} is not an address and port; write for example 127.0.0.1:4001 or [::1]:4001.`,
    )
  return { host, port }
}
