/** Entry point of a thread that turns blocks of lines into changes. */
import { workerData } from 'node:worker_threads'
import { createBlockReader, type ReaderOptions } from './block-reader.ts'
import { answerRequests } from '../threads.ts'

export interface BlockRequest {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly source: string
  readonly firstLine: number
}

const reader = createBlockReader(workerData as ReaderOptions)

answerRequests(({ bytes, source, firstLine }: BlockRequest) => reader.read(bytes, source, firstLine))
