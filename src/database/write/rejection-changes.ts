/** Collects the changes of a run to rejections, and writes them in order with few statements. */
import type { Rejection } from '../changes.ts'
import { ask, type Steps, jsonRow, jsonRows, jsonValue } from '../metadata/steps.ts'
import { droppable, dropped, maxRejections, type RejectionRow, rejectionRow, replaces } from './rejections.ts'
import type { WriteTransaction } from './write-transaction.ts'

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
    let stored = 0
    for (const { cleared, added } of this.#waves) {
      if (has.rejections && cleared.size > 0)
        yield* ask(
          `delete from rejection where key in (
             select r.key from ${dialect.given({ key: 'text', rev: 'text' })} join rejection r on r.key = given.key
             where r.rev is null or r.rev <= given.rev)`,
          jsonRows(
            [...cleared].map(([uri, rev]) =>
              jsonRow([
                ['key', dialect.textJson(uri)],
                ['rev', jsonValue(rev)],
              ]),
            ),
          ),
        )
      if (added.size === 0) continue
      stored += added.size
      const rows = [...added.values()].map((row) =>
        jsonRow(
          Object.entries(row).map(([name, value]) => [
            name,
            typeof value === 'string' ? dialect.textJson(value) : jsonValue(value),
          ]),
        ),
      )
      yield* ask(
        `insert into rejection (${names}) select ${names} from ${dialect.given(columns)} where true
         on conflict (key) do update set source = excluded.source, reason = excluded.reason, message = excluded.message,
           record = excluded.record, seen_at = excluded.seen_at, rev = excluded.rev, cut = excluded.cut
         where ${replaces}`,
        jsonRows(rows),
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
