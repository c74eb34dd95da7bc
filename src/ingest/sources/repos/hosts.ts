/**
 * Requests to hosts of repositories: a whole repository, an account's status, the list of accounts
 * (https://atproto.com/specs/sync). Answers are untrusted: they are validated, and limited in size and time.
 */
import { ReadableStream } from 'node:stream/web'
import { setTimeout as sleep } from 'node:timers/promises'
import { isValidDid } from '@atproto/syntax'
import { gather } from '../../../util/async/gather.ts'
import { isObject, type Json, parseJson } from '../../../util/is-object.ts'
import { cleanText, reasonOf } from '../../../util/text/messages.ts'
import { Fault } from './fault.ts'
import { maxCarBytes } from './repo-reader.ts'
import { grouped } from '../../../util/text/counted.ts'

export type Hosts = ReturnType<typeof createHosts>

export interface AccountPage {
  readonly dids: readonly string[]
  /** The status of each inactive account, such as `deactivated`. */
  readonly inactive: readonly string[]
  /** Why all accounts are listed although collections were given; null if there is no such reason. */
  readonly notice: string | null
  /** Start of the next page, for this host and these collections; null after the last page. */
  readonly cursor: string | null
}

export class HostError extends Fault {
  override name = 'HostError'
  /** Null when there was no answer. */
  readonly status: number | null
  /** The error code in the answer, such as `RepoNotFound`. */
  readonly code: string | null
  /** When the host asks for a retry, in milliseconds since 1970; null when it does not say. */
  readonly retryAt: number | null

  constructor(
    message: string,
    { status = null, code = null, retryAt = null, ...options }: ErrorOptions & Partial<HostAnswer> = {},
  ) {
    super(message, options)
    this.status = status
    this.code = code
    this.retryAt = retryAt
  }

  override shouldRetry(): boolean {
    if (this.status === null) return true
    return [408, 425, 429].includes(this.status) || (this.status >= 500 && this.status !== 501)
  }
}

type HostAnswer = Pick<HostError, 'status' | 'code' | 'retryAt'>

/** `fetch` must be safe for URLs that accounts and hosts choose. `stallMs`: timeout between two chunks. */
export function createHosts(fetch: typeof globalThis.fetch, stallMs = 30_000) {
  /** Milliseconds since 1970 until which an origin asked us to pause. */
  const pauses = new Map<string, number>()
  const pauseLeft = (origin: string): number => {
    const left = (pauses.get(origin) ?? 0) - Date.now()
    if (left <= 0) pauses.delete(origin)
    return left
  }

  const ask = async (
    host: string,
    method: string,
    parameters: UrlParameters,
    limit: number,
    signal: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer>> => {
    const url = requestUrl(host, method, parameters)
    for (let pausesLeft = 3; ; pausesLeft--) {
      for (let pause = pauseLeft(url.origin); pause > 0; pause = pauseLeft(url.origin))
        await sleep(pause, undefined, { signal })
      try {
        return await askOnce(fetch, url, limit, stallMs, signal)
      } catch (error) {
        if (!(error instanceof HostError) || error.retryAt === null) throw error
        if (pausesLeft === 0 || error.retryAt - Date.now() > longestPause) throw error
        pauses.set(url.origin, error.retryAt)
      }
    }
  }

  const list = async (
    host: string,
    { collection, cursor }: ListPosition,
    signal: AbortSignal,
  ): Promise<Omit<AccountPage, 'notice'>> => {
    const method = collection === null ? 'listRepos' : 'listReposByCollection'
    const parameters = { limit: '1000', collection, cursor }
    return readPage(host, await ask(host, method, parameters, maxListBytes, signal), cursor)
  }

  return {
    /** Fetches the repository as a CAR file. All calls throw a `HostError` or the signal's reason. */
    fetchRepo: (host: string, did: string, signal: AbortSignal) =>
      ask(host, 'getRepo', { did }, maxCarBytes, signal),
    /** The account status at its host; `status` is null when the account is active. */
    repoStatus: async (host: string, did: string, signal: AbortSignal) => {
      const answer = await ask(host, 'getRepoStatus', { did }, maxErrorBytes, signal)
      const { active, status } = readObject(answer) ?? {}
      if (typeof active !== 'boolean')
        throw new HostError(`${host} does not say whether the account is active.`, { status: 200 })
      const why = typeof status === 'string' ? clean(status) : 'deactivated'
      return { active, status: active ? null : why }
    },
    /** `cursor`: of the last page, null at first. All accounts are listed if the host cannot filter by collection. */
    listAccounts: async (
      host: string,
      collections: readonly string[],
      cursor: string | null,
      signal: AbortSignal,
    ): Promise<AccountPage> => {
      const place = parseListPosition(cursor, collections)
      let notice: string | null = null
      const page = await list(host, place, signal).catch((error: unknown) => {
        // A PDS does not implement the list by collection, and the errors of implementations differ.
        const isUnknown = error instanceof HostError && error.status !== null && !error.shouldRetry()
        if (cursor !== null || place.collection === null || !isUnknown) throw error
        place.collection = null
        notice = `${host} cannot say who has records of which collection, so all its accounts are listed.`
        return list(host, place, signal)
      })
      return { ...page, notice, cursor: nextPlace(place, page.cursor, collections) }
    },
  }
}

const maxListBytes = 10_000_000
const maxErrorBytes = 100_000
/** Timeout in milliseconds for a whole answer, even if data keeps arriving. */
const longestAnswer = 3_600_000
/** Maximum pause in milliseconds to wait for here; the caller can ask other hosts during a longer one. */
const longestPause = 300_000
const longestRetryAfter = 24 * 3_600_000

/** Of a request; null for none of that name. */
type UrlParameters = Readonly<Record<string, string | null>>

function requestUrl(host: string, method: string, parameters: UrlParameters): URL {
  const url = URL.parse(`/xrpc/com.atproto.sync.${method}`, host)
  if (url === null) throw new HostError(`"${host}" is no URL of a host.`, { status: 400 })
  for (const [name, value] of Object.entries(parameters))
    if (value !== null) url.searchParams.set(name, value)
  return url
}

async function askOnce(
  fetch: typeof globalThis.fetch,
  url: URL,
  limit: number,
  stallMs: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const stalled = new AbortController()
  const timer = setTimeout(
    () => stalled.abort(new Error(`nothing came for ${stallMs / 1000} seconds`)),
    stallMs,
  )
  async function* watched(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      timer.refresh()
      yield chunk
    }
  }
  try {
    const answer = await fetch(url, {
      redirect: 'follow',
      headers: { 'user-agent': 'lexigraph' },
      signal: AbortSignal.any([signal, stalled.signal, AbortSignal.timeout(longestAnswer)]),
    })
    timer.refresh()
    const bytes = await gather(
      watched(answer.body ?? ReadableStream.from([])),
      answer.ok ? limit : maxErrorBytes,
    )
    if (!answer.ok) throw refusal(url, answer, bytes)
    if (bytes !== null) return bytes
    const message = `${url.origin} answers with more than ${grouped(limit)} bytes.`
    throw new HostError(message, { status: answer.status })
  } catch (cause) {
    if (cause instanceof HostError) throw cause
    signal.throwIfAborted()
    throw new HostError(`${url.origin} could not be asked: ${reasonOf(stalled.signal.reason ?? cause)}.`, {
      cause,
    })
  } finally {
    clearTimeout(timer)
  }
}

