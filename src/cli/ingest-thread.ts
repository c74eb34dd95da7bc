/** The thread of `serve --ingest`: follows sources beside the server, until it is told to stop. */
import { parentPort, workerData } from 'node:worker_threads'
import { InputError } from '../ingest/sources/lines.ts'
import { runIngest } from './ingest.ts'
import type { Config } from './settings.ts'

export interface IngestThreadData {
  readonly config: Config
  readonly root: string
  readonly from: string
}

const { config, root, from } = workerData as IngestThreadData
const stop = new AbortController()
parentPort?.once('message', () => stop.abort())
try {
  await runIngest({ config, root: new URL(root) }, from, stop.signal)
} catch (error) {
  if (!(error instanceof InputError)) throw error
  // Starting anew would come to the same.
  parentPort?.postMessage(error.message)
}
parentPort?.close()
