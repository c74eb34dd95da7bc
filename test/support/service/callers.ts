import type { Caller, Tier } from '../../../src/server/admission/tiers.ts'

const tier: Tier = {
  name: 'public',
  pointsPerMinute: 10,
  pointsPerQuery: 10,
  pageSize: 100,
  seconds: 5,
  concurrent: 4,
  exportRows: 1_000,
  exportSeconds: 60,
}

/** A caller whose tier has these limits. */
export function someCaller({ id = 'key:1', ...limits }: Partial<Tier & { readonly id: string }>): Caller {
  return { id, keyName: null, tier: { ...tier, ...limits } }
}
