import type { ApiKey } from '../../../src/database/metadata/metadata-store.ts'
import type { Caller, Tier } from '../../../src/server/admission/tiers.ts'

const tier: Tier = {
  name: 'public',
  pointsPerMinute: 10,
  pointsPerQuery: 10,
  pageSize: 100,
  seconds: 5,
  concurrent: 4,
  fileRows: 1_000,
  fileSeconds: 60,
}

/** A caller whose tier has these limits. */
export function someCaller({ id = 'key:1', ...limits }: Partial<Tier & { readonly id: string }>): Caller {
  return { id, keyName: null, tier: { ...tier, ...limits } }
}

/** A key of that id, as the database returns it; it holds unless `more` says otherwise. */
export function keyOf(id: string, more: Partial<ApiKey>): ApiKey {
  const never = { expiresAt: null, validUntil: null, revokedAt: null }
  return { id, name: id, tier: 'research', createdAt: 0n, contact: null, ...never, ...more }
}
