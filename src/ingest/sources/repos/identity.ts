/**
 * Resolves an account's signing key, host and verified handle, from the directory of DIDs and the accounts' own domains.
 * Accounts choose the addresses, so it refuses private addresses unless configured for a private network.
 */
import dns from 'node:dns/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { safeFetchWrap } from '@atproto-labs/fetch-node'
import {
  getHandle,
  getKey,
  getPds,
  IdResolver,
  PoorlyFormattedDidDocumentError,
  PoorlyFormattedDidError,
  UnsupportedDidMethodError,
  UnsupportedDidWebPathError,
} from '@atproto/identity'
import { isValidDid, isValidHandle, isValidTld, normalizeHandle } from '@atproto/syntax'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { reasonOf } from '../../../util/text/messages.ts'
import { Fault } from './fault.ts'

/** Plain data, so that it can be sent to a thread. */
export interface IdentityOptions {
  /** The directory of `did:plc`, such as https://plc.directory. With `http:`, the network is private. */
  readonly plcUrl: string
  /** The URL of a service that resolves handles; null uses DNS and the handles' own domains. */
  readonly handleResolver: string | null
  /** Milliseconds to wait for an answer, if not the limits below and those of streams. */
  readonly timeoutMs?: number
}

export interface Account {
  readonly did: string
  /** A `did:key`; null when the DID document has no usable key. */
  readonly signingKey: string | null
  readonly pds: string | null
  /** As claimed by the DID document; `verifiedHandle` verifies it. */
  readonly handle: string | null
}

export interface Identity {
  /**
   * Cached for an hour, failures for a minute; throws an `IdentityError`.
   * `fresh` bypasses the cache, but after the first time at most once a minute per account.
   */
  readonly account: (did: string, options?: { readonly fresh?: boolean }) => Promise<Account>
  /** Number of documents requested so far. */
  readonly asked: () => number
  /** The account by a document requested later than this value of `asked`; keeps a pause between two requests. */
  readonly accountAfter: (did: string, asked: number) => Promise<Account>
  /** Milliseconds until `fresh` may request this account again; 0 for at once. */
  readonly untilFresh: (did: string) => number
  /** Invalidates the cached account after a change, at most as often as `fresh`. */
  readonly forget: (did: string) => void
  /** The DID that a handle points to; null for none. Throws an `IdentityError` when that cannot be determined now. */
  readonly resolveHandle: (handle: string) => Promise<string | null>
  /** The account's handle if the handle also points to the account, else null. Throws a temporary `IdentityError`. */
  readonly verifiedHandle: (did: string) => Promise<string | null>
  /** For URLs that accounts choose: refuses private addresses, except on a private network. */
  readonly fetch: typeof globalThis.fetch
}

/** Not passing for an account that is gone or malformed. */
export class IdentityError extends Fault {
  override name = 'IdentityError'
}

