/** The thread of `serve --ingest`: follows sources beside the server, until it is told to stop. And that of `serve --retain`. */
import { UsageError } from '../../errors.ts'
import { parentPort, workerData } from 'node:worker_threads'
import { InputError } from '../../ingest/sources/files/lines.ts'
import { openPrepared } from '../store/project.ts'
import { runIngest, runRetention } from './ingest.ts'
import type { Config } from '../settings/settings.ts'

export interface IngestThreadData {
  readonly config: Config
  readonly root: string
  /** Null: nothing is followed, and records that are too old are removed all the same. */
  readonly from: string | null
}

/** Why it cannot do what it was asked to. */
export interface IngestRefusal {
  readonly message: string
  /** Whether a setting is wrong. */
  readonly isUsage: boolean
}

const { config, root, from } = workerData as IngestThreadData
const stop = new AbortController()
parentPort?.once('message', () => stop.abort())
try {
  const context = { config, root: new URL(root) }
  // The server has the database made, and decides what comes of a rebuild for other lexicons: this thread undoes none.
  const given = { open: openPrepared, signal: () => stop.signal }
  await (from === null ? runRetention(context, given) : runIngest(context, from, given))
} catch (error) {
  if (!(error instanceof InputError || error instanceof UsageError)) throw error
  // Starting anew would come to the same.
  const refusal: IngestRefusal = { message: error.message, isUsage: error instanceof UsageError }
  parentPort?.postMessage(refusal)
}
parentPort?.close()
