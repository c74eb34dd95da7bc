/** Creates the logs: lines of JSON on standard error. Notices in sentences (`notify`) are not part of them. */
import { write, writeSync } from 'node:fs'
import pino, { type LoggerOptions } from 'pino'
import type { Config } from './settings/settings.ts'

export type Logs = ReturnType<typeof createLogs>

/** `worker` appears in each line; null for a single process. No line is lost when the process ends by itself. */
export function createLogs(
  config: Pick<Config, 'log-level'>,
  worker: number | null,
  destination = openLineStream(2),
) {
  const level = config['log-level']
  const options: LoggerOptions = {
    level,
    base: worker === null ? null : { worker },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  }
  /** For lines about requests, up to the configured level. */
  const requests = pino(options, destination)
  /** For the framework, without its info level, which would repeat the program's own notices. */
  const framework = requests.child({}, { level: level === 'info' ? 'warn' : level })
  return { requests, framework }
}

/**
 * Writes lines to a file descriptor without blocking the event loop, in a bounded amount of memory; buffered lines when
 * the process ends by itself, or by `process.exit`. The logger's own stream, sonic-boom 4.2.1, retries for ever at exit
 * when the disk is full or the reader has closed the pipe.
 */
export function openLineStream(descriptor: number) {
  /** Whole lines, joined up to `pipeAtomic` bytes. */
  const chunks: string[] = []
  let characters = 0
  let lost = 0
  let busy = false
  /** The part of a chunk that a full pipe refused. */
  let refused: Buffer | null = null

  const add = (line: string): void => {
    characters += line.length
    const joined = (chunks.at(-1) ?? '') + line
    if (chunks.length > 0 && Buffer.byteLength(joined) <= pipeAtomic) chunks[chunks.length - 1] = joined
    else chunks.push(line)
  }

  /** Empty when no lines are buffered. */
  const takeChunk = (): Buffer => {
    if (chunks.length === 0 && lost > 0) {
      add(describeLoss(lost))
      lost = 0
    }
    const chunk = chunks.shift() ?? ''
    characters -= chunk.length
    return Buffer.from(chunk)
  }

  const writeOn = (chunk: Buffer): void => {
    refused = null
    busy = chunk.length > 0
    if (!busy) return
    write(descriptor, chunk, (error, written) => {
      if (error?.code === 'EAGAIN') {
        refused = chunk
        setTimeout(writeOn, retryPause, chunk).unref()
      }
      // After another error, such as of a full disk or a closed pipe, the chunk is lost.
      else writeOn(error === null && written < chunk.length ? chunk.subarray(written) : takeChunk())
    })
  }

  process.on('exit', () => {
    let deadline = performance.now() + exitTimeout
    let chunk = refused ?? takeChunk()
    while (chunk.length > 0 && performance.now() < deadline) {
      try {
        chunk = chunk.subarray(writeSync(descriptor, chunk))
        if (chunk.length === 0) chunk = takeChunk()
        deadline = performance.now() + exitTimeout
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
        Atomics.wait(asleep, 0, 0, retryPause)
      }
    }
  })

  return {
    /** One or more lines, each with its line end. */
    write: (line: string): void => {
      if (characters > maxCharacters) {
        lost += 1
        return
      }
      add(line)
      if (busy) return
      busy = true
      // Batches the lines of one turn of the event loop.
      setImmediate(() => writeOn(takeChunk()))
    },
  }
}

/** A line in the logger's format. */
function describeLoss(lost: number): string {
  const time = new Date().toISOString()
  return `${JSON.stringify({ level: 'warn', time, lost, msg: 'Lines of the log were lost, because nobody read them.' })}\n`
}

/** PIPE_BUF of Linux: workers share a pipe, which writes up to this many bytes atomically. */
const pipeAtomic = 4_096
const maxCharacters = 8_000_000
/** Milliseconds; `exitTimeout` is for a reader that reads nothing while the process exits. */
const retryPause = 20
const exitTimeout = 2_000
const asleep = new Int32Array(new SharedArrayBuffer(4))