/** `clock` counts milliseconds. */
export function createIdentity(
  { plcUrl, handleResolver, timeoutMs = timeout }: IdentityOptions,
  clock: { readonly now: () => number } = performance,
): Identity {
  const isPrivate = new URL(plcUrl).protocol === 'http:'
  const resolver = new IdResolver({
    timeout: timeoutMs,
    plcUrl,
    // By default, the library refuses private addresses, unusual ports and large answers.
    ...(isPrivate && { fetch: globalThis.fetch }),
  })
  const siteFetch = isPrivate ? globalThis.fetch : publicFetch(maxSiteBytes)
  const resolveHandle = createHandleResolver(handleResolver, siteFetch, timeoutMs)
  const entries = new LRUCache<string, Entry>({ max: maxAccounts })
  let asked = 0

  const account: Identity['account'] = (did, { fresh = false } = {}) => {
    const now = clock.now()
    const before = entries.get(did)
    if (before !== undefined && now < before.until && !(fresh && now >= before.freshFrom))
      return before.account
    return ask(did, fresh, before)
  }

  const ask = (did: string, fresh: boolean, before: Entry | undefined): Promise<Account> => {
    const now = clock.now()
    const entry: Entry = {
      account: lookUp(resolver, did),
      number: ++asked,
      at: now,
      until: now + hour,
      freshFrom: fresh && before !== undefined ? now + minute : (before?.freshFrom ?? now),
    }
    entries.set(did, entry)
    return entry.account.catch((error: unknown) => {
      entry.until = clock.now() + minute
      const passing = before !== undefined && error instanceof IdentityError && error.shouldRetry()
      // The last known account is better than none while the directory is unavailable.
      if (passing) Object.assign(entry, { account: before.account, number: before.number })
      if (passing && !fresh) return before.account
      throw error
    })
  }

  return {
    account,
    asked: () => asked,
    accountAfter: async (did, mark) => {
      for (;;) {
        const before = entries.get(did)
        if (before !== undefined && before.number > mark) return before.account
        const wait = before === undefined ? 0 : before.at + askPause - clock.now()
        if (wait <= 0) return ask(did, true, before)
        await pause(Math.ceil(wait))
      }
    },
    untilFresh: (did) => Math.max(0, (entries.peek(did)?.freshFrom ?? 0) - clock.now()),
    forget: (did) => {
      const entry = entries.peek(did)
      const now = clock.now()
      if (entry === undefined || now < entry.freshFrom) return
      entry.until = now
      entry.freshFrom = now + minute
    },
    resolveHandle,
    verifiedHandle: async (did) => {
      const { handle } = await account(did, { fresh: true }).catch((error: unknown) => {
        if (error instanceof IdentityError && !error.shouldRetry()) return { handle: null }
        throw error
      })
      if (handle === null || (await resolveHandle(handle)) !== did) return null
      return normalizeHandle(handle)
    },
    // Repositories are large and slow to fetch, so callers limit size and time.
    fetch: isPrivate ? globalThis.fetch : publicFetch(Infinity),
  }
}

// The check of addresses would take those that contain one of IPv4 (RFC 4291, 2.5.5.1), such as ::7f00:1, for public.
const { SpecialRanges: ranges } = ipaddr.IPv6.prototype as unknown as { readonly SpecialRanges: object }
Object.assign(ranges, { ipv4Compatible: [[ipaddr.IPv6.parse('::'), 96]] })

function publicFetch(responseMaxSize: number): typeof globalThis.fetch {
  return safeFetchWrap({
    allowCustomPort: true,
    // Applies to redirects too. Real hosts have names, and private addresses have many spellings.
    allowIpHost: false,
    allowImplicitRedirect: true,
    responseMaxSize,
    timeout: Infinity,
  })
}

interface Entry {
  account: Promise<Account>
  /** Sequence number and time of the request for the document. */
  number: number
  readonly at: number
  /** Expiry, by the clock. */
  until: number
  /** Time from which `fresh` may request it before its expiry. */
  freshFrom: number
}

const timeout = 5_000
/** Milliseconds between two requests of `accountAfter` for one account. */
const askPause = 300
const minute = 60_000
const hour = 60 * minute
const maxSiteBytes = 10_000
/** About 20 MB. */
const maxAccounts = 50_000

async function lookUp({ did: directory }: IdResolver, did: string): Promise<Account> {
  if (!isValidDid(did)) throw new IdentityError(`"${did}" is no DID.`, { passing: false })
  const document = await directory.resolve(did).catch((cause: unknown) => {
    const message = `The DID document of ${did} could not be fetched: ${reasonOf(cause)}.`
    throw new IdentityError(message, { cause, passing: !isFinal(cause) })
  })
  if (document === null) {
    // For `did:web`, the library does not tell a missing document from a failure.
    throw new IdentityError(`There is no DID document of ${did}.`, { passing: did.startsWith('did:web:') })
  }
  const pds = getPds(document)
  return {
    did,
    signingKey: usableKey(document),
    pds: pds === undefined ? null : new URL(pds).origin,
    handle: getHandle(document) ?? null,
  }
}

