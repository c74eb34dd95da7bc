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

/** Ends the program when the reader of its output stops early, as `head` does; that is not a failure. */
export function endQuietlyOnClosedPipe(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (unfinished === 0) process.exit(process.exitCode ?? 0)
  })
}
