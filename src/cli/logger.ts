/** The log: lines of JSON on standard error. What the program says of itself in sentences is no part of it. */
import pino, { type Logger, type LoggerOptions } from 'pino'
import { type LineStream, openLineStream } from './log-stream.ts'
import type { Config } from './settings/settings.ts'

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
  destination: LineStream = openLineStream(2),
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
