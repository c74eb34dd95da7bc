/** The caller, as limits and logs know it. */
import type { Tier } from './tiers.ts'

export interface Caller {
  /** The key of limits: `key:ID`, or `address:NETWORK`, where NETWORK is the /64 for IPv6. */
  readonly id: string
  readonly tier: Tier
  /** The name of the API key; null without one. */
  readonly keyName: string | null
}

/**
 * Identifies the caller by the header `X-API-Key` and its network; synchronous if no lookup is needed. Throws
 * UNAUTHENTICATED, or RATE_LIMITED after too many failed keys.
 */
export type Authenticate = (
  header: string | readonly string[] | undefined,
  network: string,
) => Caller | Promise<Caller>
