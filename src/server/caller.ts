/** Who asks, as far as limits and logs are concerned. */
import type { Tier } from './tiers.ts'

export interface Caller {
  /** What limits are counted by: `key:ID`, or `address:NETWORK`, for IPv6 the network of 64 bits. */
  readonly id: string
  readonly tier: Tier
  /** The name of the key; null without one. */
  readonly keyName: string | null
}
