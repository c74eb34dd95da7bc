/** The thread of `serve` that follows sources, removes old records and derives stories, which runs until it is told to stop. */
import { UsageError } from '../../errors.ts'
import { parentPort, workerData } from 'node:worker_threads'
import { ReplacedFileError } from '../../database/refusals.ts'
import { InputError } from '../../ingest/sources/files/lines.ts'
import { openStore } from '../store/project.ts'
import { type IngestGiven, runIngest } from './ingest.ts'
import type { Config } from '../settings/settings.ts'

export interface IngestThreadData {
  readonly config: Config
  readonly root: string
  /** The file that the service began with; null for other engines. */
  readonly file: string | null
}

export interface IngestRefusal {
  readonly message: string
  /** Whether it becomes a `UsageError`. */
  readonly isUsage: boolean
}

const { config, root, file } = workerData as IngestThreadData
const stop = new AbortController()
parentPort?.once('message', () => stop.abort())
try {
  const context = { config, root: new URL(root) }
  // Only the server updates the database and decides what follows from a rebuild; this thread must not reverse that.
  const open: IngestGiven['open'] = (...store) => openStore(...store, { rebuild: 'never', file })
  await runIngest(context, config.ingest, { open, signal: () => stop.signal })
} catch (error) {
  const isRefusal = [InputError, UsageError, ReplacedFileError].some((kind) => error instanceof kind)
  if (!(error instanceof Error && isRefusal)) throw error
  // A restart would fail in the same way.
  const refusal: IngestRefusal = { message: error.message, isUsage: error instanceof UsageError }
  parentPort?.postMessage(refusal)
}
parentPort?.close()
