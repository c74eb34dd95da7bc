/**
 * Writes lines to a file descriptor beside the work: whoever reads them slowly, or not at all, holds nobody up and
 * fills no memory. The logger's own stream would do all of this but end: at a full disk, or when the reader has gone,
 * it tries again for ever at the exit of the process.
 */
import { write, writeSync } from 'node:fs'

export interface LineStream {
  /** One line with its end, or several. */
  write(line: string): void
}

/** Whatever waits is written when the process ends by itself, or by `process.exit`. */
export function openLineStream(descriptor: number): LineStream {
  const waiting: string[] = []
  let length = 0
  let lost = 0
  let busy = false
  /** What a full pipe did not take. */
  let refused: Buffer | null = null

  const add = (line: string): void => {
    waiting.push(line)
    length += line.length
  }

  /** As many whole lines as stay together, one at least; more when that alone would not keep up. */
  const takeChunk = (): string => {
    const most = length > farBehind ? large : pipeAtomic
    let chunk = waiting[0] ?? ''
    let bytes = Buffer.byteLength(chunk)
    let count = 1
    for (; count < waiting.length; count += 1) {
      const line = waiting[count] ?? ''
      bytes += Buffer.byteLength(line)
      if (bytes > most) break
      chunk += line
    }
    waiting.splice(0, count)
    length -= chunk.length
    return chunk
  }

  const tellLoss = (): void => {
    if (lost > 0) add(describeLoss(lost))
    lost = 0
  }

  const writeOn = (): void => {
    if (waiting.length === 0) tellLoss()
    busy = waiting.length > 0
    if (busy) writeAll(Buffer.from(takeChunk()))
  }

  const writeAll = (rest: Buffer): void => {
    refused = null
    write(descriptor, rest, (error, written) => {
      if (error?.code === 'EAGAIN') {
        refused = rest
        // The process may end meanwhile.
        setTimeout(writeAll, fullPipePause, rest).unref()
      }
      // A full disk, or a reader that has gone: the line is lost, and the service goes on.
      else if (error !== null || written === rest.length) writeOn()
      else writeAll(rest.subarray(written))
    })
  }

  const writeLast = (): void => {
    const last = performance.now() + longestEnd
    let end = performance.now() + lastPatience
    tellLoss()
    while (refused !== null || waiting.length > 0) {
      let rest = refused ?? Buffer.from(takeChunk())
      refused = null
      while (rest.length > 0) {
        try {
          rest = rest.subarray(writeSync(descriptor, rest))
          end = Math.min(last, performance.now() + lastPatience)
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > end) return
          Atomics.wait(asleep, 0, 0, fullPipePause)
        }
      }
    }
  }
  process.on('exit', writeLast)

  return {
    write(line) {
      if (length > mostWaiting) {
        lost += 1
        return
      }
      add(line)
      if (busy) return
      busy = true
      // All that is said in this turn of the event loop goes out together.
      setImmediate(writeOn)
    },
  }
}

/** Like the lines around it. */
function describeLoss(lost: number): string {
  const time = new Date().toISOString()
  return `${JSON.stringify({ level: 'warn', time, lost, msg: 'Lines of the log were lost, because nobody read them.' })}\n`
}

/** PIPE_BUF of Linux: bytes that no other writer of a pipe comes between. Workers share one. */
const pipeAtomic = 4_096
/** Characters that wait while lines are kept whole, and the bytes of a piece beyond that. */
const farBehind = 1_000_000
const large = 32_768
/** Characters that wait at most; what comes then is lost. */
const mostWaiting = 8_000_000
/** Milliseconds; the last two at the end, with whoever reads nothing, and altogether. */
const fullPipePause = 20
const lastPatience = 2_000
const longestEnd = 20_000
const asleep = new Int32Array(new SharedArrayBuffer(4))
