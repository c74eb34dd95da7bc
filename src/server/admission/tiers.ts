/** Owns callers, and the tiers that limit each kind of them; `docs/limits.md` shows the table. */

export interface Caller {
  /** The key of limits: `key:ID`, or `address:NETWORK`, where NETWORK is the /64 for IPv6. */
  readonly id: string
  readonly tier: Tier
  /** The name of the API key; null without one. */
  readonly keyName: string | null
}

export interface Tier {
  readonly name: string
  /** Points that a caller may spend in a minute; null: unlimited. */
  readonly pointsPerMinute: number | null
  readonly pointsPerQuery: number
  /** Maximum `first` or `last`. */
  readonly pageSize: number
  /** Timeout of a request, in seconds. */
  readonly seconds: number
  /** Maximum concurrent long requests of a caller. */
  readonly concurrent: number
  readonly fileRows: number
  /** Timeout of a file, in seconds: its snapshot is held that long at most. */
  readonly fileSeconds: number
}

/** The tier of callers without a key. */
export const publicTier = 'public'

/** The limits of files in the public tier, and in a new one that names no others. */
export const publicFiles = { fileRows: 100_000, fileSeconds: 120 } as const

export const defaultTiers: readonly Tier[] = [
  {
    name: publicTier,
    pointsPerMinute: 6_000,
    pointsPerQuery: 250,
    pageSize: 100,
    seconds: 5,
    concurrent: 4,
    ...publicFiles,
  },
  {
    name: 'research',
    pointsPerMinute: 12_000,
    pointsPerQuery: 500,
    pageSize: 500,
    seconds: 20,
    concurrent: 8,
    fileRows: 5_000_000,
    fileSeconds: 900,
  },
  {
    name: 'unlimited',
    pointsPerMinute: null,
    pointsPerQuery: 1_000,
    pageSize: 1_000,
    seconds: 60,
    concurrent: 16,
    fileRows: 5_000_000,
    fileSeconds: 3_600,
  },
]
