/** Shortens names of tables, columns and indexes: PostgreSQL truncates identifiers to 63 bytes. */
import { createHash } from 'node:crypto'

/** Bytes of UTF-8. */
export const longestName = 63

/** The name itself, or a prefix of it with a hash of the whole, so that names with a common prefix stay distinct. */
export function shortName(name: string, longest = longestName): string {
  if (Buffer.byteLength(name) <= longest) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8)
  const bytes = Buffer.from(name).subarray(0, longest - hash.length - 1)
  // Drop the remains of a character that the cut falls into.
  return `${bytes.toString().replace(/\uFFFD+$/, '')}~${hash}`
}
