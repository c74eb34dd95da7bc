/** Names for tables, columns and indexes that every engine takes: PostgreSQL cuts what is longer than 63 bytes. */
import { createHash } from 'node:crypto'

/** Bytes of UTF-8. */
export const longestName = 63

/** The name itself, or its beginning with a hash of the whole, so that two that begin alike stay two. */
export function shortName(name: string, longest = longestName): string {
  if (Buffer.byteLength(name) <= longest) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8)
  const bytes = Buffer.from(name).subarray(0, longest - hash.length - 1)
  // A character that the cut falls into is left out.
  return `${bytes.toString().replace(/\uFFFD+$/, '')}~${hash}`
}
