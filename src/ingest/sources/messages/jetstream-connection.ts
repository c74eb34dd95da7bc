/** How to connect to a Jetstream server: which protocol it speaks, what it is asked for, and how it compresses. */
import type { NetworkReaderOptions } from '../change-reader.ts'
import { gather } from '../repos/hosts.ts'
import { locate } from '../stream.ts'
import { grouped } from '../../../util/text/counted.ts'

export interface Connection {
  readonly url: URL
  /** Whether it speaks the second protocol. */
  readonly second: boolean
  /** What its messages are compressed with; null when they are text. */
  readonly dictionary: Uint8Array | null
  /** What the server waits for before it sends anything. */
  readonly hello: string | null
}

/** What a server is asked to leave out of the stream; an empty list asks for everything. */
export interface Filters {
  readonly collections: readonly string[]
  readonly dids: readonly string[]
}

/** As far as servers take them; what else they send is passed over here. */
export function createFilters(
  { tables, publishers }: NetworkReaderOptions,
  onNotice: (text: string) => void,
): Filters {
  const take = (what: string, values: readonly string[], limit: number): readonly string[] => {
    if (values.length <= limit) return values
    const [had, most] = [values.length, limit].map(grouped)
    onNotice(`Jetstream filters by at most ${most} ${what}; there are ${had}, so that it is asked for all.`)
    return []
  }
  return {
    collections: take(
      'collections',
      tables.map(({ collection }) => collection.nsid),
      100,
    ),
    dids: take('publishers', [...(publishers ?? [])], 10_000),
  }
}

/**
 * `from`: microseconds; null begins with what happens now. The second protocol is found by the dictionary that
 * its servers hand out; `plain` asks for messages that are not compressed all the same.
 */
export async function negotiate(
  base: URL,
  filters: Filters,
  from: bigint | null,
  plain: boolean,
  signal: AbortSignal,
): Promise<Connection> {
  const first = firstUrl(base, from, filters)
  if (first.href.length > longestUrl) {
    // Only the first protocol takes filters in another way.
    const url = firstUrl(base, from, { collections: [], dids: [] })
    url.searchParams.set('requireHello', 'true')
    const payload = { wantedCollections: filters.collections, wantedDids: filters.dids }
    const hello = JSON.stringify({ type: 'options_update', payload })
    return { url, second: false, dictionary: null, hello }
  }
  const loaded = await loadDictionary(base, signal)
  if (loaded === null) return { url: first, second: false, dictionary: null, hello: null }
  const url = locate(base, '/xrpc/network.bsky.jetstream.subscribeEvents', 'ws')
  // No subprotocol is asked for: there is one, and it is what servers take then.
  if (!plain) url.searchParams.set('zstdDictionary', String(loaded.id))
  addParameters(url, { cursor: from === null ? [] : [String(from)], ...filters })
  return { url, second: true, dictionary: plain ? null : loaded.dictionary, hello: null }
}

/** Servers and what stands before them refuse longer ones, some from 8,000 on. */
const longestUrl = 6_000

function firstUrl(base: URL, from: bigint | null, { collections, dids }: Filters): URL {
  const url = locate(base, '/subscribe', 'ws')
  const cursor = from === null ? [] : [String(from)]
  addParameters(url, { cursor, wantedCollections: collections, wantedDids: dids })
  return url
}

function addParameters(url: URL, parameters: Readonly<Record<string, readonly string[]>>): void {
  for (const [name, values] of Object.entries(parameters))
    for (const value of values) url.searchParams.append(name, value)
}

const dictionaryTimeoutMs = 5_000
const largestDictionary = 1_000_000
const dictionaryMagic = 0xec30a437

/** The server's dictionary (RFC 8878, section 5), in memory that threads share; null where there is none. */
async function loadDictionary(
  base: URL,
  signal: AbortSignal,
): Promise<{ readonly id: number; readonly dictionary: Uint8Array } | null> {
  try {
    const response = await fetch(locate(base, '/xrpc/network.bsky.jetstream.getZstdDictionary', 'http'), {
      headers: { 'user-agent': 'lexigraph' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(dictionaryTimeoutMs)]),
    })
    const bytes = await gather(response.body ?? ReadableStream.from([]), largestDictionary)
    if (!response.ok || bytes === null || bytes.length <= 8) return null
    const head = new DataView(bytes.buffer, bytes.byteOffset)
    if (head.getUint32(0, true) !== dictionaryMagic) return null
    const dictionary = new Uint8Array(new SharedArrayBuffer(bytes.length))
    dictionary.set(bytes)
    return { id: head.getUint32(4, true), dictionary }
  } catch {
    // Whatever is wrong, the connection will tell; and the first protocol needs no dictionary.
    return null
  }
}
