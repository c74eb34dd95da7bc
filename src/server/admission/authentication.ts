/**
 * Identifies the caller by the header X-API-Key, and refuses keys that are sent in other places. An invalid key is an
 * error and never makes the caller anonymous. Only hashes of keys are stored, and no message repeats a key. The limits
 * of tiers are not known here.
 */
import { LRUCache } from 'lru-cache'
import type { ApiKey } from '../../database/metadata/metadata-store.ts'
import { ServiceError } from '../../errors.ts'
import { atMost } from '../../util/memory.ts'
import { hashKey, holdsKey, keyLength, readKey } from '../../util/api-key.ts'
import { formatInstant } from '../../util/instant.ts'
import type { Limiter } from './limits/limiter.ts'
import { type Caller, publicTier, type Tier } from './tiers.ts'

/**
 * Identifies the caller by the header `X-API-Key` and its network; synchronous if no lookup is needed. Throws
 * UNAUTHENTICATED, or RATE_LIMITED after too many failed keys.
 */
export type Authenticate = (
  header: string | readonly string[] | undefined,
  network: string,
) => Caller | Promise<Caller>

export interface AuthenticationOptions {
  readonly findKey: (hash: string) => Promise<ApiKey | null>
  readonly tiers: ReadonlyMap<string, Tier>
  readonly limiter: Pick<Limiter, 'failKey' | 'keyPause'>
  /** Microseconds since 1970. */
  readonly now: () => bigint
  /** Seconds that a key is cached, and may work after it is revoked; 0 where a lookup needs no round trip. */
  readonly cacheSeconds: number
  readonly onNotice: (text: string) => void
}

const remembered = 10_000
const withoutKey = 'or leave the header X-API-Key out, to be answered as everybody is'

export function createAuthentication(options: AuthenticationOptions): Authenticate {
  const { limiter, tiers, now } = options
  const find = createFinder(options)
  const everybody = tiers.get(publicTier)
  if (everybody === undefined) throw new Error(`The tier ${publicTier} is missing.`)
  const tierOf = createTierFinder(options, everybody)
  /** Valid keys by network, so that callers are not blocked when another one of their network guesses keys. */
  const held = new LRUCache<string, true>(atMost(remembered))

  return (header, network) => {
    // Node joins headers of the same name with commas, and clients send an empty one where no key is set.
    const sent = [header ?? []]
      .flat()
      .flatMap((one) => one.split(','))
      .filter((one) => one.trim() !== '')
    return sent.length === 0
      ? { id: anonymousId(network), tier: everybody, keyName: null }
      : identify(sent, network)
  }

  async function identify(sent: readonly string[], network: string): Promise<Caller> {
    const key = sent.length === 1 ? readKey(sent[0] ?? '') : null
    const hash = key === null ? null : hashKey(key)
    const pair = `${network} ${hash}`
    if (!held.has(pair)) assertNoPause(limiter.keyPause(network))
    const found = hash === null ? null : await find(hash)
    const problem = hash === null ? problemOfForm(sent) : problemOf(found, now())
    if (found === null || problem !== null) {
      held.delete(pair)
      assertNoPause(await limiter.failKey(network))
      throw new ServiceError('UNAUTHENTICATED', problem ?? '')
    }
    held.set(pair, true)
    return { id: `key:${found.id}`, tier: tierOf(found), keyName: found.name }
  }
}

export function anonymousId(network: string): string {
  return `address:${network}`
}

/** Throws when the header Authorization contains a key: the caller must not become anonymous. */
export function assertNoKeyInAuthorization(header: string | undefined): void {
  if (header !== undefined && holdsKey(header))
    throw new ServiceError(
      'UNAUTHENTICATED',
      'A key is read from the header X-API-Key alone. Send it there instead of in Authorization.',
    )
}

function createFinder(options: AuthenticationOptions): AuthenticationOptions['findKey'] {
  const { findKey, now, cacheSeconds } = options
  if (cacheSeconds === 0) return findKey
  const longest = BigInt(cacheSeconds) * 1_000_000n
  const known = new LRUCache<string, { readonly key: ApiKey; readonly at: bigint }>(atMost(remembered))
  return async (hash) => {
    const at = now()
    const entry = known.get(hash)
    // The clock may have been set back.
    if (entry !== undefined && at >= entry.at && at - entry.at < longest) return entry.key
    const key = await findKey(hash)
    if (key === null) known.delete(hash)
    else known.set(hash, { key, at })
    return key
  }
}

