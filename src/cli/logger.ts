/** Creates the logs: lines of JSON on standard error. Notices in sentences (`notify`) are not part of them. */
import pino, { type Logger, type LoggerOptions } from 'pino'
import { type LineStream, openLineStream } from './log-stream.ts'
import type { Config } from './settings/settings.ts'

export interface Logs {
  /** For lines about requests, up to the configured level. */
  readonly requests: Logger
  /** For the framework, without its info level, which would repeat the program's own notices. */
  readonly framework: Logger
}

/** `worker` appears in each line; null for a single process. No line is lost when the process ends by itself. */
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
