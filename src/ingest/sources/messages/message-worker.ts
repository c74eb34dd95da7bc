/** Entry point of a thread that turns groups of messages into changes. */
import { workerData } from 'node:worker_threads'
import { now } from '../../../util/instant.ts'
import { createChangeReader, type NetworkReaderOptions } from '../change-reader.ts'
import { createJetstreamReader } from './jetstream-reader.ts'
import { createGroupReader, type Message, type ParsedGroup } from './message-reader.ts'
import { createTapReader } from './tap-reader.ts'
import type { OpenGroups } from '../stream.ts'
import { answerRequests } from '../threads.ts'

const readers = { jetstream: createJetstreamReader, tap: createTapReader }

export interface MessageWorkerData {
  readonly protocol: keyof typeof readers
  /** The source's name, stored with rejections. */
  readonly name: string
  readonly reader: NetworkReaderOptions
}

export type OpenMessages = OpenGroups<Message, readonly Message[], ParsedGroup>

const { protocol, name, reader } = workerData as MessageWorkerData

answerRequests(createGroupReader(name, readers[protocol](createChangeReader(reader), name, now)))
