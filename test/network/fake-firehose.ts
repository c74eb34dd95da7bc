/**
 * A host with a firehose for tests: it keeps its frames, of which the first has the number 1; the cursor of a connection
 * is the number of the frame after which it begins.
 */
import type { ServerResponse } from 'node:http'
import { createFirehoseSource } from '../../src/ingest/sources/firehose/firehose.ts'
import type { Source } from '../../src/ingest/source.ts'
import type { NetworkReaderOptions } from '../../src/ingest/sources/change-reader.ts'
import type { Directory } from '../support/network/directory.ts'
import { commitFrame, errorFrame, type SignedRepo } from '../support/network/signed-repo.ts'
import { patience } from '../support/until.ts'
import { type FakeConnection, startFakeServer } from './fake-server.ts'
import { clockBeside, collection, noteReader } from './follow.ts'

type Frame = string | Uint8Array

export type FakeFirehose = Awaited<ReturnType<typeof startFakeFirehose>>

export interface FakeFirehoseOptions {
  readonly respond?: (url: URL, response: ServerResponse) => unknown
  readonly sendTo?: (connection: FakeConnection, frame: Frame) => Promise<void>
}

export async function startFakeFirehose({
  respond = (_, response) => response.writeHead(404).end(),
  sendTo = (connection, frame) => connection.send(frame),
}: FakeFirehoseOptions = {}) {
  const frames: Frame[] = []
  let wake = Promise.withResolvers<void>()
  const server = await startFakeServer({
    respond: ({ url }, response) => void respond(new URL(url ?? '', 'http://host.test'), response),
    refuse: () => null,
    serve: async (connection) => {
      let at = Number(connection.url.searchParams.get('cursor') ?? frames.length)
      if (at > 1_000) {
        await connection.send(errorFrame('FutureCursor', 'Cursor in the future.'))
        connection.close(1008, 'FutureCursor')
        return
      }
      while (connection.open) {
        const frame = frames[at]
        if (frame === undefined) await Promise.race([wake.promise, connection.closed])
        else {
          await sendTo(connection, frame)
          at++
        }
      }
    },
  })
  const send = (...more: readonly Frame[]): void => {
    frames.push(...more)
    wake.resolve()
    wake = Promise.withResolvers()
  }
  return {
    ...server,
    url: `http://${server.host}`,
    frames: frames as readonly Frame[],
    send,
    /** Publishes a note, and resolves to its gist. */
    write: async (repo: SignedRepo, rkey: string, text = rkey) => {
      const record = { $type: collection, text }
      const commit = await repo.write({ action: 'create', collection, rkey, record })
      send(await commitFrame(frames.length + 1, commit))
      return `${repo.did.slice(-2)}/${rkey} ${commit.rev} ${text}`
    },
  }
}

/** The firehose of a server as a source, which waits for the directory as long as it takes. */
export function firehoseOf(
  url: string,
  directory: Directory,
  { name = 'firehose:test', reader = noteReader() as NetworkReaderOptions, threads = 1 } = {},
): Source {
  const identity = { plcUrl: directory.url, handleResolver: null, timeoutMs: patience }
  return createFirehoseSource({ name, url, reader, identity, clock: clockBeside(url), threads })
}
