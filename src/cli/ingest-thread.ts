/** The thread of `serve --ingest`: follows sources beside the server, until it is told to stop. And that of `serve --retain`. */
import { parentPort, workerData } from 'node:worker_threads'
import { InputError } from '../ingest/sources/lines.ts'
import { runIngest, runRetention } from './ingest.ts'
import type { Config } from './settings.ts'

export interface IngestThreadData {
  readonly config: Config
  readonly root: string
  /** Null: nothing is followed, and records that are too old are removed all the same. */
  readonly from: string | null
}

const { config, root, from } = workerData as IngestThreadData
const stop = new AbortController()
parentPort?.once('message', () => stop.abort())
try {
  const given = { config, root: new URL(root) }
  await (from === null ? runRetention(given, stop.signal) : runIngest(given, from, stop.signal))
} catch (error) {
  if (!(error instanceof InputError)) throw error
  // Starting anew would come to the same.
  parentPort?.postMessage(error.message)
}
parentPort?.close()
