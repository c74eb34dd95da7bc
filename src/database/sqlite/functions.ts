/** SQL functions SQLite lacks and the dialect needs, in JavaScript: folding, instants, CIDs, cursors. */
import type { DatabaseSync } from 'node:sqlite'
import { ServiceError } from '../../errors.ts'
import { encodeCursor } from '../../util/cursor.ts'
import { foldText } from '../../util/fold.ts'
import { formatInstant, parseRecordInstant } from '../../util/instant.ts'

const base32 = 'abcdefghijklmnopqrstuvwxyz234567'

export function defineFunctions(database: DatabaseSync): void {
  const pure = { deterministic: true, directOnly: true } as const
  database.function('fold', pure, (text) => (typeof text === 'string' ? foldText(text) : null))
  database.function('instant', pure, (text) => (typeof text === 'string' ? parseRecordInstant(text) : null))
  database.function('instant_text', { ...pure, useBigIntArguments: true }, (micros) =>
    typeof micros === 'bigint' ? formatInstant(micros) : null,
  )
  database.function('cid_text', pure, (bytes) => (bytes instanceof Uint8Array ? cidText(bytes) : null))
  database.function('page_cursor', pure, (binding, position) =>
    position === null ? null : encodeCursor(String(binding), String(position)),
  )
  database.function('sum_out_of_range', { directOnly: true }, () => {
    throw new ServiceError(
      'BAD_USER_INPUT',
      'A sum is beyond ±9007199254740991, the largest exact JSON number. Narrow `where`, or ask for `avg`.',
    )
  })
}

/** `b` and lower-case base 32 without padding, as the AT Protocol writes CIDs. */
export function cidText(bytes: Uint8Array): string {
  let text = 'b'
  let bits = 0
  let buffer = 0
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += base32[(buffer >> bits) & 31]
    }
    buffer &= (1 << bits) - 1
  }
  return bits > 0 ? text + base32[(buffer << (5 - bits)) & 31] : text
}
