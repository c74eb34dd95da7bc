/** SQL functions SQLite lacks and the dialect needs, in JavaScript: folding, instants, CIDs, cursors. */
import type { DatabaseSync } from 'node:sqlite'
import { formatCid } from '../../../lexicon/records/cid-text.ts'
import { encodeCursor } from '../../../util/cursor.ts'
import { sumOutOfRange } from '../../refusals.ts'
import { exactMean } from '../../../util/exact-mean.ts'
import { foldText } from '../../../util/text/fold.ts'
import { formatInstant, parseRecordInstant } from '../../../util/instant.ts'

export function defineFunctions(database: DatabaseSync): void {
  const pure = { deterministic: true, directOnly: true } as const
  database.function('fold', pure, (text) => (typeof text === 'string' ? foldText(text) : null))
  database.function('instant', pure, (text) => (typeof text === 'string' ? parseRecordInstant(text) : null))
  database.function('instant_text', { ...pure, useBigIntArguments: true }, (micros) =>
    typeof micros === 'bigint' ? formatInstant(micros) : null,
  )
  database.function('cid_text', pure, (bytes) => (bytes instanceof Uint8Array ? formatCid(bytes) : null))
  database.function('page_cursor', pure, (binding, position) =>
    position === null ? null : encodeCursor(String(binding), String(position)),
  )
  // A sum in two parts, of which the lower has 26 bits: together they may be past the 64 bits of the engine.
  database.function('exact_mean', { ...pure, useBigIntArguments: true }, (high, low, count) =>
    exactMean((BigInt(high as bigint) << 26n) + BigInt(low as bigint), BigInt(count as bigint)),
  )
  database.function('sum_out_of_range', { directOnly: true }, () => {
    throw sumOutOfRange()
  })
}
