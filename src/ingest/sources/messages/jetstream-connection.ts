/** Negotiates a connection to a Jetstream server: protocol, filters and compression. */
import type { NetworkReaderOptions } from '../change-reader.ts'
import { gather } from '../../../util/async/gather.ts'
import { locate } from '../stream.ts'
import { grouped } from '../../../util/text/counted.ts'

export interface Connection {
  readonly url: URL
  readonly second: boolean
  /** Dictionary of compressed messages; null when messages are text. */
  readonly dictionary: Uint8Array | null
  /** Message that the server requires before it sends events; null for none. */
  readonly hello: string | null
}

/** Collections and accounts that the server should send; an empty list requests all. */
export interface Filters {
  readonly collections: readonly string[]
  readonly dids: readonly string[]
}

/** Drops filters beyond the limits of servers; the reader skips unwanted events anyway. */
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
  const collections = tables.map(({ collection }) => collection.nsid)
  return {
    collections: take('collections', collections, 100),
    dids: take('publishers', [...(publishers ?? [])], 10_000),
  }
}

/**
 * `from`: microseconds; null starts with new events. Servers of the second protocol are recognized by the dictionary
 * that they offer; `plain` requests uncompressed messages even so.
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
    // Only the first protocol accepts filters outside the URL.
    const url = firstUrl(base, from, { collections: [], dids: [] })
    url.searchParams.set('requireHello', 'true')
    const payload = { wantedCollections: filters.collections, wantedDids: filters.dids }
    const hello = JSON.stringify({ type: 'options_update', payload })
    return { url, second: false, dictionary: null, hello }
  }
  const loaded = await loadDictionary(base, signal)
  if (loaded === null) return { url: first, second: false, dictionary: null, hello: null }
  const url = locate(base, '/xrpc/network.bsky.jetstream.subscribeEvents', 'ws')
  // No subprotocol is requested: only one exists, and servers use it by default.
  if (!plain) url.searchParams.set('zstdDictionary', String(loaded.id))
  addParameters(url, { cursor: from === null ? [] : [String(from)], ...filters })
  return { url, second: true, dictionary: plain ? null : loaded.dictionary, hello: null }
}

/** Servers and proxies refuse longer URLs, some from 8,000 characters on. */
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
    const bytes = await gather(response.body ?? [], largestDictionary)
    if (!response.ok || bytes === null || bytes.length <= 8) return null
    const head = new DataView(bytes.buffer, bytes.byteOffset)
    if (head.getUint32(0, true) !== dictionaryMagic) return null
    const dictionary = new Uint8Array(new SharedArrayBuffer(bytes.length))
    dictionary.set(bytes)
    return { id: head.getUint32(4, true), dictionary }
  } catch {
    // The connection will report any failure, and the first protocol needs no dictionary.
    return null
  }
}
