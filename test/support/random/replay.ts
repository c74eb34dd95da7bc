/** Runs work that is drawn from a seed; a failure says how to replay it. */
export async function replayable(seed: number, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    // An error of its own, because the runner prints what an error was made with.
    throw new Error(`Replay with TEST_SEED=${seed}.`, { cause })
  }
}
