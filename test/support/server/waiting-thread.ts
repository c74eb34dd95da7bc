/** A thread that answers a request when the memory it was given no longer says that it must wait for that. */
import { threadId, workerData } from 'node:worker_threads'
import { answerRequests } from '../../../src/ingest/sources/threads.ts'

const waits: Int32Array = workerData

answerRequests((request: string) => {
  if (request === 'wait') Atomics.wait(waits, 0, 1)
  return threadId
})
