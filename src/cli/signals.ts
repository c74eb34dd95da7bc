/** Graceful stop on the first signal, immediate exit on the second. */

export const stopping = 'Stopping: requests in flight are answered first; a second signal ends at once.'

let common: AbortSignal | undefined

/**
 * Aborted by the first signal to stop; a second one ends the process immediately. All calls share one listener, so that
 * a service that reloads its lexicons misses no signal.
 */
export function stopSignal(): AbortSignal {
  return (common ??= listenForSignals())
}

function listenForSignals(): AbortSignal {
  const stop = new AbortController()
  let first: { signal: string; at: number } | undefined
  const onSignal = (signal: string, status: number): void => {
    // A terminal and the npm that runs this process may both forward one Ctrl+C.
    const echo = first?.signal === signal && performance.now() - first.at < 500
    if (first !== undefined && !echo) process.exit(status)
    first ??= { signal, at: performance.now() }
    stop.abort()
  }
  process.on('SIGTERM', () => onSignal('SIGTERM', 143))
  process.on('SIGINT', () => onSignal('SIGINT', 130))
  return stop.signal
}
