/** Where sources stand, and what became of what they brought, kept with each batch. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { BatchOutcome, Change, SourceMark } from '../database.ts'

export class SourceMarks {
  readonly #now: () => bigint
  readonly #save: StatementSync
  readonly #add: StatementSync
  /** Of the batch under way, by source, collection and outcome. */
  readonly #counts = new Map<string, { readonly key: readonly [string, string, string]; records: number }>()

  constructor(database: DatabaseSync, now: () => bigint) {
    this.#now = now
    this.#save = database.prepare(
      `insert into source (name, cursor, state, event_at, lag, rate, heard_at) values (?, ?, 'connecting', ?, ?, 0, ?)
       on conflict (name) do update set cursor = coalesce(excluded.cursor, cursor),
         event_at = coalesce(excluded.event_at, event_at), lag = coalesce(excluded.lag, lag), heard_at = excluded.heard_at`,
    )
    this.#add = database.prepare(
      `insert into outcome (source, collection, outcome, records) values (?, ?, ?, ?)
       on conflict (source, collection, outcome) do update set records = records + excluded.records`,
    )
  }

  /** A refused record is counted under its reason. */
  count(source: string, change: Change, fate: keyof BatchOutcome, records: number): void {
    if (records === 0) return
    const outcome = fate === 'rejected' && change.kind === 'reject' ? `refused ${change.reason}` : fate
    const key = [source, collectionOf(change), outcome] as const
    const id = key.join('\0')
    const known = this.#counts.get(id)
    if (known === undefined) this.#counts.set(id, { key, records })
    else known.records += records
  }

  /** The batch was undone. */
  forget(): void {
    this.#counts.clear()
  }

  save({ source, cursor, eventAt }: SourceMark): void {
    const now = this.#now()
    const lag = eventAt === null ? null : Math.max(0, Number(now - eventAt) / 1e6)
    this.#save.run(source, cursor, eventAt, lag, now)
    for (const { key, records } of this.#counts.values()) this.#add.run(...key, records)
    this.#counts.clear()
  }
}

/** Empty where the collection is not known, or where it is about all of an account's. */
function collectionOf(change: Change): string {
  switch (change.kind) {
    case 'put':
    case 'delete':
      return change.collection
    case 'reject':
      return change.uri?.split('/')[3] ?? ''
    default:
      return ''
  }
}
