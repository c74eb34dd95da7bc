/** Entry point of a thread that turns groups of messages into changes. */
import { workerData } from 'node:worker_threads'
import { type ChangeReader, createChangeReader, type NetworkReaderOptions } from '../change-reader.ts'
import { createJetstreamReader } from './jetstream-reader.ts'
import { createGroupReader, type EventReader, type Message, type ParsedGroup } from './message-reader.ts'
import { createTapReader } from './tap-reader.ts'
import { answerRequests, type Threads } from '../threads.ts'

export interface MessageWorkerData {
  readonly protocol: 'jetstream' | 'tap'
  /** The source's name, stored with rejections. */
  readonly name: string
  readonly reader: NetworkReaderOptions
}

export type MessageThreads = Threads<readonly Message[], ParsedGroup>

const { protocol, name, reader } = workerData as MessageWorkerData

answerRequests(createGroupReader(name, createEventReader(createChangeReader(reader))))

function createEventReader(changes: ChangeReader): EventReader {
  const now = (): bigint => BigInt(Date.now()) * 1_000n
  switch (protocol) {
    case 'jetstream':
      return createJetstreamReader(changes, name, now)
    case 'tap':
      return createTapReader(changes, name, now)
  }
}
