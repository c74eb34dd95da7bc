/** The log: lines of JSON on standard error. What the program says of itself in sentences is no part of it. */
import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino'
import type { Config } from './settings.ts'

export interface Logs {
  /** For lines about requests, up to the level that is set. */
  readonly requests: Logger
  /** For the framework, whose info level would repeat what the program says itself. */
  readonly framework: Logger
}

/** `worker` is shown in each line; null where one process does all. Nothing is lost when the process ends by itself. */
export function createLogs(
  config: Pick<Config, 'log-level'>,
  worker: number | null,
  destination: DestinationStream = openStandardError(),
): Logs {
  const level = config['log-level']
  const options: LoggerOptions = {
    level,
    base: worker === null ? null : { worker },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  }
  const requests = pino(options, destination)
  return { requests, framework: requests.child({}, { level: level === 'info' ? 'warn' : level }) }
}

/**
 * Lines are written beside the work: whoever reads them slowly, or not at all, holds no request up. Workers write into
 * the same pipe, where only so many bytes at once stay together.
 */
function openStandardError(): DestinationStream {
  const stream = pino.destination({ dest: 2, sync: false, maxWrite: pipeAtomic, maxLength: waitingBytes })
  // A full disk or a reader that has gone must not end the service.
  stream.on('error', () => {})
  return stream
}

/** PIPE_BUF of Linux. */
const pipeAtomic = 4_096
/** More lines than this wait for nobody. */
const waitingBytes = 8_388_608
