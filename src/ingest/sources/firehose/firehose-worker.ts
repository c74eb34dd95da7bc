/** Entry point of a thread that turns groups of frames into changes. */
import { workerData } from 'node:worker_threads'
import { createFirehoseReader, type FirehoseReaderOptions } from './firehose-reader.ts'
import { answerRequests } from '../threads.ts'

answerRequests(createFirehoseReader(workerData as FirehoseReaderOptions))
