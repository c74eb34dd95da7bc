/** Who asks, as far as limits and logs are concerned. */
import type { Tier } from './tiers.ts'

export interface Caller {
  /** What limits are counted by: `key:ID`, or `address:NETWORK`, for IPv6 the network of 64 bits. */
  readonly id: string
  readonly tier: Tier
  /** The name of the key; null without one. */
  readonly keyName: string | null
}

/**
 * From the header `X-API-Key` and the caller's network to who asks, at once where nothing is looked up. Throws
 * UNAUTHENTICATED, or RATE_LIMITED where too many keys were tried.
 */
export type Authenticate = (
  header: string | readonly string[] | undefined,
  network: string,
) => Caller | Promise<Caller>
