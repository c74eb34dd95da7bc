/** Stopping on a signal, and at once on a second one. */

export const stopping = 'Stopping: requests in flight are answered first; a second signal ends at once.'

let common: AbortSignal | undefined

/**
 * Aborted by the first signal to stop; another one ends the process, whatever is under way. It is the same whenever
 * it is asked for, so that a service that loads other lexicons misses no signal that comes between.
 */
export function stopSignal(): AbortSignal {
  return (common ??= listenForSignals())
}

function listenForSignals(): AbortSignal {
  const stop = new AbortController()
  let first: { signal: string; at: number } | undefined
  const onSignal = (signal: string, status: number): void => {
    // A terminal and the npm that runs us may both pass on one Ctrl+C.
    const echo = first?.signal === signal && performance.now() - first.at < 500
    if (first !== undefined && !echo) process.exit(status)
    first ??= { signal, at: performance.now() }
    stop.abort()
  }
  process.on('SIGTERM', () => onSignal('SIGTERM', 143))
  process.on('SIGINT', () => onSignal('SIGINT', 130))
  return stop.signal
}