/** https://atproto.com/specs/xrpc#error-responses */
function refusal(url: URL, answer: Response, bytes: Uint8Array | null): HostError {
  const body = bytes === null ? null : readObject(bytes)
  const code = typeof body?.error === 'string' ? clean(body.error) : null
  const why = typeof body?.message === 'string' ? `: ${clean(body.message)}` : ''
  return new HostError(
    `${url.origin} answers with status ${answer.status}${code === null ? '' : ` ${code}`}${why}.`,
    {
      status: answer.status,
      code,
      // The pause of a redirect's target does not apply to the origin of the request.
      retryAt: answer.redirected ? null : retryTime(answer),
    },
  )
}

/** `Retry-After` is seconds from now or a date; some hosts send `RateLimit-Reset` in seconds since 1970 instead. */
function retryTime({ status, headers }: Response): number | null {
  if (status !== 429 && status !== 503) return null
  const now = Date.now()
  const after = headers.get('retry-after')
  const reset = Number(headers.get('ratelimit-reset') ?? Number.NaN)
  const at =
    after === null ? reset * 1000 : /^\d+$/.test(after) ? now + Number(after) * 1000 : Date.parse(after)
  return Number.isFinite(at) && at >= now - longestRetryAfter ? Math.min(at, now + longestRetryAfter) : null
}

/** Content of our cursor of a listing. */
interface ListPosition {
  /** Null: all accounts, by `listRepos`. */
  collection: string | null
  readonly cursor: string | null
}

function parseListPosition(cursor: string | null, collections: readonly string[]): ListPosition {
  const begin = { collection: collections[0] ?? null, cursor: null }
  if (cursor === null) return begin
  const place = readObject(Buffer.from(cursor))
  const collection = place?.collection
  // The lexicons may have changed since.
  if (collection !== null && (typeof collection !== 'string' || !collections.includes(collection)))
    return begin
  return { collection, cursor: typeof place?.cursor === 'string' ? place.cursor : null }
}

function nextPlace(
  { collection }: ListPosition,
  cursor: string | null,
  collections: readonly string[],
): string | null {
  if (cursor !== null) return JSON.stringify({ collection, cursor })
  const next = collection === null ? undefined : collections[collections.indexOf(collection) + 1]
  return next === undefined ? null : JSON.stringify({ collection: next, cursor: null })
}

/** `last`: the cursor that was asked for. */
function readPage(host: string, bytes: Uint8Array, last: string | null): Omit<AccountPage, 'notice'> {
  const page = readObject(bytes)
  if (!Array.isArray(page?.repos))
    throw new HostError(`${host} answers with something that is no list of repositories.`, { status: 200 })
  const dids: string[] = []
  const inactive: string[] = []
  for (const repo of page.repos as unknown[]) {
    const { did, active, status } = Object(repo) as Record<string, unknown>
    if (typeof did !== 'string' || !isValidDid(did)) inactive.push('no DID')
    else if (active === false) inactive.push(typeof status === 'string' ? clean(status) : 'inactive')
    else dids.push(did)
  }
  const cursor = typeof page.cursor === 'string' && page.cursor !== '' ? page.cursor : null
  if (cursor !== null && cursor.length > maxCursor)
    throw new HostError(`${host} answers with an impossibly long cursor.`, { status: 200 })
  if (cursor !== null && cursor === last) {
    const message = `${host} answers with the same page of its accounts again and again.`
    throw new HostError(message, { status: 200 })
  }
  return { dids, inactive, cursor }
}

const maxCursor = 2_000

function readObject(bytes: Uint8Array): Json | null {
  const value = parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString())
  return isObject(value) ? value : null
}

/** Makes a host's text safe as part of a line for operators. */
function clean(text: string): string {
  return cleanText(text, 200).trim().replace(/\.$/, '')
}
