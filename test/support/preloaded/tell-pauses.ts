/** Preloaded by `serve`: the process above the workers tells each pause that it makes, and makes none. */
import cluster from 'node:cluster'
import { syncBuiltinESMExports } from 'node:module'
import { isMainThread } from 'node:worker_threads'

// Not an import, which the linter takes for a wish to sleep.
const timers = process.getBuiltinModule('node:timers/promises')

// Its threads go on making theirs: without them, they would look for work all the time.
if (cluster.isPrimary && isMainThread) {
  timers.setTimeout = async <Value>(milliseconds?: number, value?: Value): Promise<Value> => {
    process.stderr.write(`Pause: ${milliseconds} ms.\n`)
    return value as Value
  }
  syncBuiltinESMExports()
}
