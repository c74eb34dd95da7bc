/** Stores refused records with few statements, and within limits, so that publishers cannot fill the disk. */
import { createHash } from 'node:crypto'
import type { ColumnValue, Rejection } from '../changes.ts'
import type { StoredRejection } from '../metadata/metadata-store.ts'
import { ask, jsonRows, type Steps } from '../metadata/steps.ts'
import type { WriteTransaction } from './write-transaction.ts'

/**
 * The source of rejections by a rebuild. They are never dropped or cut, because no other copy exists; only a record
 * that the publisher is known to have written later replaces them.
 */
export const rebuildSource = 'rebuild'
/** Must match the condition of the index `rejection_seen`. */
const droppable = `source <> '${rebuildSource}'`
/** The condition under which a new rejection replaces the stored one with the same key. */
const replaces = `(rejection.record <> excluded.record or rejection.reason <> excluded.reason
    or rejection.rev is distinct from excluded.rev)
  and (excluded.rev is not null or excluded.source = '${rebuildSource}'
    or (rejection.rev is null and rejection.${droppable}))`

/** Of longer records only the beginning is stored. In UTF-16 units, as is the next constant. */
export const maxRejectedLength = 65_536
const retainedOfLonger = 1_000
/** Bytes that fit into an index of every engine; a longer URI cannot name a record. */
const longestKey = 2_600
/** The newest rejections are stored. */
export const maxRejections = 10_000
/** Rejections that are dropped at once, so that not every new one costs a search. */
const dropped = 500

/** Records without a URI and cut records would be refused under any lexicons. */
export function canBeJudged({ cut, uri }: StoredRejection): boolean {
  return !cut && uri !== null
}

/** Changes that can be written together: first clears rejections, then stores new ones. */
interface Wave {
  /** By URI: the revision up to which rejections are cleared. */
  readonly cleared: Map<string, string | null>
  readonly added: Map<string, RejectionRow>
}

const columns = {
  key: 'text',
  source: 'text',
  uri: 'text',
  reason: 'text',
  message: 'text',
  record: 'text',
  seen_at: 'bigint',
  rev: 'text',
  cut: 'bigint',
} as const
const names = Object.keys(columns).join(', ')

export class RejectionChanges {
  readonly #waves: Wave[] = []

  get isEmpty(): boolean {
    return this.#waves.length === 0
  }

  add(rejection: Rejection, seenAt: bigint): void {
    const row = rejectionRow(rejection, seenAt)
    this.#wave(({ added }) => !added.has(row.key)).added.set(row.key, row)
  }

  clear(uri: string, rev: string | null): void {
    const { cleared } = this.#wave(({ added }) => !added.has(uri))
    const before = cleared.get(uri) ?? null
    cleared.set(uri, before !== null && (rev === null || rev < before) ? before : rev)
  }

  /** Returns the number of stored rejections. */
  *write({ dialect, has }: WriteTransaction): Steps<number> {
    const storable = (row: Readonly<Record<string, ColumnValue>>): Record<string, ColumnValue> => {
      const text = (value: ColumnValue) => (typeof value === 'string' ? dialect.text(value) : value)
      return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, text(value)]))
    }
    let stored = 0
    for (const { cleared, added } of this.#waves) {
      if (has.rejections && cleared.size > 0)
        yield* ask(
          `delete from rejection where key in (
             select r.key from ${dialect.given({ key: 'text', rev: 'text' })} join rejection r on r.key = given.key
             where r.rev is null or r.rev <= given.rev)`,
          jsonRows(Array.from(cleared, ([key, rev]) => storable({ key, rev }))),
        )
      if (added.size === 0) continue
      stored += added.size
      yield* ask(
        `insert into rejection (${names}) select ${names} from ${dialect.given(columns)} where true
         on conflict (key) do update set source = excluded.source, reason = excluded.reason, message = excluded.message,
           record = excluded.record, seen_at = excluded.seen_at, rev = excluded.rev, cut = excluded.cut
         where ${replaces}`,
        jsonRows(Array.from(added.values(), storable)),
      )
      has.rejections = true
    }
    return stored
  }

  #wave(fits: (wave: Wave) => boolean): Wave {
    const last = this.#waves.at(-1)
    if (last !== undefined && fits(last)) return last
    const wave = { cleared: new Map<string, string | null>(), added: new Map<string, RejectionRow>() }
    this.#waves.push(wave)
    return wave
  }
}

/** Drops excess rejections in bulk, so that not every batch costs a search. */
export class RejectionLimit {
  /** Rejections stored since the last count. */
  #since = dropped;

  *hold(stored: number): Steps<void> {
    this.#since += stored
    if (stored === 0 || this.#since < dropped) return
    this.#since = 0
    const [row] = yield* ask<{ n: bigint }>(`select count(*) as n from rejection where ${droppable}`)
    const excess = (row?.n ?? 0n) - BigInt(maxRejections)
    if (excess <= 0n) return
    yield* ask(
      `delete from rejection where key in (
         select key from rejection where ${droppable} order by seen_at limit ?)`,
      excess,
    )
  }
}

type RejectionRow = ReturnType<typeof rejectionRow>

function rejectionRow({ source, uri, reason, message, record, rev, ...given }: Rejection, seenAt: bigint) {
  const isShort = uri !== null && Buffer.byteLength(uri) <= longestKey
  const key = isShort ? uri : `sha256:${createHash('sha256').update(record).digest('hex')}`
  const isLong = record.length > maxRejectedLength && source !== rebuildSource
  const text = isLong ? record.slice(0, retainedOfLonger).toWellFormed() : record
  return {
    key,
    source,
    uri,
    reason,
    message,
    record: text,
    seen_at: seenAt,
    rev: rev ?? null,
    cut: Number(isLong || given.cut === true),
  }
}
