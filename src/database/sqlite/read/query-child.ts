/**
 * The process in which statements that may take long run, one at a time. SQLite cannot be told to stop one, so
 * whoever started this process kills it when one must not go on. It only reads, so its end damages nothing.
 */
import { flushCompileCache } from 'node:module'
import { Worker } from 'node:worker_threads'
import { releaseBuffer } from '../../../util/release-buffer.ts'
import { connect } from '../connection.ts'
import { failureOf } from '../failures.ts'
import type { FromReader, Question, Reply, ToReader } from './query-messages.ts'
import { QueryConnection } from './query-connection.ts'

/** MiB of pages; the file itself is mapped into memory that all processes share. */
const cacheSize = 16
/** Bytes of answers that may wait for the collector. */
const mostGarbage = 4 * 1024 * 1024
/**
 * In a thread of its own, because this one hears nothing while a statement runs. What it waits for never comes: the
 * pipe ends when the process at its other end does, however that ended.
 */
const watch = `require('node:fs').readSync(0, Buffer.alloc(1)); process.kill(process.pid, 'SIGKILL')`

let path = ''
let queries: QueryConnection | null = null
let watcher: Worker | null = null

process.on('message', (message: ToReader) => {
  if (message.kind !== 'open') return send(replyTo(message))
  path = message.path
  // What cannot be done now is told to who asks.
  attempt(open)
  send({ kind: 'ready' })
  // At its end, which is that of being killed, nothing is kept of what it has compiled.
  flushCompileCache()
  watcher ??= new Worker(watch, { eval: true })
})
// A terminal and a supervisor tell all processes of a group to end; what is under way here, others decide on.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

function attempt(step: () => unknown): void {
  try {
    step()
  } catch {}
}

function open(): QueryConnection {
  queries ??= new QueryConnection(connect(path, true, cacheSize))
  return queries
}

function replyTo(question: Question): Reply {
  try {
    switch (question.kind) {
      case 'answer':
        return { kind: 'answer', answer: open().readAnswer(question.statement) }
      case 'status':
        return { kind: 'status', status: open().readStatus(question.now) }
      case 'explain':
        return { kind: 'explain', steps: open().explain(question.statement) }
    }
  } catch (error) {
    return { kind: 'failed', failure: failureOf(error) }
  }
}

/** Bytes of answers since the collector was last called. */
let sent = 0

function send(message: FromReader): void {
  process.send?.(message)
  if (message.kind !== 'answer') return
  const { body } = message.answer
  sent += body.length
  // The message has a copy. That is garbage too once it has gone, and the collector looks at what it takes, not at what
  // such a thing holds: of large answers it would let a hundred megabytes wait.
  releaseBuffer(body)
  if (sent < mostGarbage) return
  sent = 0
  globalThis.gc?.({ type: 'minor' })
}
