/** How much is under way that has to be finished all the same. */
let unfinished = 0

/** Work whose effect is wanted, although nobody may be reading what is said of it. */
export async function finishDespiteClosedPipe<Result>(work: () => Promise<Result>): Promise<Result> {
  unfinished += 1
  try {
    return await work()
  } finally {
    unfinished -= 1
  }
}

/** The reader of our output may stop before its end, as `head` does; that is no failure. */
export function endQuietlyOnClosedPipe(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (unfinished === 0) process.exit(process.exitCode ?? 0)
  })
}
