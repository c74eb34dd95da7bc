import { asSentence } from '../util/text/messages.ts'

/** Number of running operations that must finish even if the pipe is closed. */
let unfinished = 0

/** Runs work that must finish even if nobody reads its output any more. */
export async function finishDespiteClosedPipe<Result>(work: () => Promise<Result>): Promise<Result> {
  unfinished += 1
  try {
    return await work()
  } finally {
    unfinished -= 1
  }
}

/**
 * Ends the program when the reader of its output stops early, as `head` does; that is not a failure. Output that cannot
 * be written, such as on a full disk, is one; messages on standard error that cannot be written are lost.
 */
export function endOnLostOutput(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') {
        if (stream === process.stderr) return
        process.stderr.write(`The output was not written: ${asSentence(error.message)}${diskAdvice(error)}\n`)
        process.exitCode = 1
      }
      if (unfinished === 0) process.exit()
    })
}

/** A sentence for a full disk, told by the system or an engine, and for a damaged file of SQLite; otherwise empty. */
export function diskAdvice(error: unknown): string {
  const { code, errcode, cause } = error as { code?: string; errcode?: number; cause?: unknown }
  const primary = (errcode ?? 0) & 0xff
  const isFull = ['ENOSPC', 'EDQUOT', diskFull].includes(code ?? '') || primary === sqliteFull
  if (isFull) return ' Make room on the disk, and run the command again.'
  if (primary === sqliteCorrupt)
    return ' The file is damaged: restore a backup into a new file (docs/backups.md), or import the records again.'
  return typeof cause === 'object' && cause !== null ? diskAdvice(cause) : ''
}

/** disk_full of PostgreSQL, SQLITE_FULL and SQLITE_CORRUPT. */
const diskFull = '53100'
const sqliteFull = 13
const sqliteCorrupt = 11
