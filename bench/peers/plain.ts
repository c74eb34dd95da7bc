/** Helpers that bring answers into the plain form of README.md, whatever system they come from. */

export type Group = readonly [key: string | null, value: number | null]

/** By key in the order of code units, null last. */
export function byKey(groups: readonly Group[]): Group[] {
  return [...groups].sort(([a], [b]) => compareKeys(a, b))
}

/** The largest first, equal ones by key. */
export function largest(groups: readonly Group[], limit: number): Group[] {
  return [...groups].sort(([a, m], [b, n]) => (n ?? 0) - (m ?? 0) || compareKeys(a, b)).slice(0, limit)
}

export function pairs(
  list: readonly (readonly [number, string | null])[],
): (readonly [number, string | null])[] {
  return [...list].sort(([m, a], [n, b]) => m - n || compareKeys(a, b))
}

/** An instant, as `toISOString` writes it. */
export function instant(value: string | null): string | null {
  return value === null ? null : new Date(value).toISOString()
}

export function rounded(value: number | string | null): number | null {
  return value === null ? null : Math.round(Number(value) * 10_000) / 10_000
}

export function recordKey(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1)
}

function compareKeys(a: string | null, b: string | null): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return a < b ? -1 : 1
}
