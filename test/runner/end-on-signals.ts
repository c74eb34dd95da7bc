/** Ctrl-C, a request to end, or the end of the process that started this one: what runs at the exit cleans up. */
export function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  process.once('disconnect', () => process.exit(130))
  // Listening must not keep a process whose tests are done.
  process.channel?.unref()
}
