/**
 * Sends a file to a caller. While the caller does not read, nothing is read from the database; a caller that makes no
 * progress is disconnected, because the file holds a snapshot.
 */
import type { ServerResponse } from 'node:http'
import { releaseBuffer } from '../../util/memory.ts'
import type { OpenedFile } from '../../query/execute/execute.ts'

/** The caller does not read. */
export const stalled = new Error('The caller does not read.')

/** `stall`: milliseconds in which a caller must take a piece. Returns the bytes that were sent; fails if it is cut. */
export async function transfer(
  { bytes, signal }: Pick<OpenedFile, 'bytes' | 'signal'>,
  response: ServerResponse,
  stall: number,
): Promise<number> {
  let sent = 0
  for await (const piece of bytes) {
    signal.throwIfAborted()
    sent += piece.length
    const isOwn = piece.length === piece.buffer.byteLength
    const isRoomy = response.write(piece, () => isOwn && setImmediate(releaseBuffer, piece))
    if (!isRoomy) await drained(response, stall, signal)
  }
  return sent
}

function drained(response: ServerResponse, stall: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (failure: unknown): void => {
      clearTimeout(timer)
      response.off('drain', onDrain)
      signal.removeEventListener('abort', onAbort)
      if (failure === null) resolve()
      else reject(failure)
    }
    const onDrain = (): void => settle(null)
    const onAbort = (): void => settle(signal.reason)
    const timer = setTimeout(() => settle(stalled), stall)
    response.on('drain', onDrain)
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
  })
}