function createTierFinder(
  { tiers, onNotice }: AuthenticationOptions,
  everybody: Tier,
): (key: ApiKey) => Tier {
  const missed = new Set<string>()
  return ({ tier: name }) => {
    const tier = tiers.get(name)
    if (tier !== undefined) return tier
    if (!missed.has(name))
      onNotice(
        `There are keys of the tier ${JSON.stringify(name)}, which does not exist; the limits of ${publicTier} hold for them. Add it to the file of --tiers, or make other keys.`,
      )
    missed.add(name)
    return everybody
  }
}

function assertNoPause(seconds: number): void {
  if (seconds > 0)
    throw new ServiceError(
      'RATE_LIMITED',
      `Too many API keys that do not hold came from your address. Send the next one in ${seconds} s, ${withoutKey}.`,
      { retryAfter: seconds },
    )
}

/** The error for a malformed key, which needs no database lookup. */
function problemOfForm(sent: readonly string[]): string {
  if (sent.length > 1) return 'There is more than one API key. Send one header X-API-Key with one key.'
  return `The header X-API-Key is no key of this service: one has ${keyLength} characters, of which the first are lgk_ and the last a checksum. Copy yours again, ${withoutKey}.`
}

/** Null for a valid key. Only the holder of a key learns its state. */
function problemOf(key: ApiKey | null, now: bigint): string | null {
  if (key === null)
    return `The API key is unknown here. Ask the operator of this service for one, ${withoutKey}.`
  const { revokedAt, expiresAt, validUntil } = key
  if (revokedAt !== null)
    return `The API key was revoked at ${formatInstant(revokedAt)}. Ask the operator of this service for another, ${withoutKey}.`
  if (expiresAt !== null && expiresAt <= now)
    return `The API key has ended at ${formatInstant(expiresAt)}, because it was replaced. Use the one that replaced it, ${withoutKey}.`
  if (validUntil !== null && validUntil <= now)
    return `The API key expired at ${formatInstant(validUntil)}. Ask the operator of this service for another, ${withoutKey}.`
  return null
}

/** Throws when a URL contains a key, or a parameter named like one. */
export function assertNoKeyInUrl(url: string): void {
  if (holdsKeySomewhere(url))
    throw new ServiceError(
      'BAD_REQUEST',
      'A key in the URL is not read, because others can see it there. Send it as the header X-API-Key, and have a key that was in a URL replaced now.',
    )
}

/** Detects keys in any encoding: browser histories and logs of every server on the way store URLs. */
export function holdsKeySomewhere(url: string): boolean {
  return holdsKey(decode(url)) || namesKey(url)
}

function namesKey(url: string): boolean {
  const start = url.indexOf('?')
  if (start === -1) return false
  const names = url
    .slice(start + 1)
    .split('&')
    .map((pair) => decode(pair.split('=', 1)[0] ?? ''))
  return names.some((name) => keyNames.has(name.toLowerCase().replaceAll(/[-_]/g, '')))
}

const keyNames = new Set(['key', 'apikey', 'xapikey'])
const encoded = /[%\\]/
/** Maximum nested encodings; more do not happen by mistake. */
const rounds = 8

/** Decodes the escapes of URLs, also nested ones, and those of JSON and GraphQL. */
function decode(text: string): string {
  let decoded = text
  for (let round = 0; round < rounds && encoded.test(decoded); round += 1) {
    const next = decoded
      .replaceAll(/%(?:25)*([0-9a-f]{2})/gi, (_, digits) => characterOf(digits))
      .replaceAll(/\\u(?:00([0-9a-f]{2})|\{0*([0-9a-f]{2})\})/gi, (_, four, braced) =>
        characterOf(four ?? braced),
      )
    if (next === decoded) break
    decoded = next
  }
  return decoded
}

function characterOf(digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16))
}
