/** Collects the changes of a run to rejections, and writes them in order with few statements. */
import type { Rejection } from '../../changes.ts'
import {
  droppable,
  dropped,
  maxRejections,
  type RejectionRow,
  rejectionRow,
  replaces,
} from '../../write/rejections.ts'
import { jsonRow, jsonRows, jsonValue } from '../read/json-rows.ts'
import type { Transaction } from './transactions.ts'

/** Changes that can be written together: first clears rejections, then stores new ones. */
interface Wave {
  /** By URI: the revision up to which rejections are cleared. */
  readonly cleared: Map<string, string | null>
  readonly kept: Map<string, RejectionRow>
}

const keep = `insert into rejection (key, source, uri, reason, message, record, seen_at, rev, cut)
  select key, source, uri, reason, message, record, seen_at, rev, cut from json_to_recordset($1) as given
    (key text, source text, uri text, reason text, message text, record text, seen_at bigint, rev text, cut smallint)
  on conflict (key) do update set source = excluded.source, reason = excluded.reason, message = excluded.message,
    record = excluded.record, seen_at = excluded.seen_at, rev = excluded.rev, cut = excluded.cut
  where ${replaces}`
const clearRejection = `delete from rejection using json_to_recordset($1) as given (key text, rev text)
  where rejection.key = given.key and (rejection.rev is null or rejection.rev <= given.rev)`

export class RejectionChanges {
  readonly #waves: Wave[] = []

  get isEmpty(): boolean {
    return this.#waves.length === 0
  }

  keep(rejection: Rejection, seenAt: bigint): void {
    const row = rejectionRow(rejection, seenAt)
    this.#wave(({ kept }) => !kept.has(row.key)).kept.set(row.key, row)
  }

  clearRejection(uri: string, rev: string | null): void {
    const { cleared } = this.#wave(({ kept }) => !kept.has(uri))
    const before = cleared.get(uri) ?? null
    cleared.set(uri, before !== null && (rev === null || rev < before) ? before : rev)
  }

  /** Number of rejections to be stored. */
  get kept(): number {
    return this.#waves.reduce((sum, { kept }) => sum + kept.size, 0)
  }

  async write(transaction: Transaction): Promise<void> {
    for (const { cleared, kept } of this.#waves) {
      const uris = [...cleared].map(([uri, rev]) => `{"key":${jsonText(uri)},"rev":${jsonValue(rev)}}`)
      if (transaction.has.rejections && uris.length > 0)
        await transaction.query(clearRejection, jsonRows(uris))
      if (kept.size === 0) continue
      const rows = [...kept.values()].map((row) =>
        jsonRow(
          Object.entries(row).map(([name, value]) => [
            name,
            typeof value === 'string' ? jsonText(value) : jsonValue(value),
          ]),
        ),
      )
      await transaction.query(keep, jsonRows(rows))
      transaction.has.rejections = true
    }
  }

  #wave(fits: (wave: Wave) => boolean): Wave {
    const last = this.#waves.at(-1)
    if (last !== undefined && fits(last)) return last
    const wave = { cleared: new Map<string, string | null>(), kept: new Map<string, RejectionRow>() }
    this.#waves.push(wave)
    return wave
  }
}

/** Drops excess rejections in bulk, so that not every batch costs a search. */
export class RejectionLimit {
  /** Rejections stored since the last count. */
  #since = dropped

  async hold(transaction: Transaction, kept: number): Promise<void> {
    this.#since += kept
    if (kept === 0 || this.#since < dropped) return
    this.#since = 0
    const [row] = await transaction.query<{ n: bigint }>(
      `select count(*) as n from rejection where ${droppable}`,
    )
    const excess = (row?.n ?? 0n) - BigInt(maxRejections)
    if (excess <= 0n) return
    await transaction.query(
      `delete from rejection where key in (
         select key from rejection where ${droppable} order by seen_at limit $1)`,
      excess,
    )
  }
}

/** A refused record may contain text that PostgreSQL does not accept. */
function jsonText(text: string): string {
  return JSON.stringify(text.toWellFormed().replaceAll('\0', '\uFFFD'))
}
