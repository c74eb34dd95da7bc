/** Worker threads that read blocks; what comes back keeps the order of what went in. */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Change } from '../../database/database.ts'
import type { ReaderOptions } from './block-reader.ts'
import type { BlockRequest } from './block-worker.ts'

export interface BlockWorkers extends AsyncDisposable {
  /** Takes the bytes away from the caller; the turn goes round, so every thread's answers are in order. */
  readonly read: (request: BlockRequest) => Promise<Change[]>
}

export function openBlockWorkers(count: number, options: ReaderOptions): BlockWorkers {
  const threads = Array.from({ length: count }, () => openThread(options))
  let turn = 0
  return {
    read: async (request) => {
      const thread = threads[turn++ % count]
      if (thread === undefined) throw new Error('Reading needs at least one thread.')
      return thread.read(request)
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(threads.map((thread) => thread.worker.terminate()))
    },
  }
}

interface Waiting {
  readonly resolve: (changes: Change[]) => void
  readonly reject: (cause: unknown) => void
}

function openThread({ lexicons, tables }: ReaderOptions): { worker: Worker; read: BlockWorkers['read'] } {
  // Its name ends as this file's does: sources run as they are, the package has them compiled.
  const worker = new Worker(new URL(`./block-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: { lexicons, tables } satisfies ReaderOptions,
  })
  const waiting: Waiting[] = []
  let failure: unknown
  const fail = (cause: unknown): void => {
    failure ??= cause
    for (const one of waiting.splice(0)) one.reject(cause)
  }
  worker.on('message', (changes: Change[]) => waiting.shift()?.resolve(changes))
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('The thread that reads records has ended.')))
  return {
    worker,
    read: ({ bytes, source, firstLine }) =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) return reject(failure)
        waiting.push({ resolve, reject })
        worker.postMessage({ bytes, source, firstLine } satisfies BlockRequest, [bytes.buffer])
      }),
  }
}
