/**
 * Tap, a service run by oneself that follows repositories, verifies what they publish and keeps every event
 * until it is acknowledged (https://github.com/bluesky-social/indigo/tree/main/cmd/tap). So there is no cursor.
 */
import { unescape } from 'node:querystring'
import type { Source, SourceContext } from '../../source.ts'
import type { Message } from './message-reader.ts'
import { deliverMessages, type MessageSourceOptions, packMessage } from './messages.ts'
import { locate, openStream } from '../stream.ts'

/**
 * The URL is such as `http://localhost:2480`, or `http://admin:secret@localhost:2480`. Tap is told to follow the
 * publishers; without any, it follows what it was told otherwise.
 */
export function createTapSource(options: MessageSourceOptions): Source {
  return {
    name: options.name,
    durable: true,
    deliveries: (context) =>
      deliverMessages('tap', options, context, (context) => {
        const { receive, acknowledge } = openConnections(options, context)
        return {
          receive,
          deliver: ({ changes, at, ids }) => ({
            changes,
            cursor: null,
            eventAt: at,
            acknowledge: () => acknowledge(ids),
          }),
        }
      }),
  }
}

interface Connections {
  /** Messages of one connection after the other. */
  readonly receive: () => AsyncGenerator<Message>
  readonly acknowledge: (ids: readonly number[]) => Promise<void>
}

function openConnections({ url, reader }: MessageSourceOptions, context: SourceContext): Connections {
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
    acknowledge: async (ids) => {
      // What does not arrive is sent again by Tap, and changes nothing then.
      await Promise.allSettled(ids.map((id) => send?.(JSON.stringify({ type: 'ack', id }))))
    },
  }
}

/** More at once are more than its database takes in one statement. */
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

/** The header for the password of a URL; none where it has none. */
function authorize({ username, password }: URL): Readonly<Record<string, string>> {
  if (password === '') return {}
  // Unlike the usual decoding, it takes any password.
  const credentials = `${username === '' ? 'admin' : unescape(username)}:${unescape(password)}`
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}
