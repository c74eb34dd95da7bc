/** The agents' server on standard input and output, for use by the parent process. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { AgentServers } from './server.ts'

/**
 * Serves until standard input ends or `stop` is aborted. Nothing else may write to standard output in the meantime.
 * `onError` receives errors about unreadable messages.
 */
export async function serveOnStdio(
  servers: AgentServers,
  input: NodeJS.ReadStream,
  stop: AbortSignal,
  onError: (error: Error) => void,
): Promise<void> {
  const ended = Promise.withResolvers<void>()
  input.once('close', ended.resolve)
  input.once('end', ended.resolve)
  stop.addEventListener('abort', () => ended.resolve(), { once: true })
  const connection = serveStdio(() => servers(), { onerror: onError })
  await ended.promise
  await connection.close()
}
