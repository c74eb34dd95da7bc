/** The thread beside the writing: reads groups of frames and answers with what they ask for. */
import { workerData } from 'node:worker_threads'
import { createFirehoseReader, type FirehoseReaderOptions } from './firehose-reader.ts'
import { answerRequests } from '../threads.ts'

answerRequests(createFirehoseReader(workerData as FirehoseReaderOptions))
