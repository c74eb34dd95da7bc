/**
 * How much memory V8 takes before it collects. For what was made just now it would be up to 128 MB, and all that answers
 * are made of waits there, bodies outside of the heap included: with 16 MB a request takes no more computing. What is
 * older would grow to several times its size.
 */
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Megabytes of one of its halves; it begins with 1. */
export const half = 8
const wanted = 2 * half * 1024 * 1024
/** Milliseconds until it is looked at again: V8 makes it smaller when there is little to do. */
const pause = 10_000

/**
 * Lets it grow to what is wanted and no further, whenever it is smaller than that. Its limit is read before any code
 * runs, but the factor it grows by each time.
 */
export function keepYoungGeneration(): Disposable {
  // What V8 made of it is known after each collection.
  const observer = new PerformanceObserver(() => {
    if (size() >= wanted) stop()
  })
  const stop = (): void => {
    hold()
    observer.disconnect()
  }
  const grow = (): void => {
    const now = size()
    if (now >= wanted) return stop()
    setGrowth(Math.ceil(wanted / now))
    observer.observe({ entryTypes: ['gc'] })
  }
  grow()
  const timer = setInterval(grow, pause).unref()
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer)
      stop()
    },
  }
}

/**
 * Has the old generation collected whenever it has grown by half, and not by several times: under load most of what
 * comes into it is garbage by then. One collection is some tens of milliseconds, less than once in a minute.
 */
export function boundOldGeneration(): void {
  setFlagsFromString('--heap-growing-percent=50')
}

function size(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? wanted
}

/** From now on it stays as it is. */
function hold(): void {
  setGrowth(1)
}

function setGrowth(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`)
}
