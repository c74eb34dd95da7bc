/** The thread beside the writing: reads blocks of lines and answers with their changes, in order. */
import { parentPort, workerData } from 'node:worker_threads'
import { createBlockReader, type ReaderOptions } from './block-reader.ts'

export interface BlockRequest {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly source: string
  readonly firstLine: number
}

const reader = createBlockReader(workerData as ReaderOptions)

parentPort?.on('message', ({ bytes, source, firstLine }: BlockRequest) => {
  parentPort?.postMessage(reader.read(bytes, source, firstLine))
})