function usableKey(document: Parameters<typeof getKey>[0]): string | null {
  try {
    return getKey(document) ?? null
  } catch {
    // An invalid key verifies nothing.
    return null
  }
}

function isFinal(cause: unknown): boolean {
  if (
    cause instanceof PoorlyFormattedDidError ||
    cause instanceof PoorlyFormattedDidDocumentError ||
    cause instanceof UnsupportedDidMethodError ||
    cause instanceof UnsupportedDidWebPathError ||
    cause instanceof URIError
  )
    return true
  if (!(cause instanceof Error)) return false
  if ('code' in cause && cause.code === 'ERR_INVALID_URL') return true
  return 'status' in cause && isRefusal(Number(cause.status))
}

/** A permanent status, such as 410 for a DID that was given up. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429
}

function createHandleResolver(
  service: string | null,
  siteFetch: typeof globalThis.fetch,
  timeoutMs: number,
): Identity['resolveHandle'] {
  return async (handle) => {
    if (!isValidHandle(handle) || !isValidTld(handle)) return null
    const name = normalizeHandle(handle)
    const did =
      service === null ? await askDomain(siteFetch, name) : await askService(service, name, timeoutMs)
    return typeof did === 'string' && isValidDid(did) ? did : null
  }
}

/**
 * Resolves a handle at its own domain (https://atproto.com/specs/handle#handle-resolution). Null only when the domain
 * answers without a DID: an unreachable domain has not withdrawn the handle.
 */
async function askDomain(fetch: typeof globalThis.fetch, handle: string): Promise<string | null> {
  const failures: unknown[] = []
  for (const ask of [askDns, askSite]) {
    const did = await ask(handle, fetch).catch((cause: unknown) => {
      failures.push(cause)
      return null
    })
    if (did !== null) return did
  }
  const [cause] = failures
  if (cause === undefined) return null
  const message = `The handle ${handle} could not be looked up at its domain: ${reasonOf(cause)}.`
  throw new IdentityError(message, { cause, passing: true })
}

async function askDns(handle: string): Promise<string | null> {
  const records = await dns.resolveTxt(`_atproto.${handle}`).catch((error: NodeJS.ErrnoException) => {
    if (error.code === dns.NOTFOUND || error.code === dns.NODATA) return []
    throw error
  })
  const found = records.map((parts) => parts.join('')).filter((text) => text.startsWith('did='))
  return found.length === 1 ? String(found[0]).slice('did='.length) : null
}

async function askSite(handle: string, fetch: typeof globalThis.fetch): Promise<string | null> {
  try {
    const url = `https://${handle}/.well-known/atproto-did`
    const answer = await fetch(url, { redirect: 'follow', signal: AbortSignal.timeout(timeout) })
    return (await textOf(answer))?.split('\n')[0]?.trim() ?? null
  } catch (error) {
    // The domain does not exist.
    if (reasonOf(error).includes('ENOTFOUND')) return null
    throw error
  }
}

/** The body of an answer; null when it refuses for good. */
async function textOf(answer: Response): Promise<string | null> {
  if (answer.ok) return answer.text()
  await answer.body?.cancel()
  if (isRefusal(answer.status)) return null
  throw new Error(`it answered with status ${answer.status}`)
}

/** https://docs.bsky.app/docs/api/com-atproto-identity-resolve-handle, on a service that the operator chose. */
async function askService(service: string, handle: string, timeoutMs: number): Promise<unknown> {
  const url = new URL('/xrpc/com.atproto.identity.resolveHandle', service)
  url.searchParams.set('handle', handle)
  try {
    const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) })
    return (JSON.parse((await textOf(answer)) ?? 'null') as { readonly did?: unknown } | null)?.did
  } catch (cause) {
    const message = `The handle ${handle} could not be looked up at ${service}: ${reasonOf(cause)}.`
    throw new IdentityError(message, { cause, passing: true })
  }
}
