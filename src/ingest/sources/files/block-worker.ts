/** Entry point of a thread that turns blocks of lines into changes. */
import { workerData } from 'node:worker_threads'
import type { ReaderOptions } from '../change-reader.ts'
import { answerRequests } from '../threads.ts'
import { createBlockReader } from './block-reader.ts'

answerRequests(createBlockReader(workerData as ReaderOptions))
