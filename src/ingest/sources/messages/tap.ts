/**
 * Tap as a source: a self-hosted service that follows repositories, verifies their records and stores every event until
 * it is acknowledged (https://github.com/bluesky-social/indigo/tree/main/cmd/tap). It needs no cursor.
 */
import { unescape } from 'node:querystring'
import type { Source } from '../../source.ts'
import { siblingModule } from '../../../util/sibling-module.ts'
import { packMessage } from './message-reader.ts'
import type { MessageWorkerData, OpenMessages } from './message-worker.ts'
import { createStreamSource, locate, openStream, type StreamSourceOptions } from '../stream.ts'

/**
 * Takes URLs such as `http://localhost:2480` or `http://admin:secret@localhost:2480`. Adds the publishers to the
 * repositories that Tap follows; without publishers, Tap's own configuration decides.
 */
export function createTapSource(options: StreamSourceOptions): Source {
  const { name, reader } = options
  const data: MessageWorkerData = { protocol: 'tap', name, reader }
  const thread = { module: siblingModule(import.meta.url, 'message-worker'), data }
  return createStreamSource(options, thread, () => openMessages(options))
}

const openMessages =
  ({ url, reader }: StreamSourceOptions): OpenMessages =>
  ({ read }, context) => {
    const { signal } = context
    const base = new URL(url)
    const headers = authorize(base)
    let send: ((text: string) => Promise<void>) | null = null
    let lastFailure: string | null = null

    const addRepositories = async (publishers: ReadonlySet<string>): Promise<void> => {
      try {
        await postRepositories(base, headers, [...publishers], signal)
        lastFailure = null
      } catch (cause) {
        const failure = cause instanceof Error ? cause.message : String(cause)
        if (signal.aborted || failure === lastFailure) return
        lastFailure = failure
        context.onNotice(
          `Tap could not be told which repositories to follow: ${failure}. ` +
            'It will be told again when the connection is next made.',
        )
      }
    }

    return {
      receive: async function* () {
        const onConnect = (sender: (text: string) => Promise<void>): void => {
          send = sender
          if (reader.publishers !== null) void addRepositories(reader.publishers)
        }
        const channel = locate(base, '/channel', 'ws')
        for await (const data of openStream(() => channel, context, { headers, onConnect }))
          yield packMessage(data, null)
      },
      read,
      deliver: ({ ids }) => ({
        cursor: null,
        acknowledge: async () => {
          // If an acknowledgement is lost, Tap sends the event again, and storing it again changes nothing.
          await Promise.allSettled(ids.map((id) => send?.(JSON.stringify({ type: 'ack', id }))))
        },
      }),
    }
  }

/** Tap's database does not take more in one statement. */
const repositoriesAtOnce = 1_000
const postTimeoutMs = 30_000

async function postRepositories(
  base: URL,
  headers: Readonly<Record<string, string>>,
  dids: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (let at = 0; at < dids.length; at += repositoriesAtOnce) {
    const response = await fetch(locate(base, '/repos/add', 'http'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'lexigraph', ...headers },
      body: JSON.stringify({ dids: dids.slice(at, at + repositoriesAtOnce) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(postTimeoutMs)]),
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`it answered with HTTP ${response.status}`)
  }
}

/** The authorization header for the password of a URL, if it has one. */
function authorize({ username, password }: URL): Readonly<Record<string, string>> {
  if (password === '') return {}
  // Unlike `decodeURIComponent`, `unescape` accepts any password.
  const credentials = `${username === '' ? 'admin' : unescape(username)}:${unescape(password)}`
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}
