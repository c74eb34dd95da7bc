/** The agents' server on standard input and output, for use by the parent process. */
import type { Readable, Writable } from 'node:stream'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { MessageLines } from './message-lines.ts'
import type { AgentServers } from './server.ts'

/**
 * Serves until `input` ends or `stop` is aborted. Nothing else may write to `output` in the meantime.
 * `onError` receives errors about messages that the SDK does not answer.
 */
export async function serveOnStdio(
  servers: AgentServers,
  { input, output }: { readonly input: Readable; readonly output: Writable },
  stop: AbortSignal,
  onError: (error: Error) => void,
): Promise<void> {
  const ended = Promise.withResolvers<void>()
  const messages = new MessageLines(output)
  messages.once('close', ended.resolve)
  messages.once('end', ended.resolve)
  stop.addEventListener('abort', () => ended.resolve(), { once: true })
  input.once('close', () => messages.end())
  const transport = new StdioServerTransport(messages, output)
  const connection = serveStdio(() => servers(), { transport, onerror: onError })
  input.pipe(messages)
  await ended.promise
  await connection.close()
}
