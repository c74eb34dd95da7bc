/** The thread of `serve --ingest`: follows sources beside the server, until it is told to stop. */
import { parentPort, workerData } from 'node:worker_threads'
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
await runIngest({ config, root: new URL(root) }, from, stop.signal)
parentPort?.close()
