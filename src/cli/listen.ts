/** Runs a server until it is told to stop; requests in flight are answered first. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createApp } from '../server/app.ts'
import { CommandError, notify } from './command.ts'
import { exampleQuery } from './example-query.ts'
import { createReadiness } from './readiness.ts'
import type { ReadService } from './service.ts'
import { stopSignal } from './signals.ts'
import type { Config } from './settings.ts'

/** What a server answers from. */
type Served = Pick<ReadService, 'engine' | 'model' | 'database'>

/** One that answers already. */
export interface RunningServer {
  /** Such as `http://127.0.0.1:4000`. */
  readonly address: string
  /** Resolves when the requests in flight are answered. */
  readonly close: () => Promise<void>
}

/** Resolves after the server has stopped, by a signal or by `end`. `onListening` gets its address. */
export async function listen(
  served: Served,
  config: Config,
  onListening: (address: string) => Promise<void>,
  end?: AbortSignal,
): Promise<void> {
  const server = await startServer(served, config)
  const stop = AbortSignal.any([stopSignal(), ...(end === undefined ? [] : [end])])
  await onListening(server.address)
  if (!stop.aborted) await once(stop, 'abort')
  notify(config, stopping)
  await server.close()
}

export const stopping = 'Stopping: requests in flight are answered first; a second signal ends at once.'

/** Fails with a sentence when it cannot listen. */
export async function startServer(
  { engine, model, database }: Served,
  config: Config,
): Promise<RunningServer> {
  const app = createApp({
    engine,
    readStatus: createReadiness(database.read),
    logger: loggerOf(config),
    exampleQuery: exampleQuery(model),
  })
  const { host, port } = config
  try {
    await app.listen({ host, port })
  } catch (cause) {
    throw new CommandError(listenFailure(cause as NodeJS.ErrnoException, host, port), { cause })
  }
  const { address, family, port: actual } = app.server.address() as AddressInfo
  const name = family === 'IPv6' ? `[${address}]` : address
  return { address: `http://${name}:${actual}`, close: () => app.close() }
}

/** The log goes where all else goes that is no result; its info level would repeat what we say ourselves. */
function loggerOf(config: Config): false | { level: string; stream: NodeJS.WritableStream } {
  const level = config['log-level']
  return level === 'silent' ? false : { level: level === 'info' ? 'warn' : level, stream: process.stderr }
}

function listenFailure({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is in use; choose another with --port.`
    case 'EACCES':
      return `Port ${port} needs more rights than this user has; choose one from 1024 with --port.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is no address of this machine; --host takes one, such as 127.0.0.1 or 0.0.0.0.`
    default:
      return `The server cannot listen on port ${port} of ${host}: ${message}.`
  }
}
