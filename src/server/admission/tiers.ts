/** The limits of callers, by tier. `docs/limits.md` shows this table. */

export interface Tier {
  readonly name: string
  /** Points that a caller may use in a minute; null: any number. */
  readonly pointsPerMinute: number | null
  /** Points that one operation may cost. */
  readonly pointsPerQuery: number
  /** Largest `first` or `last`. */
  readonly pageSize: number
  /** How long a request may take. */
  readonly seconds: number
  /** Requests of a caller that are worked on at once, as far as they may take long. */
  readonly concurrent: number
}

/** That of everybody who has no key. */
export const publicTier = 'public'

export const defaultTiers: readonly Tier[] = [
  { name: publicTier, pointsPerMinute: 1_200, pointsPerQuery: 250, pageSize: 100, seconds: 5, concurrent: 4 },
  {
    name: 'research',
    pointsPerMinute: 12_000,
    pointsPerQuery: 500,
    pageSize: 500,
    seconds: 20,
    concurrent: 8,
  },
  {
    name: 'unlimited',
    pointsPerMinute: null,
    pointsPerQuery: 1_000,
    pageSize: 1_000,
    seconds: 60,
    concurrent: 16,
  },
]
