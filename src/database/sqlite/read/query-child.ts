/**
 * The main module of a query worker, which runs long statements one at a time. SQLite cannot be told to stop a
 * statement, so the parent process kills the worker instead. The worker only reads, so killing it damages nothing.
 */
import { flushCompileCache } from 'node:module'
import { Worker } from 'node:worker_threads'
import { connect } from '../connection.ts'
import { failureOf } from '../failures.ts'
import { assertSameFile } from '../open-file.ts'
import type { FromReader, NamedFile, Question, Reply, ToReader } from './query-worker.ts'
import { createQueries, type Queries } from './query-connection.ts'

/** MiB of pages; the file itself is memory-mapped and shared by all processes. */
const cacheSize = 16
/** Bytes of answers that may await garbage collection. */
const mostGarbage = 4 * 1024 * 1024
/** In a thread, because statements block the main one. The pipe has no data, and ends with the parent process. */
const watch = `require('node:fs').readSync(0, Buffer.alloc(1)); process.kill(process.pid, 'SIGKILL')`

let file: NamedFile = { path: '', identity: null }
let queries: Queries | null = null
let watcher: Worker | null = null

process.on('message', (message: ToReader) => {
  if ('method' in message) return send(replyTo(message))
  file = message
  try {
    open()
  } catch {
    // Reported to the first query.
  }
  send('ready')
  // Flushed now, because a killed process does not save its compile cache.
  flushCompileCache()
  watcher ??= new Worker(watch, { eval: true })
})
// Terminals and supervisors signal whole process groups; the parent process decides about running statements.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

function open(): Queries {
  if (queries !== null) return queries
  assertSameFile(file.path, file.identity)
  queries = createQueries(connect(file.path, true, { cacheSize }))
  return queries
}

function replyTo({ method, given }: Question): Reply {
  try {
    return { answer: open()[method](given as never) }
  } catch (error) {
    return { failure: failureOf(error) }
  }
}

/** Bytes of answers since the last garbage collection. */
let sent = 0

function send(message: FromReader): void {
  process.send?.(message)
  if (message === 'ready' || !('answer' in message && 'body' in message.answer)) return
  sent += message.answer.body.length
  // The collector counts the size of the objects, not of the memory they refer to, and would let a hundred megabytes of
  // large answers and of their messages wait.
  if (sent < mostGarbage) return
  sent = 0
  globalThis.gc?.({ type: 'minor' })
}
